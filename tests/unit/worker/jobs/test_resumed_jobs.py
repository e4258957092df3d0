"""Interrupted jobs that resume: their partial work becomes part of their one change, or is reverted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.world import World
from tests.unit.worker.small_site import (
    FIRST,
    PAGE,
    SmallSite,
    cancelled,
    crash_after_push,
    failing_build,
    interrupt,
    job_run,
    run_job,
    tree_of,
    undo,
)
from webordinary.contract.outcomes import Failure, Result
from webordinary.protocol.worker.run import CancelReason, JobCancelledError
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.agent.statement import Statement, StatementKind

OTHER = "other.txt"


def find_nothing_to_do(_prompt: str, _tree: Path) -> AgentResult:
    return AgentResult(summary="It is already there.")


def add_a_file(_prompt: str, tree: Path) -> AgentResult:
    (tree / OTHER).write_text("more")
    return AgentResult(summary="I did the rest.")


def ask(_prompt: str, _tree: Path) -> AgentResult:
    return AgentResult(statement=Statement(kind=StatementKind.QUESTION, question="Which of the two?", language="en"))


def test_resumed_job_with_nothing_left_to_do_is_reported_as_its_change(site: SmallSite, world: World) -> None:
    job = world.job(instruction="second line")
    interrupt(job, site)
    site.agent = find_nothing_to_do

    outcome = run_job(job, site.worker())

    assert "This request was started before" in site.turns[-1].prompt
    assert site.preview_page == site.page() == FIRST + "second line\n"
    assert (outcome.result, outcome.subject, outcome.changed_files) == (Result.CHANGED, "second line", (PAGE,))
    assert outcome.preview_url is not None


def test_resumed_job_is_completed_once_and_undone_as_one_change(site: SmallSite, world: World) -> None:
    job = world.job("mail-1", instruction="second line")
    interrupt(job, site)
    site.agent = find_nothing_to_do
    crash_after_push(job, site)

    outcome = run_job(job, site.worker())
    assert outcome.changed_files == (PAGE,)
    assert site.subjects() == ["second line", "resumed: partial work", "interrupted: second line"]

    outcome = run_job(undo(world, "mail-2"), site.worker())
    assert (outcome.result, outcome.subject) == (Result.UNDONE, "second line")
    assert site.page() == FIRST
    assert run_job(undo(world, "mail-3"), site.worker()).result == Result.NOTHING_TO_UNDO


def test_partial_work_and_the_rest_are_one_change(site: SmallSite, world: World) -> None:
    job = world.job("mail-1", instruction="second line")
    interrupt(job, site)
    site.agent = add_a_file

    outcome = run_job(job, site.worker())

    assert outcome.changed_files == (OTHER, PAGE)
    assert (site.page(), site.page(OTHER)) == (FIRST + "second line\n", "more")
    run_job(undo(world, "mail-2"), site.worker())
    assert site.page() == FIRST
    assert run_job(undo(world, "mail-3"), site.worker()).result == Result.NOTHING_TO_UNDO


def test_prompt_does_not_list_partial_work_as_an_earlier_change(site: SmallSite, world: World) -> None:
    job = world.job(instruction="second line")
    interrupt(job, site)

    run_job(job, site.worker())

    assert "interrupted:" not in site.turns[-1].prompt


@pytest.mark.parametrize("workers", [1, 3])
def test_job_interrupted_again_loses_nothing(site: SmallSite, world: World, workers: int) -> None:
    job = world.job(instruction="second line")
    first, *others = [site.worker() for _ in range(workers)]
    second, third = others or (first, first)
    interrupt(job, site, first)
    site.agent = add_a_file
    interrupt(job, site, second)
    site.agent = find_nothing_to_do

    outcome = run_job(job, third)

    assert outcome.changed_files == (OTHER, PAGE)
    assert site.preview_page == FIRST + "second line\n"


def test_shutdown_leaves_partial_work_to_the_next_worker(site: SmallSite, world: World) -> None:
    job, leaving = world.job(instruction="second line"), site.worker()
    interrupt(job, site, leaving)
    cancelled(job, site, leaving, CancelReason.SHUTDOWN)
    site.agent = find_nothing_to_do

    for worker in (site.worker(), leaving):  # or to itself, if it gets the job again
        outcome = run_job(job, worker)
        assert (outcome.result, outcome.changed_files) == (Result.CHANGED, (PAGE,))


def test_resumed_job_that_asks_leaves_no_change(site: SmallSite, world: World) -> None:
    job = world.job(instruction="second line")
    interrupt(job, site)
    site.agent = ask

    outcome = run_job(job, site.worker())

    assert outcome.result == Result.ASKED
    assert site.page() == FIRST


def test_resumed_job_that_fails_leaves_no_change(site: SmallSite, world: World) -> None:
    job = world.job(instruction="second line")
    interrupt(job, site)
    site.agent, site.build = find_nothing_to_do, failing_build

    outcome = run_job(job, site.worker())

    assert outcome.failure == Failure.BUILD_FAILED
    assert site.page() == FIRST


def test_resumed_job_that_times_out_leaves_no_change(site: SmallSite, world: World) -> None:
    job = world.job(instruction="second line")
    interrupt(job, site)

    cancelled(job, site, site.worker(), CancelReason.TIMED_OUT).discard_partial_work()

    assert site.page() == FIRST


def test_question_is_asked_even_if_the_push_of_the_revert_fails(site: SmallSite, world: World) -> None:
    job = world.job(instruction="second line")
    interrupt(job, site)

    def ask_with_pushes_rejected(prompt: str, tree: Path) -> AgentResult:
        hook = site.remote / "hooks" / "pre-receive"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\necho not now >&2\nexit 1\n")
        hook.chmod(0o755)
        return ask(prompt, tree)

    site.agent = ask_with_pushes_rejected

    assert run_job(job, site.worker()).result == Result.ASKED


def test_partial_work_with_later_commits_stays_a_commit(site: SmallSite, world: World) -> None:
    job = world.job(instruction="second line")
    interrupt(job, site)
    rewritten = FIRST + "second line, rewritten\n"
    site.push_as_developer(PAGE, rewritten)
    site.agent = add_a_file

    outcome = run_job(job, site.worker())

    assert "This request was started before" in site.turns[-1].prompt
    assert outcome.changed_files == (OTHER,)
    assert site.page() == rewritten


def test_manually_reverted_partial_work_is_not_restored(site: SmallSite, world: World) -> None:
    job = world.job(instruction="second line")
    interrupt(job, site)
    site.push_as_developer(PAGE, FIRST)
    site.agent = find_nothing_to_do

    assert run_job(job, site.worker()).result == Result.NOTHING_CHANGED
    assert "This request was started before" not in site.turns[-1].prompt
    assert site.page() == FIRST


def test_interrupted_undo_keeps_no_partial_work(site: SmallSite, world: World) -> None:
    run_job(world.job("mail-1", instruction="second line"), site.worker())
    job, tools = undo(world, "mail-2"), site.worker()

    def interrupted_build(_tree: Path) -> Path:
        run.cancel(CancelReason.INTERRUPTED)
        raise JobCancelledError(CancelReason.INTERRUPTED)

    builds, site.build = site.build, interrupted_build
    run = job_run(job, tools)
    with pytest.raises(JobCancelledError):
        run.run()
    assert run.keep_partial_work() is None
    site.build = builds

    assert run_job(job, tools).result == Result.UNDONE
    assert site.page() == site.preview_page == FIRST
    assert tree_of(tools).commits().active_changes() == []
