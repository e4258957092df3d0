"""Jobs whose worker died after the push: the next worker completes them without a second run of the agent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.world import PAIR, THREAD, World
from tests.unit.worker.small_site import PAGE, SmallSite, crash_after_push, job_run, run_job
from webordinary.contract.outcomes import Command, Result
from webordinary.protocol.worker.run import CancelReason, JobCancelledError
from webordinary.tables.ownership import OwnershipLostError
from webordinary_worker.jobs.commit_messages import commit_message, interrupted_message


def test_next_worker_deploys_a_commit_pushed_before_a_crash(site: SmallSite, world: World) -> None:
    job = world.job()
    crash_after_push(job, site)

    outcome = run_job(job, site.worker())

    assert site.preview_page == site.page()
    assert outcome.preview_url is not None


def test_commit_pushed_before_a_crash_is_not_repeated(site: SmallSite, world: World) -> None:
    job = world.job()
    crash_after_push(job, site)

    run_job(job, site.worker())

    assert len(site.subjects()) == 1
    assert len(site.turns) == 1


def test_completed_job_reports_its_changes(site: SmallSite, world: World) -> None:
    job = world.job(instruction="Add a line.")
    crash_after_push(job, site)

    outcome = run_job(job, site.worker())

    assert (outcome.result, outcome.subject, outcome.changed_files) == (Result.CHANGED, "Add a line.", (PAGE,))


def test_undo_repeated_after_a_crash_reverts_one_change_only(site: SmallSite, world: World) -> None:
    run_job(world.job("mail-1", instruction="second line"), site.worker())
    run_job(world.job("mail-2", instruction="third line"), site.worker())
    undo = world.job("mail-3", command=Command.UNDO)
    crash_after_push(undo, site)

    outcome = run_job(undo, site.worker())

    assert site.page() == "first line\nsecond line\n"
    assert (outcome.result, outcome.subject) == (Result.UNDONE, "third line")


def test_job_stopped_between_commit_and_push_is_pushed_when_it_resumes(site: SmallSite, world: World) -> None:
    job, tools = world.job(), site.worker()

    def interrupt_at_the_end(tree: Path) -> Path:
        interrupted.cancel(CancelReason.INTERRUPTED)
        return tree

    builds, site.build = site.build, interrupt_at_the_end
    interrupted = job_run(job, tools)
    with pytest.raises(JobCancelledError):
        interrupted.run()
    site.build = builds
    assert site.subjects() == []

    outcome = run_job(job, tools)

    assert outcome.preview_url is not None
    assert site.preview_page == site.page()


def test_partial_work_is_not_taken_for_the_finished_job(world: World) -> None:
    job = world.job()

    trailers = {line for line in commit_message(job, "Hours").splitlines() if job.job_id in line}

    assert trailers.isdisjoint(interrupted_message(job).splitlines())


def test_worker_without_its_lease_does_not_push_over_the_next_owner(site: SmallSite, world: World) -> None:
    job = world.job()
    paused = site.worker().workspace.open(THREAD)
    (paused.folder / "page-of-the-paused.txt").write_text("resumed too late")
    paused.commit(commit_message(job, "Hours"))
    checks = iter([None])  # valid at the start of the push; then the worker pauses and its successor runs the job

    def check_lease() -> None:
        if next(checks, job) is not None:
            raise OwnershipLostError(PAIR, 1)

    run_job(job, site.worker())
    with pytest.raises(OwnershipLostError):
        paused.push(check_lease)

    assert len(site.subjects()) == 1
