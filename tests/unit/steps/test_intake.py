"""One execution per stored mail; what is no mail starts nothing and stops nothing."""

import json
from typing import Any

import boto3
import pytest

from tests.support.world import World
from webordinary.steps.intake import IncompleteIntakeError, Intake, read_notification


def notification(*keys: str) -> str:
    return json.dumps({"Records": [{"s3": {"bucket": {"name": "raw"}, "object": {"key": key}}} for key in keys]})


def test_every_stored_mail_of_a_notification_is_found(world: World) -> None:
    mails, unreadable = read_notification(notification("mail/one", "mail/two"), world.names)

    assert ([mail.mail_id for mail in mails], unreadable) == (["one", "two"], 0)


@pytest.mark.parametrize("quiet", ['{"Event": "s3:TestEvent"}', notification("mail/AMAZON_SES_SETUP_NOTIFICATION")])
def test_what_aws_says_besides_starts_nothing(world: World, quiet: str) -> None:
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
def test_what_is_no_mail_starts_nothing_and_goes_to_the_dead_letters(world: World, poison: str) -> None:
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


def test_an_execution_is_named_after_its_mail_and_a_second_delivery_starts_none(
    world: World, state_machine: tuple[Any, str]
) -> None:
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
def test_an_execution_belongs_to_the_trace_of_its_intake(
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


def test_a_mail_that_cannot_be_started_stops_no_other(world: World, state_machine: tuple[Any, str]) -> None:
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
