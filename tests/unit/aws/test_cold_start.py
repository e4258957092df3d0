"""What makes functions start fast must not change what they do."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.config import Config
from botocore.session import get_session

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


@pytest.fixture
def own_session(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")
    clients._session.cache_clear()
    yield
    clients._session.cache_clear()


@pytest.mark.usefixtures("own_session")
def test_clients_have_the_endpoints_and_signatures_of_botocore() -> None:
    """The quick loader leaves out the older list of endpoints, and reads descriptions with another parser."""
    quick, usual = clients._session(), get_session()
    config = Config(s3=clients.S3_CONFIG)
    partitions = usual.get_component("data_loader").load_data("endpoints")["partitions"]
    regions = [region for one in partitions for region in (*list(one["regions"])[:1], *list(one["regions"])[-1:])]

    def differ(service: str, region: str) -> bool:
        mine, other = (session.create_client(service, region_name=region, config=config) for session in (quick, usual))
        return _addresses_of(mine) != _addresses_of(other)

    found = [(one, region) for one in clients.SERVICES for region in {*regions, "us-east-1"} if differ(one, region)]
    assert found == []


def _addresses_of(client: Any) -> tuple[Any, ...]:
    meta, signer = client.meta, client._request_signer
    assert signer.signing_name
    return (
        meta.endpoint_url,
        meta.partition,
        meta.region_name,
        signer.signing_name,
        signer.region_name,
        signer._signature_version,
    )


@pytest.mark.usefixtures("own_session")
@pytest.mark.parametrize("setting", ["AWS_USE_FIPS_ENDPOINT", "AWS_USE_DUALSTACK_ENDPOINT"])
def test_clients_with_other_endpoints_are_those_of_botocore(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(setting, "true")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-gov-west-1")
    config = Config(s3=clients.S3_CONFIG)

    for service in ("s3", "sts", "dynamodb"):
        mine = clients._session().create_client(service, config=config)
        assert _addresses_of(mine) == _addresses_of(get_session().create_client(service, config=config))


@pytest.mark.parametrize(
    ("step", "not_needed"),
    [
        ("claim", ["contract.messages.job", "contract.messages.outcome", "tables.jobs"]),  # its requests have ids only
        ("parse_email", ["contract.messages.outcome", "tables.jobs"]),
        ("dispatch", ["contract.messages.parse", "tables.conversation_lists", "tables.spending"]),
        ("reply", ["tables.conversation_lists", "tables.spending", "tables.budgets"]),
    ],
)
def test_start_loads_no_module_that_the_function_does_not_need(step: str, not_needed: list[str]) -> None:
    environment = {"PYTHONPATH": ":".join(sys.path)}
    loaded = subprocess.run(
        [sys.executable, "-c", f"import sys, webordinary.steps.{step}; print(*sys.modules)"],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()

    assert "webordinary.contract.messages.base" in loaded
    assert [name for name in not_needed if f"webordinary.{name}" in loaded] == []


# Prints the dataclasses of our modules that importing a step creates, and the modules whose models have annotations as
# text.
SLOW_CLASSES = """
import sys, dataclasses, webordinary.steps.{step}
from pydantic import BaseModel
loaded = [(name, module) for name, module in sys.modules.items() if name.startswith("webordinary.")]
classes = {{kind for _, module in loaded for kind in vars(module).values() if isinstance(kind, type)}}
own = sorted((kind for kind in classes if kind.__module__.startswith("webordinary.")), key=lambda kind: kind.__name__)
print(*(kind.__name__ for kind in own if dataclasses.is_dataclass(kind)))
models = {{kind.__module__ for kind in own if issubclass(kind, BaseModel)}}
print(*sorted(name for name in models if hasattr(sys.modules[name], "annotations")))
"""


@pytest.mark.parametrize(
    ("step", "dataclasses"),
    [
        ("parse_email", ["AnswersToQuestions", "MonthSpend", "Names"]),
        ("reply", ["Names"]),
    ],
)
def test_start_creates_no_class_that_takes_long(step: str, dataclasses: list[str]) -> None:
    """A frozen dataclass takes five times as long as a named tuple; those left override a tuple or hide a field."""
    environment = {"PYTHONPATH": ":".join(sys.path)}
    code = SLOW_CLASSES.format(step=step)
    run = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    found, with_text = run.stdout.split("\n")[:2]

    assert found.split() == dataclasses
    assert with_text == ""


def test_start_builds_no_model_of_outcomes() -> None:
    """Models are built on first use, and a default value would be one."""
    built = "from webordinary.contract.messages import outcome as o; print(o.Usage.__pydantic_complete__)"
    environment = {"PYTHONPATH": ":".join(sys.path)}
    run = subprocess.run([sys.executable, "-c", built], env=environment, check=True, capture_output=True, text=True)

    assert run.stdout.strip() == "False"


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
