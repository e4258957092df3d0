"""Races in which the emulator's threads would meet only now and then: here checking is slow, so that they always do."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.emulator.process import client
from tests.integration.emulator.support import at_the_same_time, role

ROOT = Path(__file__).resolve().parents[3]
RIVALS = 4
# An emulator that hesitates between looking whether something exists and creating it.
HESITANT = """
import runpy, time
from moto.dynamodb.models.table import Table
from moto.s3.models import S3Backend
from moto.stepfunctions.models import StateMachine

def hesitate(owner, name):
    look = getattr(owner, name)
    def look_and_wait(*arguments, **named):
        found = look(*arguments, **named)
        time.sleep(0.1)
        return found
    setattr(owner, name, look_and_wait)

hesitate(S3Backend, "get_object")
hesitate(StateMachine, "_handle_name_input_idempotency")
hesitate(Table, "get_item")
runpy.run_module("local.emulator", run_name="__main__")
"""


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory: pytest.TempPathFactory, runtime: Path) -> Iterator[str]:
    state = tmp_path_factory.mktemp("hesitant")
    process = subprocess.Popen(
        [sys.executable, "-c", HESITANT, f"--state={state}", f"--runtime={runtime}"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    yield json.loads(process.stdout.readline())["endpoint"]
    process.terminate()
    process.wait()


def test_a_race_of_conditional_updates_has_one_winner(endpoint: str) -> None:
    client(endpoint, "dynamodb").create_table(
        TableName="ownership",
        KeySchema=[{"AttributeName": "pair", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pair", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    clients = [client(endpoint, "dynamodb") for _ in range(RIVALS)]

    def claim(rival: int) -> bool:
        try:
            clients[rival].update_item(
                TableName="ownership",
                Key={"pair": {"S": "example#ada"}},
                UpdateExpression="SET #owner = :me",
                ConditionExpression="attribute_not_exists(#owner)",
                ExpressionAttributeNames={"#owner": "owner"},
                ExpressionAttributeValues={":me": {"S": str(rival)}},
            )
        except clients[rival].exceptions.ConditionalCheckFailedException:
            return False
        return True

    assert sum(at_the_same_time(RIVALS, claim)) == 1


@pytest.mark.parametrize("condition", ["IfNoneMatch", "IfMatch"])
def test_a_race_of_conditional_writes_of_an_object_has_one_winner(endpoint: str, condition: str) -> None:
    clients = [client(endpoint, "s3") for _ in range(RIVALS)]
    clients[0].create_bucket(Bucket=condition.lower())
    seen = "*"
    if condition == "IfMatch":
        seen = clients[0].put_object(Bucket=condition.lower(), Key="release", Body="first")["ETag"]

    def write(rival: int) -> bool:
        try:
            clients[rival].put_object(Bucket=condition.lower(), Key="release", Body=str(rival), **{condition: seen})
        except clients[rival].exceptions.ClientError:
            return False
        return True

    assert sum(at_the_same_time(RIVALS, write)) == 1


def test_a_race_of_starts_with_one_name_starts_one_execution(endpoint: str) -> None:
    clients = [client(endpoint, "stepfunctions") for _ in range(RIVALS)]
    definition = {"StartAt": "Wait", "States": {"Wait": {"Type": "Wait", "Seconds": 30, "End": True}}}
    machine = clients[0].create_state_machine(
        name="machine", definition=json.dumps(definition), roleArn=role(endpoint, "machine")
    )["stateMachineArn"]

    at_the_same_time(RIVALS, lambda rival: clients[rival].start_execution(stateMachineArn=machine, name="mail"))

    assert len(clients[0].list_executions(stateMachineArn=machine)["executions"]) == 1
