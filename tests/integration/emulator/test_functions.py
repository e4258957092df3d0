"""Lambda in the emulator: deployed functions, their layers, environment and logs."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from local.emulator.process import EmulatorProcess
from tests.integration.emulator.support import archive, eventually, role

HANDLER = """
import json, os, sys
import greeting

def handler(event, context):
    print(json.dumps({"milestone": "said_hello", "to": event.get("name")}))
    match event.get("do"):
        case "fail":
            raise ValueError("no such page")
        case "exit":
            sys.exit(7)
        case "environment":
            return {"variables": dict(os.environ), "path": sys.path}
    return {"said": greeting.to(event.get("name")), "process": os.getpid()}
"""
LAYER = "def to(name): return f'hello {name}'"


class DeployedFunction:
    def __init__(self, emulator: EmulatorProcess, name: str) -> None:
        self.name = name
        self._emulator = emulator
        client = emulator.client("lambda")
        layer = client.publish_layer_version(
            LayerName=f"{name}-layer", Content={"ZipFile": archive({"python/greeting.py": LAYER})}
        )
        client.create_function(
            FunctionName=name,
            Runtime="python3.13",
            Role=role(emulator.endpoint, f"{name}-role"),
            Handler="handler.handler",
            Code={"ZipFile": archive({"handler.py": HANDLER})},
            Layers=[layer["LayerVersionArn"]],
            Timeout=120,
            Environment={"Variables": {"SITE": "example.org"}},
        )

    def invoke(self, event: dict[str, Any]) -> dict[str, Any]:
        answer = self._emulator.client("lambda").invoke(
            FunctionName=self.name, Payload=json.dumps(event), LogType="Tail"
        )
        text = answer["Payload"].read()
        return {"failed": answer.get("FunctionError"), "result": json.loads(text) if text else None}


@pytest.fixture(scope="module")
def function(emulator: EmulatorProcess, unique: Callable[[str], str]) -> DeployedFunction:
    return DeployedFunction(emulator, unique("greeter"))


def test_function_can_use_its_layer(function: DeployedFunction) -> None:
    answer = function.invoke({"name": "Ada"})

    assert (answer["failed"], answer["result"]["said"]) == (None, "hello Ada")


def test_idle_process_is_reused(function: DeployedFunction) -> None:
    processes = {function.invoke({})["result"]["process"] for _ in range(3)}

    assert len(processes) == 1


def test_exception_is_reported_with_type_and_message(function: DeployedFunction) -> None:
    answer = function.invoke({"do": "fail"})

    assert answer["failed"]
    assert (answer["result"]["errorType"], answer["result"]["errorMessage"]) == ("ValueError", "no such page")


def test_a_process_that_exits_is_reported_and_replaced(function: DeployedFunction) -> None:
    gone = function.invoke({"do": "exit"})
    after = function.invoke({"name": "Ada"})

    assert (gone["result"]["errorType"], "exit status 7" in gone["result"]["errorMessage"]) == (
        "Runtime.ExitError",
        True,
    )
    assert after["result"]["said"] == "hello Ada"


def test_function_sees_only_lambda_and_its_own_variables(
    emulator: EmulatorProcess, function: DeployedFunction, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = function.invoke({"do": "environment"})["result"]
    variables = seen["variables"]

    assert variables["SITE"] == "example.org"
    assert variables["AWS_LAMBDA_FUNCTION_NAME"] == function.name
    assert variables["AWS_ENDPOINT_URL"] == emulator.endpoint
    assert not {"HOME", "USER", "VIRTUAL_ENV", "MOTO_PORT", "_X_AMZN_TRACE_ID"} & variables.keys()
    assert not [folder for folder in seen["path"] if ".venv" in folder]


def test_new_code_serves_the_next_invocation(emulator: EmulatorProcess, unique: Callable[[str], str]) -> None:
    function = DeployedFunction(emulator, unique("changing"))
    function.invoke({})

    emulator.client("lambda").update_function_code(
        FunctionName=function.name, ZipFile=archive({"handler.py": "def handler(event, context): return 'new'"})
    )

    assert function.invoke({})["result"] == "new"


def test_function_output_is_in_its_log_group(emulator: EmulatorProcess, function: DeployedFunction) -> None:
    function.invoke({"name": "the log"})

    events = emulator.client("logs").filter_log_events(logGroupName=f"/aws/lambda/{function.name}")["events"]

    assert [event for event in events if "the log" in event["message"]]


def test_configured_log_group_is_not_created_automatically(
    emulator: EmulatorProcess, unique: Callable[[str], str]
) -> None:
    function, logs = DeployedFunction(emulator, unique("logging")), emulator.client("logs")
    group = f"/configured/{function.name}"
    emulator.client("lambda").update_function_configuration(
        FunctionName=function.name, LoggingConfig={"LogGroup": group, "LogFormat": "JSON"}
    )

    function.invoke({})
    assert logs.describe_log_groups(logGroupNamePrefix=group)["logGroups"] == []

    logs.create_log_group(logGroupName=group)
    function.invoke({"name": "in its group"})
    assert [
        event for event in logs.filter_log_events(logGroupName=group)["events"] if "in its group" in event["message"]
    ]


def test_a_state_machine_sees_the_error_that_a_function_raised(
    emulator: EmulatorProcess, function: DeployedFunction
) -> None:
    machines = emulator.client("stepfunctions")
    task = {"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke", "End": True}
    parameters = {"FunctionName": function.name, "Payload": {"do": "fail"}}
    definition = {"StartAt": "Fail", "States": {"Fail": {**task, "Parameters": parameters}}}
    machine = machines.create_state_machine(
        name=function.name, definition=json.dumps(definition), roleArn=role(emulator.endpoint, function.name)
    )
    started = machines.start_execution(stateMachineArn=machine["stateMachineArn"], name="one")

    def ended() -> Any:
        found = machines.describe_execution(executionArn=started["executionArn"])
        return None if found["status"] == "RUNNING" else found

    assert eventually(ended)["error"] == "ValueError"
