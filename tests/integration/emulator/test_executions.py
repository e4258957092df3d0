"""Step Functions in the emulator: task tokens, heartbeats, names and stops as on AWS."""

import itertools
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from local.emulator.process import EmulatorProcess
from tests.integration.conftest import FunctionLines
from tests.integration.emulator.support import archive, eventually, role

DISPATCH = """
import json

def handler(event, context):
    if event["input"].get("refuse"):
        raise RuntimeError("not today")
    print(json.dumps({"execution": event["execution"], "token": event["token"]}))
"""


class Machine:
    """A state machine that hands a task token to a function and waits for its answer."""

    def __init__(self, emulator: EmulatorProcess, name: str, lines: FunctionLines) -> None:
        self._client = emulator.client("stepfunctions")
        self._lines = lines
        self._numbers = itertools.count(1)
        self._function = f"{name}-dispatch"
        role_arn = role(emulator.endpoint, f"{name}-role")
        emulator.client("lambda").create_function(
            FunctionName=self._function,
            Runtime="python3.13",
            Role=role_arn,
            Handler="handler.handler",
            Code={"ZipFile": archive({"handler.py": DISPATCH})},
            Timeout=20,
        )
        definition = self._definition(emulator)
        created = self._client.create_state_machine(name=name, definition=json.dumps(definition), roleArn=role_arn)
        self._arn = created["stateMachineArn"]

    def _definition(self, emulator: EmulatorProcess) -> dict[str, Any]:
        function = emulator.client("lambda").get_function(FunctionName=self._function)
        wait = {
            "Type": "Task",
            "Resource": "arn:aws:states:::lambda:invoke.waitForTaskToken",
            "Parameters": {
                "FunctionName": function["Configuration"]["FunctionArn"],
                "Payload": {"token.$": "$$.Task.Token", "execution.$": "$$.Execution.Name", "input.$": "$"},
            },
            "HeartbeatSecondsPath": "$.heartbeat",
            "TimeoutSeconds": 60,
            "Retry": [{"ErrorEquals": ["Again"], "IntervalSeconds": 1, "MaxAttempts": 1, "BackoffRate": 1}],
            "Catch": [
                {"ErrorEquals": ["PREEMPTED"], "ResultPath": "$.error", "Next": "Caught"},
                {"ErrorEquals": ["States.Timeout"], "ResultPath": "$.error", "Next": "Caught"},
            ],
            "End": True,
        }
        return {"StartAt": "Wait", "States": {"Wait": wait, "Caught": {"Type": "Succeed"}}}

    def start(self, name: str | None = None, **input_values: Any) -> str:
        document = json.dumps({"heartbeat": 30, **input_values})
        started = self._client.start_execution(
            stateMachineArn=self._arn, input=document, name=name or f"execution-{next(self._numbers)}"
        )
        return str(started["executionArn"])

    def tokens(self, execution: str) -> list[str]:
        name = execution.rsplit(":", 1)[1]
        lines = [line for line in self._lines.of(self._function) if isinstance(line, dict)]
        return [line["token"] for line in lines if line.get("execution") == name]

    def token(self, execution: str, attempt: int = 0) -> str:
        return eventually(lambda: self.tokens(execution)[attempt] if len(self.tokens(execution)) > attempt else None)

    def succeed(self, token: str, output: object = "done") -> None:
        self._client.send_task_success(taskToken=token, output=json.dumps(output))

    def fail(self, token: str, error: str, cause: str) -> None:
        self._client.send_task_failure(taskToken=token, error=error, cause=cause)

    def beat(self, token: str) -> None:
        self._client.send_task_heartbeat(taskToken=token)

    def describe(self, execution: str) -> dict[str, Any]:
        return self._client.describe_execution(executionArn=execution)  # type: ignore[no-any-return]

    def count(self, name: str) -> int:
        found = self._client.list_executions(stateMachineArn=self._arn)["executions"]
        return sum(execution["name"] == name for execution in found)

    def ended(self, execution: str) -> dict[str, Any]:
        def look() -> dict[str, Any] | None:
            found = self.describe(execution)
            return None if found["status"] == "RUNNING" else found

        return eventually(look)


@pytest.fixture(scope="module")
def machine(emulator: EmulatorProcess, unique: Callable[[str], str], function_lines: FunctionLines) -> Machine:
    return Machine(emulator, unique("machine"), function_lines)


def error_code(action: Callable[[], object]) -> str:
    with pytest.raises(ClientError) as refusal:
        action()
    return str(refusal.value.response["Error"]["Code"])


def test_an_execution_ends_with_what_was_sent_for_its_token(machine: Machine) -> None:
    execution = machine.start()

    machine.succeed(machine.token(execution), {"commit": "abc"})

    assert json.loads(machine.ended(execution)["output"]) == {"commit": "abc"}


def test_a_failure_keeps_its_error_and_cause(machine: Machine) -> None:
    execution = machine.start()

    machine.fail(machine.token(execution), "BuildFailed", "a page is broken")

    ended = machine.ended(execution)
    assert (ended["status"], ended["error"], ended["cause"]) == ("FAILED", "BuildFailed", "a page is broken")


def test_a_caught_failure_passes_error_and_cause_on(machine: Machine) -> None:
    execution = machine.start()

    machine.fail(machine.token(execution), "PREEMPTED", "a newer mail came")

    output = json.loads(machine.ended(execution)["output"])
    assert output["error"] == {"Error": "PREEMPTED", "Cause": "a newer mail came"}


def test_heartbeats_keep_a_task_waiting(machine: Machine) -> None:
    execution = machine.start(heartbeat=1)
    token = machine.token(execution)

    for _ in range(4):
        time.sleep(0.5)  # longer in all than a heartbeat may take, each wait shorter
        machine.beat(token)

    assert machine.describe(execution)["status"] == "RUNNING"


def test_an_error_of_the_function_itself_fails_the_task(machine: Machine) -> None:
    execution = machine.start(refuse=True)

    ended = machine.ended(execution)

    assert (ended["error"], json.loads(ended["cause"])["errorMessage"]) == ("RuntimeError", "not today")


def test_every_attempt_has_a_token_of_its_own(machine: Machine) -> None:
    execution = machine.start()
    machine.fail(machine.token(execution), "Again", "")

    machine.succeed(machine.token(execution, attempt=1), {"attempt": 2})

    assert json.loads(machine.ended(execution)["output"]) == {"attempt": 2}
    assert len(set(machine.tokens(execution))) == 2


def test_the_second_answer_for_a_token_is_refused(machine: Machine) -> None:
    execution = machine.start()
    token = machine.token(execution)
    machine.succeed(token, {"answer": 1})

    assert error_code(lambda: machine.succeed(token, {"answer": 2})) == "TaskTimedOut"
    assert json.loads(machine.ended(execution)["output"]) == {"answer": 1}


def test_an_answer_after_the_heartbeat_expired_is_refused(machine: Machine) -> None:
    execution = machine.start(heartbeat=1)
    token = machine.token(execution)
    machine.ended(execution)

    assert error_code(lambda: machine.succeed(token)) == "TaskTimedOut"


def test_the_same_name_with_the_same_input_is_the_same_execution(
    machine: Machine, unique: Callable[[str], str]
) -> None:
    name = unique("mail")

    first, again = machine.start(name), machine.start(name)

    assert (first, machine.count(name)) == (again, 1)


def test_the_same_name_with_another_input_is_refused(machine: Machine, unique: Callable[[str], str]) -> None:
    name = unique("mail")
    machine.start(name)

    assert error_code(lambda: machine.start(name, other=True)) == "ExecutionAlreadyExists"
