"""A running model proxy, as the agent's process gets one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.model_api import KEY
from webordinary.tables.projects import ProjectConfig
from webordinary_worker.agent.agent import Agent
from webordinary_worker.confinement.processes import Confinement
from webordinary_worker.proxies.anthropic_api import AnthropicApi
from webordinary_worker.proxies.model_access import open_model
from webordinary_worker.proxies.model_api import ModelApi
from webordinary_worker.proxies.model_proxy import ModelProxy
from webordinary_worker.proxies.upstream import Upstream
from webordinary_worker.settings import WorkerSettings

MODEL = "claude-sonnet-4-5"


@contextmanager
def running_proxy(api: ModelApi, budget: float) -> Iterator[ModelProxy]:
    proxy = ModelProxy(api)
    proxy.meter.grant(budget)
    try:
        yield proxy
    finally:
        proxy.stop()


def anthropic_at(url: str, models: tuple[str, ...] = (MODEL,)) -> AnthropicApi:
    return AnthropicApi(Upstream(url), KEY, frozenset(models))


def agent_of(settings: WorkerSettings, confinement: Confinement) -> Agent:
    """An agent with the settings' model, as for a project that chooses none."""
    project = ProjectConfig(project_id="bakery", domain="", repository="", preview_url="")
    return Agent(settings, confinement, lambda: open_model(settings, project, "eu-west-1", lambda: None))
