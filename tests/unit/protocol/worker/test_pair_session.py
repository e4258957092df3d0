"""A session handles the messages of its pair's input queue; tables and queues are in memory."""

from __future__ import annotations

import json

import pytest
from botocore.exceptions import BotoCoreError

from tests.support.brokered import TASK
from tests.support.host import QUICK, ManualHost, ScriptedRun, Work
from tests.support.world import PAIR, World
from webordinary.aws.queues import ReceivedMessage
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.ownership import Interrupt
from webordinary.contract.messages.report import WorkerReport
from webordinary.contract.outcomes import Failure, Result
from webordinary.protocol.worker.lease import Lease
from webordinary.protocol.worker.pair_session import (
    UNREADABLE_SECONDS,
    Ended,
    PairSession,
)
from webordinary.protocol.worker.run import CancelReason
from webordinary.tables.items import to_values
from webordinary.tables.jobs import JobState

OTHER_THREAD = "b" * 26


class Owner:
    """A worker that owns the pair."""

    def __init__(self, world: World, *works: Work) -> None:
        self.world = world
        self.host = ManualHost(world)
        self.host.works = list(works)
        self.ownership = world.ownership.claim(PAIR, TASK)
        self.fence = self.ownership.fence
        self.lease = Lease(
            world.ownership, self.ownership, QUICK, claim_sent_at=self.host.now, monotonic=self.host.monotonic
        )
        self.session = PairSession(self.host, self.host.access(), self.lease)

    def serve(self) -> Ended:
        return self.session.serve()

    def reports(self) -> list[WorkerReport]:
        return [WorkerReport.read(body) for body in self.world.waiting("output")]

    def outcomes(self) -> list[tuple[str, str]]:
        return [(report.job_id, report.outcome.state) for report in self.reports() if report.outcome]

    def interrupted_by(self, newer: Job) -> Work:
        """Work during which a newer mail arrives."""

        def work(run: ScriptedRun) -> Outcome:
            running = run._job
            dispatch(self.world, newer)
            interrupt = Interrupt(
                pair=PAIR,
                running_job_id=running.job_id,
                newer_job_id=newer.job_id,
                same_thread=running.thread_id == newer.thread_id,
                sent_at=self.world.clock(),
            )
            self.world.queues.send("interrupts", interrupt, pair=PAIR)
            assert self.host.interrupts is not None
            self.host.interrupts.poll(0)
            return Outcome(state="done")

        return work


def dispatch(world: World, job: Job, deduplication_id: str | None = None) -> None:
    world.jobs.record(job, "token")
    send(world, job, deduplication_id or job.job_id)


def send(world: World, job: Job, deduplication_id: str) -> None:
    world.queues.send_in_order("input", job, group=PAIR.key, deduplication_id=deduplication_id, pair=PAIR)


def cancelled(reason: CancelReason) -> Work:
    def work(run: ScriptedRun) -> Outcome:
        run.cancel(reason)
        return Outcome(state="done")

    return work


# ── single jobs ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_job_is_run_and_reported_and_its_message_deleted(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)

    assert owner.serve() == Ended.IDLE
    assert [(report.job_id, report.fence) for report in owner.reports()] == [("mail-1", owner.fence)]
    assert world.waiting("input", PAIR) == []


def test_renewal_during_a_job_stores_its_cost_so_far(world: World) -> None:
    for job_id in ("mail-1", "mail-2"):
        dispatch(world, world.job(job_id))
    owner, stored = Owner(world), list[float | None]()

    def spend(run: ScriptedRun) -> Outcome:
        for dollars in (0.0, 0.25):
            owner.host.dollars_so_far = dollars
            owner.lease.renew()
            stored.append(world.ownership.inspect(PAIR).dollars_so_far(run._job.job_id, owner.fence))
        return Outcome(state="done")

    owner.host.works = [spend, spend]
    owner.serve()

    assert stored == [0.0, 0.25, 0.0, 0.25]
    assert world.ownership.inspect(PAIR).dollars_so_far("mail-1", owner.fence) is None


def test_idle_time_counts_from_the_end_of_the_last_job(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)

    def long_work(_: ScriptedRun) -> Outcome:
        owner.host.now += QUICK.idle_seconds + 1
        send(world, world.job("mail-2"), "mail-2")
        world.jobs.record(world.job("mail-2"), "token")
        return Outcome(state="done")

    owner.host.works = [long_work]
    owner.serve()

    assert owner.host.ran == ["mail-1", "mail-2"]


def published(_: ScriptedRun) -> Outcome:
    return Outcome(state="done", result=Result.PUBLISHED)


