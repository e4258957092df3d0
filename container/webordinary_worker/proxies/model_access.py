"""The model of a project: its provider, its ids, and the API that the agent reaches through the proxy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from webordinary.aws.telemetry import count, logger
from webordinary.contract.models import Model, ModelProvider, UnknownModelError, model_named
from webordinary.contract.outcomes import Failure
from webordinary.contract.values import contract
from webordinary.tables.projects import ProjectConfig
from webordinary_worker.failures import JobFailedError
from webordinary_worker.proxies.anthropic_api import DEFAULT_URL, AnthropicApi
from webordinary_worker.proxies.bedrock_api import BedrockApi
from webordinary_worker.proxies.model_api import ModelApi
from webordinary_worker.proxies.upstream import Upstream
from webordinary_worker.settings import WorkerSettings


class ModelUnavailableError(JobFailedError):
    """The provider rejects the model, its key or its permission. An operator has to fix it."""

    def __init__(self, why: str) -> None:
        super().__init__(Failure.MODEL_UNAVAILABLE)
        logger().error("The model is unavailable; the job fails.", extra={"milestone": "model_unavailable", "why": why})
        count("ModelUnavailable")


@dataclass(frozen=True)
class ModelAccess:
    """Ids as the provider spells them. `small_model` is used for small requests and for Claude Code's own chores."""

    api: ModelApi
    model: str
    small_model: str

    def environment(self) -> dict[str, str]:
        return {"ANTHROPIC_MODEL": self.model, "ANTHROPIC_DEFAULT_HAIKU_MODEL": self.small_model}


def open_model(
    settings: WorkerSettings, project: ProjectConfig, region: str, credentials: Callable[[], Any]
) -> ModelAccess:
    """`credentials` returns those of the pair's session. Raises ModelUnavailableError."""
    try:
        provider = ModelProvider(project.model_provider or settings.model_provider)
        model = model_named(project.model or settings.agent_model)
        small = model_named(project.small_model or settings.agent_small_model or model.name)
    except (UnknownModelError, ValueError) as error:
        raise ModelUnavailableError(str(error)) from error
    if provider is ModelProvider.BEDROCK:
        return _on_bedrock(settings, (model, small), project.model_profiles, region, credentials)
    return _at_anthropic(settings, (model, small))


def _at_anthropic(settings: WorkerSettings, models: tuple[Model, Model]) -> ModelAccess:
    given = settings.model_environment
    if not given.get("ANTHROPIC_API_KEY"):
        raise ModelUnavailableError("the deployment has no Anthropic API key")
    model, small = (one.id_at(ModelProvider.ANTHROPIC, "") for one in models)
    upstream = Upstream(given.get("ANTHROPIC_BASE_URL", DEFAULT_URL).rstrip("/"), settings.network_environment)
    return ModelAccess(AnthropicApi(upstream, given["ANTHROPIC_API_KEY"], frozenset({model, small})), model, small)


def _on_bedrock(
    settings: WorkerSettings,
    models: tuple[Model, Model],
    own_profiles: Mapping[str, str],
    region: str,
    credentials: Callable[[], Any],
) -> ModelAccess:
    if settings.model_geography not in contract()["models"]["geographies"]:
        raise ModelUnavailableError("WEBORDINARY_MODEL_GEOGRAPHY is not set to a geography of Bedrock's profiles")
    model, small = (one.id_at(ModelProvider.BEDROCK, settings.model_geography) for one in models)
    address = settings.model_environment.get(
        "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", f"https://bedrock-runtime.{region}.amazonaws.com"
    )
    upstream = Upstream(address.rstrip("/"), settings.network_environment)
    ids = {one.name: one.id_at(ModelProvider.BEDROCK, settings.model_geography) for one in models}
    profiles = {ids[name]: arn for name, arn in own_profiles.items() if name in ids}
    return ModelAccess(BedrockApi(upstream, region, frozenset({model, small}), credentials, profiles), model, small)
