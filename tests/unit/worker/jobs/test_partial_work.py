"""A job without its lease pushes nothing, and an interrupted job keeps its partial work."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.world import THREAD, World
from tests.unit.worker.small_site import (
    FIRST,
    PAGE,
    SmallSite,
    append_line,
    job_run,
    lose_lease,
    run_job,
    tree_of,
)
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Command, Failure
from webordinary.protocol.worker.run import CancelReason, JobCancelledError
from webordinary.tables.ownership import OwnershipLostError
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.jobs.job_run import JobRun
from webordinary_worker.jobs.pair_tools import PairTools


def test_worker_without_its_lease_pushes_and_deploys_nothing(site: SmallSite, tools: PairTools, world: World) -> None:
    with pytest.raises(OwnershipLostError):
        run_job(world.job(), tools, lose_lease)

    assert (site.subjects(), site.preview_page) == ([], None)


def test_push_command_without_the_lease_pushes_nothing(site: SmallSite, tools: PairTools, world: World) -> None:
    with pytest.raises(OwnershipLostError):
        run_job(world.job(command=Command.PUSH), tools, lose_lease)

    assert site.subjects() == []


def test_job_cancelled_before_its_start_does_not_run_the_agent(site: SmallSite, tools: PairTools, world: World) -> None:
    run = job_run(world.job(), tools)
    run.cancel(CancelReason.SHUTDOWN)

    with pytest.raises(JobCancelledError):
        run.run()
    assert (site.turns, site.sessions.stored) == ([], [])


def test_job_cancelled_during_the_agents_turn_is_not_built(site: SmallSite, tools: PairTools, world: World) -> None:
    def interrupted(prompt: str, tree: Path) -> AgentResult:
        run.cancel(CancelReason.INTERRUPTED)
        return append_line(prompt, tree)

    site.agent = interrupted
    run = job_run(world.job(), tools)

    with pytest.raises(JobCancelledError):
        run.run()
    assert site.builds == 0


def interrupted_job(site: SmallSite, tools: PairTools, world: World, *, after: str = "") -> JobRun:
    def work(prompt: str, tree: Path) -> AgentResult:
        run.cancel(CancelReason.INTERRUPTED)
        return append_line(prompt, tree) if after else AgentResult()

    site.agent = work
    run = job_run(world.job(instruction=after or "nothing"), tools)
    with pytest.raises(JobCancelledError):
        run.run()
    return run


def test_partial_work_is_pushed_with_the_transcript(site: SmallSite, tools: PairTools, world: World) -> None:
    run = interrupted_job(site, tools, world, after="half a line")

    commit = run.keep_partial_work()

    assert commit == site.head()
    assert site.subjects() == ["interrupted: half a line"]
    assert site.sessions.stored == [THREAD]


def test_job_without_changes_hands_its_request_over(site: SmallSite, tools: PairTools, world: World) -> None:
    run = interrupted_job(site, tools, world)

    assert run.keep_partial_work() is None
    assert run.outcome_preempted(None).handed_over
    assert (site.subjects(), site.page()) == (["interrupted: nothing"], FIRST)


def test_partial_work_is_not_pushed_without_the_lease(site: SmallSite, tools: PairTools, world: World) -> None:
    tree_of(tools)
    run = job_run(world.job(), tools, lose_lease)

    def interrupted(prompt: str, tree: Path) -> AgentResult:
        run.cancel(CancelReason.INTERRUPTED)
        return append_line(prompt, tree)

    site.agent = interrupted
    with pytest.raises(JobCancelledError):
        run.run()

    with pytest.raises(OwnershipLostError):
        run.keep_partial_work()
    assert site.subjects() == []


def test_partial_work_can_be_discarded(site: SmallSite, tools: PairTools, world: World) -> None:
    run = interrupted_job(site, tools, world, after="half a line")

    run.discard_partial_work()

    assert (tree_of(tools).folder / PAGE).read_text() == FIRST


def test_job_that_has_not_started_has_no_partial_work(tools: PairTools, world: World) -> None:
    run = job_run(world.job(), tools)

    run.discard_partial_work()

    assert run.keep_partial_work() is None


def test_preempted_job_reports_the_commit_of_its_partial_work(tools: PairTools, world: World) -> None:
    outcome: Outcome = job_run(world.job(), tools).outcome_preempted("c0ffee")

    assert (outcome.state, outcome.commit, outcome.summary) == ("preempted", "c0ffee", "")


def test_failed_job_reports_the_error_name_as_detail(tools: PairTools, world: World) -> None:
    outcome = job_run(world.job(), tools).outcome_failed(Failure.INTERNAL, "KeyError")

    assert (outcome.state, outcome.failure, outcome.detail) == ("failed", Failure.INTERNAL, "KeyError")