def test_worker_leaves_at_once_after_a_publish(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)
    owner.host.works = [published]
    before = owner.host.now

    assert owner.serve() == Ended.IDLE
    assert owner.host.now - before <= 1


def test_mail_that_waits_already_is_served_after_a_publish(world: World) -> None:
    for job_id in ("mail-1", "mail-2"):
        dispatch(world, world.job(job_id))
    owner = Owner(world)
    owner.host.works = [published]

    owner.serve()

    assert owner.host.ran == ["mail-1", "mail-2"]


def test_worker_stays_longer_after_a_question(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)
    owner.host.works = [lambda _: Outcome(state="done", result=Result.ASKED)]
    before = owner.host.now

    owner.serve()

    assert owner.host.now - before >= QUICK.idle_after_question_seconds


def test_report_is_sent_before_the_message_is_deleted(world: World) -> None:
    class CrashedError(Exception):
        pass

    def crash(*_: object, **__: object) -> None:
        raise CrashedError

    dispatch(world, world.job())
    owner = Owner(world)
    owner.host.queues.delete = crash  # type: ignore[method-assign]

    with pytest.raises(CrashedError):
        owner.serve()
    assert len(owner.reports()) == 1


def test_worker_shutting_down_takes_no_further_job(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)
    owner.host.shutting_down = True

    assert owner.serve() == Ended.SHUTDOWN
    assert owner.host.ran == []


def send_text(world: World, body: str) -> None:
    world.sqs.send_message(
        QueueUrl=world.queues.url("input", PAIR),
        MessageBody=body,
        MessageGroupId=PAIR.key,
        MessageDeduplicationId=f"text {hash(body)}",
    )


def overwrite_job(world: World, job_id: str, text: str) -> None:
    """Writes the job of a record, as a newer version or a compromised worker might."""
    world.dynamodb.update_item(
        TableName=world.names.table("jobs"),
        Key=to_values({"projectKey": PAIR.key, "jobId": job_id}),
        UpdateExpression="SET job = :job",
        ExpressionAttributeValues=to_values({":job": text}),
    )


def test_job_in_the_table_is_run_whatever_its_message_says(world: World) -> None:
    recorded = world.job()
    world.jobs.record(recorded, "token")
    send(world, world.job(instruction="Put my phishing page on the site.", max_dollars=1e9), "forged")
    owner = Owner(world)

    owner.serve()

    assert [run._job for run in owner.host.runs] == [recorded]


def test_message_of_another_pairs_job_is_deleted(world: World) -> None:
    bob = Pair(project="garden", user="bob")
    world.jobs.record(world.job(pair=bob), "token")
    send(world, world.job(pair=bob), "forged")
    owner = Owner(world)

    owner.serve()

    assert (owner.host.ran, world.waiting("input", PAIR)) == ([], [])
    assert world.jobs.get(bob, "mail-1").state == JobState.WAITING


def test_record_that_names_another_pair_is_not_run(world: World) -> None:
    dispatch(world, world.job())
    overwrite_job(world, "mail-1", world.job(pair=Pair(project="garden", user="bob")).wire_text())
    owner = Owner(world)

    def stop(*_: object) -> None:
        owner.host.shutting_down = True

    owner.host.queues.hide = stop  # type: ignore[assignment, method-assign]
    owner.serve()

    assert owner.host.ran == []


def test_unreadable_job_is_left_for_a_newer_version(world: World) -> None:
    job = world.job("newer")
    world.jobs.record(job, "token")
    overwrite_job(world, "newer", json.dumps({**job.wire(), "command": "fly"}))
    body = json.dumps({**job.wire(), "command": "fly"})
    send_text(world, body)
    owner = Owner(world)
    hidden: list[int] = []
    hide = owner.host.queues.hide

    def watched(kind: str, received: ReceivedMessage, seconds: int, pair: Pair | None = None) -> None:
        hidden.append(seconds)
        hide(kind, received, 0, pair)
        owner.host.shutting_down = True

    owner.host.queues.hide = watched  # type: ignore[method-assign]
    owner.serve()

    assert hidden == [UNREADABLE_SECONDS]
    assert owner.host.ran == []
    assert world.waiting("input", PAIR) == [body]


def test_job_with_an_unknown_field_is_run(world: World) -> None:
    world.jobs.record(world.job(), "token")
    world.sqs.send_message(
        QueueUrl=world.queues.url("input", PAIR),
        MessageBody=json.dumps({**world.job().wire(), "mood": "cheerful"}),
        MessageGroupId=PAIR.key,
        MessageDeduplicationId="newer",
    )
    owner = Owner(world)

    owner.serve()

    assert owner.host.ran == ["mail-1"]


