"""Which model, provider and API a project gets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from webordinary.contract.outcomes import Failure
from webordinary.tables.projects import ProjectConfig
from webordinary_worker.proxies.bedrock_api import BedrockApi
from webordinary_worker.proxies.model_access import ModelAccess, ModelUnavailableError, open_model
from webordinary_worker.settings import WorkerSettings

KEY = {"ANTHROPIC_API_KEY": "key"}


def opened(settings: dict[str, Any], **project: Any) -> ModelAccess:
    given = WorkerSettings(
        account="123456789012",
        container_id="worker-1",
        workspace=Path("/w"),
        cache=Path("/c"),
        node_folder=Path("/n"),
        **settings,
    )
    config = ProjectConfig(project_id="bakery", domain="", repository="", preview_url="", **project)
    return open_model(given, config, "eu-west-1", lambda: None)


BEDROCK: dict[str, Any] = {"model_provider": "bedrock", "model_geography": "eu"}


def test_default_is_anthropic_with_one_model() -> None:
    access = opened({"model_environment": KEY})

    assert (access.model, access.small_model) == ("claude-opus-5-5", "claude-opus-5-5")
    assert access.environment() == {"ANTHROPIC_MODEL": access.model, "ANTHROPIC_DEFAULT_HAIKU_MODEL": access.model}
    assert "ANTHROPIC_API_KEY" in access.api.environment("http://here", "token")


def test_bedrock_uses_the_profile_of_the_geography_and_no_key() -> None:
    access = opened({**BEDROCK, "agent_model": "claude-sonnet-4-6", "agent_small_model": "claude-haiku-4-5"})

    assert isinstance(access.api, BedrockApi)
    assert access.model == "eu.anthropic.claude-sonnet-4-6"
    assert access.small_model == "eu.anthropic.claude-haiku-4-5-20251001-v1:0"
    assert access.api.models == {access.model, access.small_model}
    assert access.api.upstream.url == "https://bedrock-runtime.eu-west-1.amazonaws.com"


def test_bedrock_gives_the_agent_only_the_turns_token() -> None:
    environment = opened(BEDROCK).api.environment("http://here", "token")

    assert environment.pop("AWS_BEARER_TOKEN_BEDROCK") == "token"
    assert not any("KEY" in name or "SECRET" in name or "SESSION" in name for name in environment)


def test_project_chooses_model_and_provider() -> None:
    settings = {"model_environment": KEY, "model_geography": "eu"}

    assert opened(settings, model="claude-sonnet-5").model == "claude-sonnet-5"
    assert opened(settings, small_model="claude-haiku-5-5").small_model == "claude-haiku-5-5"
    assert opened(settings, model_provider="bedrock").model == "eu.anthropic.claude-opus-5-5"


@pytest.mark.parametrize(
    ("settings", "project"),
    [
        ({}, {}),
        (BEDROCK, {"model_provider": "anthropic"}),
        ({**BEDROCK, "model_geography": "none"}, {}),
        ({"model_environment": KEY}, {"model": "claude-of-a-newer-version"}),
        ({"model_environment": KEY}, {"model_provider": "of-a-newer-version"}),
    ],
)
def test_model_that_cannot_be_used_fails_the_job(settings: dict[str, Any], project: dict[str, str]) -> None:
    with pytest.raises(ModelUnavailableError) as failed:
        opened(settings, **project)

    assert failed.value.failure == Failure.MODEL_UNAVAILABLE


def test_own_profiles_of_the_project_replace_its_models_in_requests() -> None:
    arn = "arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/a1b2c3d4e5f6"
    of_other_model = arn.replace("a1b2", "ffff")
    access = opened(BEDROCK, model_profiles={"claude-opus-5-5": arn, "claude-opus-5": of_other_model})

    assert isinstance(access.api, BedrockApi)
    assert access.model == "eu.anthropic.claude-opus-5-5"
    assert access.api.profiles == {access.model: arn}
