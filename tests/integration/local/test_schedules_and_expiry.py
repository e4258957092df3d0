"""Scheduled rules, and deletion of expired items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from local.aws import EmulatedAws
from local.pumps.expiry import Expiry
from local.pumps.schedules import Schedules
from tests.integration.conftest import FunctionLines
from tests.integration.emulator.support import eventually
from tests.integration.local.conftest import Deployed

PRINTS_SOURCE = "def handler(event, context): print(event['source'], event['resources'][0].rpartition('/')[2])"
NOW = 1_750_000_000.0


@pytest.fixture
def scheduled(
    emulated: EmulatedAws, deploy: Callable[..., Deployed], unique: Callable[[str], str]
) -> Callable[[str], tuple[str, str]]:
    """Creates a rule in the given state and its target function."""

    def make(state: str) -> tuple[str, str]:
        events, deployed, rule = emulated.client("events"), deploy(PRINTS_SOURCE), unique("rule")
        function = emulated.client("lambda").get_function(FunctionName=deployed.function)["Configuration"]
        events.put_rule(Name=rule, ScheduleExpression="rate(1 minute)", State=state)
        events.put_targets(Rule=rule, Targets=[{"Id": "1", "Arn": function["FunctionArn"]}])
        return rule, deployed.function

    return make


def test_tick_invokes_the_function_with_an_eventbridge_event(
    emulated: EmulatedAws, scheduled: Callable[[str], tuple[str, str]], function_lines: FunctionLines
) -> None:
    rule, function = scheduled("ENABLED")

    Schedules(emulated, lambda _text: None).tick()

    eventually(lambda: function_lines.of(function) or None)
    assert function_lines.of(function) == [f"aws.events {rule}"]


def test_disabled_rule_is_ignored(emulated: EmulatedAws, scheduled: Callable[[str], tuple[str, str]]) -> None:
    rule, _ = scheduled("DISABLED")

    rules = [found.rule_arn for found in Schedules(emulated, lambda _text: None).schedules()]

    assert not any(arn.endswith(f"/{rule}") for arn in rules)


def test_schedules_fire_at_rate_times_speed(
    emulated: EmulatedAws, scheduled: Callable[[str], tuple[str, str]], function_lines: FunctionLines
) -> None:
    _, function = scheduled("ENABLED")
    pump = Schedules(emulated, lambda _text: None, speed=600)
    pump.start()
    try:
        eventually(lambda: len(function_lines.of(function)) >= 2 or None)
    finally:
        pump.ask_to_stop()
        pump.join(5)


@pytest.fixture
def table(emulated: EmulatedAws, unique: Callable[[str], str]) -> str:
    dynamodb, name = emulated.client("dynamodb"), unique("expiring")
    dynamodb.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
    )
    dynamodb.update_time_to_live(TableName=name, TimeToLiveSpecification={"AttributeName": "ttl", "Enabled": True})
    return name


def keys_after_expiry(emulated: EmulatedAws, table: str, ttl: float) -> list[str]:
    dynamodb = emulated.client("dynamodb")
    item: dict[str, Any] = {"pk": {"S": "item"}, "ttl": {"N": str(int(ttl))}}
    dynamodb.put_item(TableName=table, Item=item)
    Expiry(emulated, lambda _text: None, lag_seconds=300, clock=lambda: NOW).delete_expired()
    return [found["pk"]["S"] for found in dynamodb.scan(TableName=table)["Items"]]


def test_item_is_deleted_after_ttl_and_lag(emulated: EmulatedAws, table: str) -> None:
    assert keys_after_expiry(emulated, table, NOW - 301) == []


def test_expired_item_is_kept_during_the_lag(emulated: EmulatedAws, table: str) -> None:
    assert keys_after_expiry(emulated, table, NOW - 299) == ["item"]
