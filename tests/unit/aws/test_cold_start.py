"""What makes functions start fast must not change what they do."""

from __future__ import annotations

import subprocess
import sys

import pytest

from webordinary.aws import clients

# A process of its own, as a function has: the collector is paused at the first import.
START = """
import gc
from webordinary.aws import telemetry
paused = not gc.isenabled()
telemetry.function(lambda event, context: None)
print(paused, gc.isenabled(), "aws_lambda_powertools" in __import__("sys").modules)
"""


def start_with(variables: dict[str, str]) -> str:
    environment = {"PYTHONPATH": ":".join(sys.path), **variables}
    return subprocess.run(
        [sys.executable, "-c", START], env=environment, check=True, capture_output=True, text=True
    ).stdout.strip()


def test_collector_is_paused_while_a_function_starts_and_not_afterwards() -> None:
    assert start_with({"AWS_LAMBDA_RUNTIME_API": "127.0.0.1:9001"}) == "True True False"


def test_collector_is_not_paused_outside_lambda() -> None:
    assert start_with({}) == "False True False"


@pytest.mark.parametrize("service", clients.SERVICES)
def test_every_service_in_use_can_be_called(service: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")

    assert clients._client(service).meta.service_model.service_name == service


def test_every_client_function_names_a_listed_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    factories = (
        clients.dynamodb,
        clients.sqs,
        clients.s3,
        clients.ses,
        clients.stepfunctions,
        clients.ecs,
        clients.functions,
        clients.sts,
        clients.ssm,
        clients.load_balancers,
        clients.xray,
    )

    assert sorted(factory().meta.service_model.service_name for factory in factories) == sorted(clients.SERVICES)
