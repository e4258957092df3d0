"""What a worker does with a message of its pair's input queue, over tables and queues in memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from tests.support.world import PAIR, World
from webordinary.platform.messages import Failure, Job, Outcome, Pair, WorkerReport
from webordinary.platform.queues import Queues, Received
from webordinary.tables.jobs import JobState
from webordinary_worker.lease import LeaseKeeper
from webordinary_worker.serving import Ended, PairService
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.stopping import Stop, StoppedError, StopReason
from webordinary_worker.watch import Reports

TIMING = '{"long_poll_seconds": 0, "idle_seconds": 0.5, "lease_seconds": 60}'


class Run:
    """Stands in for a job's work: does what a test says."""

    def __init__(self, work: Callable[[], Outcome]) -> None:
        self.run = work

    def keep_partial_work(self) -> str | None:
        return "0123abcd"

    def discard_partial_work(self) -> None:
        pass

    def outcome_preempted(self, commit: str | None) -> Outcome:
        return Outcome(state="preempted", commit=commit)

    def outcome_failed(self, failure: Failure, sentence: str) -> Outcome:
        return Outcome(state="failed", failure=failure, summary=sentence)


class Owner:
    """A worker that owns the pair; its jobs do `work`."""

    def __init__(self, world: World, queues: Queues | None = None) -> None:
        self.world = world
        self.ran: list[str] = []
        self.work: Callable[[], Outcome] = lambda: Outcome(state="done")
        self.stop: Stop | None = None
        environment = {"WORKSPACE": "/w", "CACHE": "/c", "NODE_FOLDER": "/n", "CONTAINER_ID": "worker-1"}
        environment |= {"ACCOUNT": world.names.account, "TIMING": TIMING}
        settings = WorkerSettings.load({f"WEBORDINARY_{name}": value for name, value in environment.items()})
        ownership = world.ownership.claim(PAIR, "worker-1")
        self.fence = ownership.fence
        self.lease = LeaseKeeper(world.ownership, ownership, settings.timing, claim_sent_at=time.monotonic())
        self.queues = queues or world.queues
        self.shutdown = threading.Event()
        self.service = PairService(
            settings,
            self.lease,
            self.queues,
            world.jobs,
            Reports(self.queues, ownership, "worker-1", world.clock),
            self._start,
            self.shutdown,
            before_job=lambda: None,
        )

    def _start(self, job: Job, stop: Stop, after_interrupted: bool) -> Run:  # noqa: ARG002
        self.ran.append(job.job_id)
        self.stop = stop
        return Run(self.work)

    def reports(self) -> list[WorkerReport]:
        return [WorkerReport.read(body) for body in self.world.waiting("output")]


def dispatch(world: World, job: Job) -> None:
    world.jobs.record(job, "token")
    world.queues.send_in_order("input", job, group=PAIR.key, deduplication_id=job.job_id, pair=PAIR)


def test_a_job_is_run_reported_and_its_message_deleted(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)

    assert owner.service.serve() == Ended.IDLE
    assert [(report.job_id, report.fence) for report in owner.reports()] == [("mail-1", owner.fence)]
    assert world.waiting("input", PAIR) == []


def test_the_report_is_sent_before_the_message_is_deleted(world: World) -> None:
    class Crashed(Exception):  # noqa: N818
        pass

    class CrashingBeforeDelete(Queues):
        def delete(self, kind: str, received: Received, pair: Pair | None = None) -> None:  # noqa: ARG002
            raise Crashed

    dispatch(world, world.job())
    owner = Owner(world, CrashingBeforeDelete(world.sqs, world.names))

    with pytest.raises(Crashed):
        owner.service.serve()
    assert len(owner.reports()) == 1


def test_a_message_of_a_job_that_is_over_is_deleted_without_running_it(world: World) -> None:
    dispatch(world, world.job())
    world.jobs.conclude(PAIR, "mail-1", Outcome(state="failed", failure=Failure.TIMED_OUT))
    owner = Owner(world)

    owner.service.serve()

    assert owner.ran == []
    assert world.waiting("input", PAIR) == []


def test_a_job_that_was_reported_a_moment_ago_is_not_run_again(world: World) -> None:
    dispatch(world, world.job())
    world.queues.send_in_order("input", world.job(), group=PAIR.key, deduplication_id="a second message", pair=PAIR)
    owner = Owner(world)

    owner.service.serve()

    assert owner.ran == ["mail-1"]


def test_a_job_whose_start_was_written_but_not_answered_is_started_again(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)
    world.jobs.start(PAIR, "mail-1", owner.fence)  # and the answer was lost on its way

    owner.service.serve()

    assert owner.ran == ["mail-1"]


def test_a_job_that_was_requeued_from_outside_needs_a_new_claim(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)
    world.jobs.start(PAIR, "mail-1", owner.fence)
    world.jobs.requeue(PAIR, "mail-1", owner.fence)

    assert owner.service.serve() == Ended.NEEDS_NEW_CLAIM


def test_a_failure_that_nobody_foresaw_is_still_answered(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)

    def fail() -> Outcome:
        raise ZeroDivisionError

    owner.work = fail
    owner.service.serve()

    outcomes = [report.outcome for report in owner.reports()]
    assert [outcome.failure for outcome in outcomes if outcome] == [Failure.INTERNAL]


def test_a_worker_that_lost_its_lease_reports_nothing(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)

    def lose() -> Outcome:
        owner.service.stop_running(StopReason.LOST)
        raise StoppedError(StopReason.LOST)

    owner.work = lose

    assert owner.service.serve() == Ended.LOST
    assert owner.reports() == []
    assert world.jobs.get(PAIR, "mail-1").state == JobState.RUNNING


def test_a_job_stopped_by_a_shutdown_waits_for_a_successor(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)

    def told_to_go() -> Outcome:
        owner.shutdown.set()
        raise StoppedError(StopReason.SHUTDOWN)

    owner.work = told_to_go

    assert owner.service.serve() == Ended.SHUTDOWN
    assert world.jobs.get(PAIR, "mail-1").state == JobState.WAITING
    assert len(world.waiting("input", PAIR)) == 1


def test_a_job_that_took_too_long_is_answered(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)

    def too_long() -> Outcome:
        raise StoppedError(StopReason.TIMED_OUT)

    owner.work = too_long
    owner.service.serve()

    outcomes = [report.outcome for report in owner.reports()]
    assert [outcome.failure for outcome in outcomes if outcome] == [Failure.TIMED_OUT]


def test_a_body_that_is_no_job_is_dropped(world: World) -> None:
    world.sqs.send_message(
        QueueUrl=world.queues.url("input", PAIR),
        MessageBody="{}",
        MessageGroupId=PAIR.key,
        MessageDeduplicationId="poison",
    )
    dispatch(world, world.job())
    owner = Owner(world)

    owner.service.serve()

    assert owner.ran == ["mail-1"]
