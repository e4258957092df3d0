"""intake: one execution per stored mail; invalid records start nothing."""

import json
from typing import Any

import boto3
import pytest

from tests.support.world import World
from webordinary.steps.intake import IncompleteIntakeError, Intake, read_notification


def notification(*keys: str) -> str:
    return json.dumps({"Records": [{"s3": {"bucket": {"name": "raw"}, "object": {"key": key}}} for key in keys]})


def test_notification_lists_every_stored_mail(world: World) -> None:
    mails, unreadable = read_notification(notification("mail/one", "mail/two"), world.names)

    assert ([mail.mail_id for mail in mails], unreadable) == (["one", "two"], 0)


@pytest.mark.parametrize("quiet", ['{"Event": "s3:TestEvent"}', notification("mail/AMAZON_SES_SETUP_NOTIFICATION")])
def test_notification_without_mails_starts_nothing(world: World, quiet: str) -> None:
    assert read_notification(quiet, world.names) == ([], 0)


@pytest.mark.parametrize(
    "poison",
    [
        "no json",
        "[]",
        '{"Records": [{"s3": {}}]}',
        '{"Records": ["words"]}',
        notification("mail/../../etc/passwd"),
    ],
)
def test_invalid_record_fails_the_notification(world: World, poison: str) -> None:
    assert read_notification(poison, world.names) == ([], 1)
    with pytest.raises(IncompleteIntakeError):
        Intake(None, world.names, "any").run(poison)  # type: ignore[arg-type]


@pytest.fixture
def state_machine(world: World) -> tuple[Any, str]:
    client = boto3.client("stepfunctions", region_name="eu-west-1")
    definition = json.dumps({"StartAt": "Done", "States": {"Done": {"Type": "Succeed"}}})
    role = "arn:aws:iam::123456789012:role/any"
    arn = client.create_state_machine(name="any", definition=definition, roleArn=role)["stateMachineArn"]
    return client, arn


def test_second_delivery_of_a_mail_starts_no_execution(world: World, state_machine: tuple[Any, str]) -> None:
    client, arn = state_machine
    intake = Intake(client, world.names, arn)

    for _ in range(2):
        intake.run(notification("mail/one"))

    assert [execution["name"] for execution in client.list_executions(stateMachineArn=arn)["executions"]] == ["one"]


@pytest.mark.parametrize(
    ("header", "handed_on"),
    [
        ("Root=1-67891233-abcdef012345678912345678;Parent=463ac35c9f6413ad;Sampled=1", True),
        ("Root=1-67891233-abcdef012345678912345678;Parent=463ac35c9f6413ad;Sampled=0", False),
        ("", False),
    ],
    ids=["recorded", "not-recorded", "not-traced"],
)
def test_execution_continues_the_trace_of_intake(
    world: World, monkeypatch: pytest.MonkeyPatch, header: str, handed_on: bool
) -> None:
    monkeypatch.setenv("_X_AMZN_TRACE_ID", header)
    started: list[dict[str, Any]] = []

    class Machines:
        class exceptions:  # noqa: N801  as boto3 names it
            ExecutionAlreadyExists = ZeroDivisionError

        def start_execution(self, **given: Any) -> None:
            started.append(given)

    Intake(Machines(), world.names, "any").run(notification("mail/one"))  # type: ignore[arg-type]

    assert [given.get("traceHeader") for given in started] == [header if handed_on else None]


def test_failed_start_does_not_affect_other_mails(world: World, state_machine: tuple[Any, str]) -> None:
    client, arn = state_machine

    class Unlucky:
        exceptions = client.exceptions

        def start_execution(self, *, name: str, **more: Any) -> Any:
            if name == "one":
                raise ZeroDivisionError
            return client.start_execution(name=name, **more)

    intake = Intake(Unlucky(), world.names, arn)  # type: ignore[arg-type]

    with pytest.raises(IncompleteIntakeError):
        intake.run(notification("mail/one", "mail/../odd", "mail/two"))

    assert [execution["name"] for execution in client.list_executions(stateMachineArn=arn)["executions"]] == ["two"]
