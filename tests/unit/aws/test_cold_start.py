"""What makes functions start fast must not change what they do."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from webordinary.aws import clients
from webordinary.contract.settings import BrokerSettings, ReportSettings, Settings
from webordinary.steps.broker import Broker
from webordinary.steps.claim import Claim
from webordinary.steps.control import Control
from webordinary.steps.dispatch import Dispatch
from webordinary.steps.relay_callback import RelayCallback

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


ACCOUNT = {"account": "123456789012"}
ROLE = "arn:aws:iam::123456789012:role/any"


@pytest.mark.parametrize(
    ("start", "services"),
    [
        (lambda: Dispatch.from_settings(Settings(**ACCOUNT)), {"dynamodb", "sqs"}),
        (lambda: Claim.from_settings(Settings(**ACCOUNT)), {"dynamodb", "sqs", "lambda"}),
        (lambda: RelayCallback.from_settings(ReportSettings(**ACCOUNT)), {"dynamodb", "stepfunctions"}),
        (lambda: Control.from_settings(Settings(**ACCOUNT)), {"dynamodb"}),
        (
            lambda: Broker.from_settings(BrokerSettings(**ACCOUNT, worker_role_arn=ROLE, access_role_arn=ROLE)),
            {"dynamodb", "sqs", "sts"},
        ),
    ],
    ids=["dispatch", "claim", "relay_callback", "control", "broker"],
)
def test_function_starts_with_the_clients_of_most_invocations(
    start: Callable[[], object], services: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    created: set[str] = set()
    monkeypatch.setattr(clients, "_client", created.add)
    start()

    assert created == services


def test_rarely_used_client_is_created_with_its_first_call() -> None:
    created: list[str] = []

    def make() -> SimpleNamespace:
        created.append("client")
        return SimpleNamespace(invoke=lambda: "invoked")

    client = clients.rarely_used(make)
    assert created == []
    assert client.invoke() == "invoked"
    assert created == ["client"]
