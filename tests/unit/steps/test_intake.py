"""One execution per stored mail; what is no mail starts nothing and stops nothing."""

import json
from typing import Any

import boto3
import pytest

from tests.support.world import World
from webordinary.steps.intake import Intake, mails_in


def notification(*keys: str) -> str:
    return json.dumps({"Records": [{"s3": {"bucket": {"name": "raw"}, "object": {"key": key}}} for key in keys]})


def test_every_stored_mail_of_a_notification_is_found(world: World) -> None:
    mails = list(mails_in(notification("mail/one", "mail/two"), world.names))

    assert [mail.mail_id for mail in mails] == ["one", "two"]


@pytest.mark.parametrize(
    "poison",
    [
        "no json",
        "[]",
        '{"Event": "s3:TestEvent"}',
        '{"Records": [{"s3": {}}]}',
        '{"Records": ["words"]}',
        notification("mail/../../etc/passwd"),
        notification("mail/AMAZON_SES_SETUP_NOTIFICATION"),
    ],
)
def test_what_is_no_mail_starts_nothing(world: World, poison: str) -> None:
    assert list(mails_in(poison, world.names)) == []


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