def test_unexpected_error_is_reported_and_partial_work_discarded(world: World) -> None:
    def fail(_: ScriptedRun) -> Outcome:
        raise ZeroDivisionError

    dispatch(world, world.job())
    owner = Owner(world, fail)

    owner.serve()

    outcomes = [report.outcome for report in owner.reports()]
    assert [outcome.failure for outcome in outcomes if outcome] == [Failure.INTERNAL]
    assert owner.host.runs[0].discarded


def test_lease_is_marked_active_only_while_a_job_runs(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)
    busy: list[bool] = []

    def record_busy(_: ScriptedRun) -> Outcome:
        busy.append(owner.lease.busy)
        return Outcome(state="done")

    owner.host.works = [record_busy]
    owner.serve()

    assert [*busy, owner.lease.busy] == [True, False]


# ── jobs that this fence may not start ──────────────────────────────────────────────────────────────────────────────


def test_message_of_a_finished_job_is_deleted(world: World) -> None:
    dispatch(world, world.job())
    world.jobs.conclude(PAIR, "mail-1", Outcome(state="failed", failure=Failure.TIMED_OUT))
    owner = Owner(world)

    owner.serve()

    assert owner.host.ran == []
    assert world.waiting("input", PAIR) == []


def test_message_of_an_unrecorded_job_is_deleted(world: World) -> None:
    send(world, world.job(), "mail-1")
    owner = Owner(world)

    owner.serve()

    assert owner.host.ran == []
    assert world.waiting("input", PAIR) == []


def test_duplicate_message_of_a_reported_job_is_deleted(world: World) -> None:
    dispatch(world, world.job())
    send(world, world.job(), "a second message")
    owner = Owner(world)

    owner.serve()

    assert owner.host.ran == ["mail-1"]
    assert world.waiting("input", PAIR) == []


def test_job_whose_start_response_was_lost_is_started_again(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)
    world.jobs.start(PAIR, "mail-1", owner.fence)  # the response was lost

    owner.serve()

    assert owner.host.ran == ["mail-1"]


def test_job_requeued_by_a_function_needs_a_new_claim(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)
    world.jobs.start(PAIR, "mail-1", owner.fence)
    world.jobs.requeue(PAIR, "mail-1", owner.fence)

    assert owner.serve() == Ended.NEEDS_NEW_CLAIM
    assert len(world.waiting("input", PAIR)) == 1


def test_job_started_by_a_greater_fence_loses_the_pair(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)
    world.jobs.start(PAIR, "mail-1", owner.fence + 1)

    assert owner.serve() == Ended.LOST


# ── cancelled jobs ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_worker_without_its_lease_reports_nothing(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)

    def lose(_: ScriptedRun) -> Outcome:
        owner.lease.lose()
        return Outcome(state="done")

    owner.host.works = [lose]

    assert owner.serve() == Ended.LOST
    assert owner.reports() == []
    assert world.jobs.get(PAIR, "mail-1").state == JobState.RUNNING


def test_lease_lost_during_the_last_step_reports_nothing(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)

    def too_slow(_: ScriptedRun) -> Outcome:
        owner.host.now += QUICK.lease_seconds
        return Outcome(state="done")

    owner.host.works = [too_slow]

    assert owner.serve() == Ended.LOST
    assert owner.reports() == []


def test_shutdown_requeues_the_job_and_makes_its_message_visible(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)

    def shut_down(_: ScriptedRun) -> Outcome:
        owner.host.shutting_down = True
        owner.session.cancel_running(CancelReason.SHUTDOWN)
        return Outcome(state="done")

    owner.host.works = [shut_down]

    assert owner.serve() == Ended.SHUTDOWN
    assert world.jobs.get(PAIR, "mail-1").state == JobState.WAITING
    assert len(world.waiting("input", PAIR)) == 1
    assert owner.reports() == []


def test_shutdown_before_the_start_cancels_the_job(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)
    start = world.jobs.start

    def shut_down_then_start(pair: Pair, job_id: str, fence: int) -> object:
        owner.host.shutting_down = True
        return start(pair, job_id, fence)

    world.jobs.start = shut_down_then_start  # type: ignore[method-assign, assignment]

    assert owner.serve() == Ended.SHUTDOWN
    assert owner.host.runs[0].cancelled is CancelReason.SHUTDOWN


def test_lease_lost_before_the_start_runs_nothing(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)
    start = world.jobs.start

    def slow_start(pair: Pair, job_id: str, fence: int) -> object:
        owner.host.now += QUICK.lease_seconds
        return start(pair, job_id, fence)

    world.jobs.start = slow_start  # type: ignore[method-assign, assignment]

    assert owner.serve() == Ended.LOST
    assert owner.host.ran == []


