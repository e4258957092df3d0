"""Jobs whose worker died after it had pushed: the next worker completes them instead of doing them again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.world import PAIR, THREAD, World
from tests.unit.worker.small_site import PAGE, SmallSite, add_a_line, carry_out, job_run
from webordinary.platform.messages import Command, Job, Result
from webordinary.protocol.worker.run import CancelReason, JobCancelledError
from webordinary.tables.ownership import OwnershipLostError
from webordinary_worker.agent_result import AgentResult
from webordinary_worker.commit_messages import commit_message, interrupted_message


class DiedError(BaseException):
    """What a SIGKILL is to the code that runs: nothing after it happens."""


def die_after_the_push(job: Job, site: SmallSite) -> None:
    def die(_site: Path) -> None:
        raise DiedError

    shows, site.deploy = site.deploy, die
    with pytest.raises(DiedError):
        carry_out(job, site.worker())
    site.deploy = shows


def test_what_was_pushed_before_a_death_is_deployed_by_the_next_worker(site: SmallSite, world: World) -> None:
    job = world.job()
    die_after_the_push(job, site)

    outcome = carry_out(job, site.worker())

    assert site.shown == site.page()
    assert outcome.preview_url is not None


def test_what_was_pushed_before_a_death_is_not_done_again(site: SmallSite, world: World) -> None:
    job = world.job()
    die_after_the_push(job, site)

    carry_out(job, site.worker())

    assert len(site.subjects()) == 1
    assert len(site.turns) == 1


def test_the_answer_to_a_completed_job_says_what_was_changed(site: SmallSite, world: World) -> None:
    job = world.job(instruction="Add a line.")
    die_after_the_push(job, site)

    outcome = carry_out(job, site.worker())

    assert (outcome.result, outcome.subject, outcome.changed_files) == (Result.CHANGED, "Add a line.", (PAGE,))


def test_an_undo_that_died_after_its_push_takes_back_one_change_and_not_two(site: SmallSite, world: World) -> None:
    carry_out(world.job("mail-1", instruction="second line"), site.worker())
    carry_out(world.job("mail-2", instruction="third line"), site.worker())
    undo = world.job("mail-3", command=Command.UNDO)
    die_after_the_push(undo, site)

    outcome = carry_out(undo, site.worker())

    assert site.page() == "first line\nsecond line\n"
    assert (outcome.result, outcome.subject) == (Result.UNDONE, "third line")


def test_a_job_stopped_between_its_commit_and_its_push_is_published_when_it_resumes(
    site: SmallSite, world: World
) -> None:
    job, tools = world.job(), site.worker()

    def interrupt_at_the_end(tree: Path) -> Path:
        interrupted.cancel(CancelReason.INTERRUPTED)
        return tree

    builds, site.build = site.build, interrupt_at_the_end
    interrupted = job_run(job, tools)
    with pytest.raises(JobCancelledError):
        interrupted.run(after_interrupted=False)
    site.build = builds
    assert site.subjects() == []

    outcome = carry_out(job, tools)

    assert outcome.preview_url is not None
    assert site.shown == site.page()


def test_partial_work_of_an_interrupted_job_is_not_taken_for_the_whole(world: World) -> None:
    job = world.job()

    trailers = {line for line in commit_message(job).splitlines() if job.job_id in line}

    assert trailers.isdisjoint(interrupted_message(job).splitlines())


def die_after_the_work_was_kept(job: Job, site: SmallSite) -> None:
    """It had done all of it, was interrupted, has pushed that, and could tell nobody."""

    def work(prompt: str, tree: Path) -> AgentResult:
        run.cancel(CancelReason.INTERRUPTED)
        return add_a_line(prompt, tree)

    usual, site.agent = site.agent, work
    run = job_run(job, site.worker())
    with pytest.raises(JobCancelledError):
        run.run(after_interrupted=False)
    run.keep_partial_work()
    site.agent = usual


def find_nothing_to_do(_prompt: str, _tree: Path) -> AgentResult:
    return AgentResult(summary="It is already there.")


def test_a_job_of_which_all_was_kept_when_it_was_interrupted_is_shown_and_told_as_its_change(
    site: SmallSite, world: World
) -> None:
    job = world.job(instruction="second line")
    die_after_the_work_was_kept(job, site)
    site.agent = find_nothing_to_do

    outcome = carry_out(job, site.worker())

    assert "It was begun before" in site.turns[-1].prompt
    assert site.shown == site.page() == "first line\nsecond line\n"
    assert (outcome.result, outcome.subject, outcome.changed_files) == (Result.CHANGED, "second line", (PAGE,))
    assert outcome.preview_url is not None
    assert site.subjects() == ["second line", "interrupted: second line"]


def test_what_was_kept_is_completed_once_and_taken_back_as_one_change(site: SmallSite, world: World) -> None:
    job = world.job("mail-1", instruction="second line")
    die_after_the_work_was_kept(job, site)
    site.agent = find_nothing_to_do
    die_after_the_push(job, site)

    outcome = carry_out(job, site.worker())
    assert outcome.changed_files == (PAGE,)
    assert site.subjects() == ["second line", "interrupted: second line"]

    outcome = carry_out(world.job("mail-2", command=Command.UNDO), site.worker())
    assert (outcome.result, outcome.subject) == (Result.UNDONE, "second line")
    assert site.page() == "first line\n"
    assert carry_out(world.job("mail-3", command=Command.UNDO), site.worker()).result == Result.NOTHING_TO_UNDO


def test_what_another_mail_left_half_done_is_not_this_ones_change(site: SmallSite, world: World) -> None:
    die_after_the_work_was_kept(world.job("mail-1", instruction="second line"), site)
    site.agent = find_nothing_to_do

    outcome = carry_out(world.job("mail-2"), site.worker())

    assert outcome.result == Result.NOTHING_CHANGED
    assert "It was begun before" not in site.turns[-1].prompt


def test_a_worker_that_lost_its_pair_does_not_push_on_top_of_its_successor(site: SmallSite, world: World) -> None:
    job = world.job()
    sleeper = site.worker().workspace.open(THREAD)
    (sleeper.folder / "page-of-the-sleeper.txt").write_text("woke up too late")
    sleeper.commit(commit_message(job))
    still_mine = iter([None])  # when it begins to push; then it sleeps, and its successor does the job

    def lease() -> None:
        if next(still_mine, job) is not None:
            raise OwnershipLostError(PAIR, 1)

    carry_out(job, site.worker())
    with pytest.raises(OwnershipLostError):
        sleeper.push(lease)

    assert len(site.subjects()) == 1
