"""After the deployment, no step can turn the job's success into a failure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.world import World
from tests.unit.worker.small_site import FIRST, SmallSite, run_job
from webordinary.contract.outcomes import Result
from webordinary_worker.jobs.pair_tools import PairTools


def fail(*_: Any, **__: Any) -> Any:
    raise RuntimeError("an unexpected error")


def failing_comparison(site: SmallSite, tools: PairTools) -> PairTools:
    site.is_new = True
    preview = tools.preview

    def without_comparison(thread: str) -> Any:
        made = preview(thread)
        made.compare_builds = fail  # type: ignore[method-assign]
        return made

    return replace(tools, preview=without_comparison)


def failing_transcripts(site: SmallSite, tools: PairTools) -> PairTools:
    site.sessions.store = fail  # type: ignore[method-assign]
    return tools


def failing_next_agent(site: SmallSite, tools: PairTools) -> PairTools:
    site.sessions.reset_home = fail  # type: ignore[method-assign]
    return tools


def failing_warm_start(_site: SmallSite, tools: PairTools) -> PairTools:
    warm: Any = SimpleNamespace(
        start_build_cache_restore=lambda *_: None,
        wait_for_packages=lambda: None,
        wait_for_build_cache=lambda *_: None,
        store_packages=fail,
    )
    return replace(tools, warm_start=warm)


@pytest.mark.parametrize("breaking", [failing_comparison, failing_transcripts, failing_next_agent, failing_warm_start])
def test_deployed_change_is_reported_as_done(
    site: SmallSite, world: World, breaking: Callable[[SmallSite, PairTools], PairTools]
) -> None:
    tools = breaking(site, site.worker())

    outcome = run_job(world.job(instruction="second line"), tools)

    assert (outcome.result, outcome.preview_url is not None) == (Result.CHANGED, True)
    assert site.preview_page == site.page() == FIRST + "second line\n"