def test_cancel_after_the_job_does_nothing(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)

    owner.serve()
    owner.session.cancel_running(CancelReason.SHUTDOWN)

    assert owner.host.runs[0].cancelled is None


def test_timed_out_job_is_reported_and_its_work_discarded(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)

    def too_long(_: ScriptedRun) -> Outcome:
        owner.host.running.time_is_up()
        return Outcome(state="done")

    owner.host.works = [too_long]
    owner.serve()

    outcomes = [report.outcome for report in owner.reports()]
    assert [outcome.failure for outcome in outcomes if outcome] == [Failure.TIMED_OUT]
    assert owner.host.runs[0].discarded


def test_cancelled_job_ended_by_a_function_leaves_no_message(world: World) -> None:
    dispatch(world, world.job())

    def ended_outside(run: ScriptedRun) -> Outcome:
        world.jobs.conclude(PAIR, "mail-1", Outcome(state="failed", failure=Failure.TIMED_OUT))
        run.cancel(CancelReason.SHUTDOWN)
        return Outcome(state="done")

    owner = Owner(world, ended_outside)
    owner.serve()

    assert world.waiting("input", PAIR) == []


def test_cancelled_job_run_by_a_greater_fence_loses_the_pair(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)

    def taken_over(_: ScriptedRun) -> Outcome:
        world.jobs.requeue(PAIR, "mail-1", owner.fence)
        world.jobs.start(PAIR, "mail-1", owner.fence + 1)
        owner.host.shutting_down = True
        owner.session.cancel_running(CancelReason.SHUTDOWN)
        return Outcome(state="done")

    owner.host.works = [taken_over]

    assert owner.serve() == Ended.LOST
    assert world.jobs.get(PAIR, "mail-1").state == JobState.RUNNING


# ── interrupts ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_newer_job_of_the_thread_preempts_the_running_one(world: World) -> None:
    older, newer = world.job("older"), world.job("newer")
    dispatch(world, older)
    owner = Owner(world)
    owner.host.works = [owner.interrupted_by(newer)]

    owner.serve()

    ends = [report.outcome for report in owner.reports() if report.outcome]
    assert [(end.state, end.went_to, end.stopped_by) for end in ends] == [
        ("preempted", "newer", None),
        ("done", None, None),
    ]


def test_stopped_job_names_the_stop_job_and_is_not_run_again(world: World) -> None:
    dispatch(world, world.job("older"))
    owner = Owner(world)

    def stopped(run: ScriptedRun) -> Outcome:
        owner.host.running.interrupt = Interrupt(
            pair=PAIR, running_job_id="older", newer_job_id="stop", same_thread=True, stop=True, sent_at=world.clock()
        )
        run.cancel(CancelReason.INTERRUPTED)
        return Outcome(state="done")

    owner.host.works = [stopped]
    owner.serve()

    (outcome,) = [report.outcome for report in owner.reports() if report.outcome]
    assert outcome is not None
    assert (outcome.state, outcome.went_to, outcome.stopped_by) == ("preempted", None, "stop")


def test_interrupted_job_of_another_thread_runs_after_the_newer_one(world: World) -> None:
    older, newer = world.job("older"), world.job("newer", thread_id=OTHER_THREAD)
    dispatch(world, older)
    owner = Owner(world)
    owner.host.works = [owner.interrupted_by(newer)]

    owner.serve()

    assert owner.host.ran == ["older", "newer", "older"]
    assert owner.outcomes() == [("newer", "done"), ("older", "done")]
    assert world.waiting("input", PAIR) == []


def test_job_interrupted_twice_is_not_lost(world: World) -> None:
    older = world.job("older")
    dispatch(world, older)
    owner = Owner(world)
    first, second = world.job("first", thread_id=OTHER_THREAD), world.job("second", thread_id=OTHER_THREAD)
    done: Work = lambda _: Outcome(state="done")  # noqa: E731
    owner.host.works = [owner.interrupted_by(first), done, owner.interrupted_by(second)]

    owner.serve()

    assert owner.host.ran == ["older", "first", "older", "second", "older"]


def test_interrupted_job_runs_again_at_once_if_the_newer_job_is_gone(world: World) -> None:
    dispatch(world, world.job("older"))
    owner = Owner(world)

    def interrupt_only(run: ScriptedRun) -> Outcome:
        owner.host.running.interrupt = Interrupt(
            pair=PAIR, running_job_id="older", newer_job_id="never", same_thread=False, sent_at=world.clock()
        )
        run.cancel(CancelReason.INTERRUPTED)
        return Outcome(state="done")

    owner.host.works = [interrupt_only]
    owner.serve()

    assert owner.host.ran == ["older", "older"]
    assert owner.outcomes() == [("older", "done")]


