"""The real Claude Code in its Bedrock mode, through the model proxy, against the strict stand-in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from local.model.steps import ScriptedStep
from tests.integration.model.conftest import ClaudeCode
from tests.support.bedrock import MODEL, bedrock_at, bedrock_stand_in
from tests.support.model_client import StandInClient
from webordinary_worker.proxies.model_access import ModelAccess
from webordinary_worker.proxies.model_api import ModelTrouble
from webordinary_worker.proxies.model_proxy import ModelProxy

EDIT = 'Please change "8 am to noon" to "9 am to 1 pm" on the home page.'
ANTHROPIC = ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY")


@pytest.fixture
def model() -> Iterator[StandInClient]:
    with bedrock_stand_in() as client:
        yield client


@pytest.fixture
def proxy(model: StandInClient, claude: ClaudeCode) -> Iterator[ModelProxy]:
    """Claude Code's environment is as the agent's."""
    access = ModelAccess(bedrock_at(model.url), MODEL, MODEL)
    proxy = ModelProxy(access.api)
    proxy.meter.grant(1.0)
    for name in ANTHROPIC:
        del claude.environment[name]
    claude.environment.update(access.environment(), **proxy.environment())
    claude.environment["CLAUDE_CODE_MAX_RETRIES"] = "2"
    yield proxy
    proxy.stop()


def test_edit_is_carried_out(claude: ClaudeCode, proxy: ModelProxy, model: StandInClient) -> None:
    run = claude.handle(EDIT)

    assert not run.result.is_error
    assert "9 am to 1 pm" in claude.page()
    assert {(asked.headers["x-model"], asked.status) for asked in model.requests()} == {(MODEL, 200)}
    assert proxy.trouble is None
    assert proxy.meter.usage()["output_tokens"] > 0


def test_spent_budget_ends_the_turn(claude: ClaudeCode, proxy: ModelProxy, model: StandInClient) -> None:
    proxy.meter.grant(1e-9)

    assert claude.handle(EDIT).result.is_error
    assert len(model.requests()) == 1
    assert proxy.meter.usage()["over_budget"]
    assert "9 am to 1 pm" not in claude.page()


def test_throttling_is_retried(claude: ClaudeCode, proxy: ModelProxy, model: StandInClient) -> None:
    model.script(ScriptedStep(status=429, message="Too many requests, please wait before trying again.", times=2))

    assert not claude.handle(EDIT).result.is_error
    assert "9 am to 1 pm" in claude.page()
    assert proxy.trouble is None


@pytest.mark.parametrize(
    ("status", "trouble"), [(503, ModelTrouble.BUSY), (403, ModelTrouble.UNAVAILABLE), (404, ModelTrouble.UNAVAILABLE)]
)
def test_lasting_trouble_ends_the_turn(
    claude: ClaudeCode, proxy: ModelProxy, model: StandInClient, status: int, trouble: ModelTrouble
) -> None:
    model.script(ScriptedStep(status=status, times=50))

    assert claude.handle(EDIT).result.is_error
    assert proxy.trouble is trouble
    if status == 404:  # Claude Code retries a 403, because a renewed session may help
        assert len(model.requests()) == 1


def test_cut_stream_is_retried(claude: ClaudeCode, proxy: ModelProxy, model: StandInClient) -> None:
    model.script(ScriptedStep(text="I begin", cut=True))

    assert not claude.handle(EDIT).result.is_error
    assert "9 am to 1 pm" in claude.page()