def test_interrupted_job_is_sent_again_before_its_message_is_deleted(world: World) -> None:
    class CrashedError(Exception):
        pass

    def crash(*_: object, **__: object) -> None:
        raise CrashedError

    dispatch(world, world.job("older"))
    owner = Owner(world)
    newer = world.job("newer", thread_id=OTHER_THREAD)
    interrupted = owner.interrupted_by(newer)

    def interrupt_then_crash_at_delete(run: ScriptedRun) -> Outcome:
        outcome = interrupted(run)
        owner.host.queues.delete = crash  # type: ignore[method-assign]
        return outcome

    owner.host.works = [interrupt_then_crash_at_delete]
    with pytest.raises(CrashedError):
        owner.serve()

    world.queues.hide("input", owner.host.running.message, 0, PAIR)
    assert [Job.read(body).job_id for body in world.waiting("input", PAIR)] == ["older", "newer", "older"]


def test_stale_interrupt_is_deleted(world: World) -> None:
    stale = Interrupt(
        pair=PAIR, running_job_id="long-over", newer_job_id="mail-1", same_thread=True, sent_at=world.clock()
    )
    world.queues.send("interrupts", stale, pair=PAIR)
    dispatch(world, world.job())
    owner = Owner(world)

    def listen(_: ScriptedRun) -> Outcome:
        assert owner.host.interrupts is not None
        owner.host.interrupts.poll(0)
        return Outcome(state="done")

    owner.host.works = [listen]
    owner.serve()

    assert owner.outcomes() == [("mail-1", "done")]
    assert world.waiting("interrupts", PAIR) == []


def test_unreadable_interrupt_is_left_in_its_queue(world: World) -> None:
    url = world.queues.url("interrupts", PAIR)
    world.sqs.send_message(QueueUrl=url, MessageBody="{}")
    owner = Owner(world)
    owner.serve()
    assert owner.host.interrupts is not None

    owner.host.interrupts.poll(0)

    counted = world.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["ApproximateNumberOfMessagesNotVisible"])
    assert counted["Attributes"]["ApproximateNumberOfMessagesNotVisible"] == "1"


def test_failure_to_keep_partial_work_does_not_delay_the_newer_job(world: World) -> None:
    def conflict() -> str | None:
        raise ZeroDivisionError

    older, newer = world.job("older"), world.job("newer")
    dispatch(world, older)
    owner = Owner(world)
    owner.host.works = [owner.interrupted_by(newer)]
    owner.host.partial_work = conflict

    owner.serve()

    assert owner.outcomes() == [("older", "preempted"), ("newer", "done")]
    assert owner.host.runs[0].discarded


# ── heartbeats ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_heartbeat_hides_the_message_and_is_reported(world: World) -> None:
    dispatch(world, world.job())
    owner = Owner(world)
    hidden: list[tuple[str, int]] = []
    hide = owner.host.queues.hide

    def watched(kind: str, received: ReceivedMessage, seconds: int, pair: Pair | None = None) -> None:
        hidden.append((kind, seconds))
        hide(kind, received, seconds, pair)

    def beat(_: ScriptedRun) -> Outcome:
        owner.host.queues.hide = watched  # type: ignore[method-assign]
        owner.host.running.beat()
        return Outcome(state="done")

    owner.host.works = [beat]
    owner.serve()

    assert hidden == [("input", QUICK.input_visibility_seconds)]
    assert [report.kind for report in owner.reports()] == ["heartbeat", "finished"]


@pytest.mark.parametrize("error", [ZeroDivisionError(), BotoCoreError()])
def test_heartbeat_that_cannot_hide_the_message_is_still_reported(world: World, error: Exception) -> None:
    dispatch(world, world.job())
    owner = Owner(world)
    hide = owner.host.queues.hide

    def fails(*_: object) -> None:
        raise error

    def beat_twice(_: ScriptedRun) -> Outcome:
        owner.host.queues.hide = fails  # type: ignore[method-assign, assignment]
        owner.host.running.beat()
        owner.host.queues.hide = hide  # type: ignore[method-assign]
        owner.host.running.beat()
        return Outcome(state="done")

    owner.host.works = [beat_twice]
    owner.serve()

    assert [report.kind for report in owner.reports()] == ["heartbeat", "heartbeat", "finished"]
