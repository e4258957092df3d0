"""The sweep checks every open job once a minute, so that no single lost message can strand a mail.

| finding | action |
|---|---|
| a job that ended without its execution being notified | notifies it |
| a running job whose owner is dead or replaced | requeues it and sends its message again |
| a waiting job | sends a heartbeat for its token; requests a worker if the pair has no live owner |
| a waiting job whose message was lost | sends the message again |
| an open job whose project or user was removed | ends it: its sender gets a reply |
| a waiting job without a worker (the breaker is open) | ends it: its sender gets a reply |
| a second attempt that is due | starts its execution |
| a dead letter | ends its job, or relays its report once more |
| a message of a finished job, left by a dead worker | deletes it |
| the queues of a pair that has been quiet for long | deletes them |
| a record whose job is not the one of its key, or that ended without an outcome | ends it: a worker wrote it |
| an unreadable record, or a failure | counts it and continues with the next |

An unreadable record gets no heartbeat: its execution times out, and the reply function answers.

Workers may write records of their own pair and messages in their own queue. So the pair of a job is the one of its key,
a dead letter of a worker counts for a pair that it owns, and each pair has a share of a sweep (`turns`).

Open jobs are checked in parallel, those of one pair in order. A sweep that runs out of time stores its position in
the index, and the next one continues there: a heartbeat lasts for many sweeps. Everything else comes first and has a
share of each sweep (`run.SHARE`), so that it does not wait for the jobs. All actions are conditional or idempotent, so
two concurrent sweeps do no harm.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from itertools import islice
from typing import Self, TypeVar

from webordinary.aws import clients
from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.parallel import RunAll, in_threads, one_by_one
from webordinary.aws.queue_provisioning import PairQueues, QueueNotReadyError
from webordinary.aws.queues import Queues
from webordinary.aws.telemetry import count, logger
from webordinary.contract.messages.base import Message, Pair
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.ownership import RequestVerdict
from webordinary.contract.outcomes import Failure
from webordinary.contract.settings import SweepSettings
from webordinary.protocol.task_tokens import TaskTokens
from webordinary.protocol.worker_requests import WorkerRequests
from webordinary.steps.relay_callback import RelayCallback
from webordinary.steps.sweep.dead_letters import DeadLetters
from webordinary.steps.sweep.orphaned_messages import OrphanedMessages
from webordinary.steps.sweep.quiet_queues import QuietQueues
from webordinary.steps.sweep.run import SweepRun
from webordinary.steps.sweep.second_attempts import SecondAttemptStarter
from webordinary.steps.sweep.turns import Record, Turns
from webordinary.tables.idempotency import IdempotencyTable, Purpose
from webordinary.tables.items import MILLISECOND, milliseconds
from webordinary.tables.jobs import JobRecord, JobsTable, JobState, StaleReportError, UnreadableJob
from webordinary.tables.ownership import OwnershipTable
from webordinary.tables.pauses import Pauses
from webordinary.tables.projects import ProjectConfigs
from webordinary.tables.second_attempts import SecondAttempts
from webordinary.tables.sweep_notes import SweepNote, SweepNotes

# The relay notifies the execution shortly after the end of a job; only older jobs are stuck.
STUCK_AFTER = timedelta(seconds=20)
# A dispatch records the job before it sends the message, and SQS counts with a delay: an empty queue means a lost
# message only if the job has not changed for longer.
LOST_AFTER = timedelta(seconds=90)
DEDUPLICATION_MILLISECONDS = 300_000  # SQS drops a second message with the same id within this time
CHECKPOINT = "checkpoint"
PARALLEL_CHECKS = 16
BATCH = 100  # jobs between two checks of the remaining time
SOME_OF = 10  # one job beyond its pair's share is checked for each ten within the share

# Counters of what was wrong and is right again.
REPAIRS = ("settled", "requeued", "sent_again", "forged", "dead_letters", "orphaned_messages")

T = TypeVar("T")

PROJECT_GONE = Outcome(state="failed", failure=Failure.PROJECT_GONE)
NO_WORKER = Outcome(state="failed", failure=Failure.NO_WORKER)
FORGED = Outcome(state="failed", failure=Failure.INTERNAL)


class SweepResult(Message):
    """What one sweep did. `complete` is false if it ran out of time."""

    looked_at: int = 0
    settled: int = 0
    requeued: int = 0
    sent_again: int = 0
    project_gone: int = 0
    unreadable: int = 0
    forged: int = 0
    left_out: int = 0
    not_done: int = 0
    beats: int = 0
    claims: int = 0
    given_up: int = 0
    dead_letters: int = 0
    orphaned_messages: int = 0
    quiet_queues: int = 0
    second_attempts: int = 0
    complete: bool = True


@dataclass(frozen=True)
class Sweep:
    jobs: JobsTable
    ownership: OwnershipTable
    worker_requests: WorkerRequests
    queues: Queues
    tokens: TaskTokens
    checkpoints: IdempotencyTable
    projects: ProjectConfigs
    relay: RelayCallback
    quiet: QuietQueues | None = None
    second_attempts: SecondAttemptStarter | None = None
    clock: Clock = utc_now
    pauses: Pauses | None = None
    run_all: RunAll = one_by_one
    batch: int = 1

    @classmethod
    def from_settings(cls, settings: SweepSettings) -> Self:
        dynamodb, names, timing = clients.dynamodb(), settings.names, settings.timing
        pair_queues = PairQueues(clients.sqs(), names, timing, settings.kms_key_arn)
        jobs, queues = JobsTable(dynamodb, names), Queues(clients.sqs(), names, pair_queues.ensure)
        ownership, checkpoints = OwnershipTable(dynamodb, names, timing), IdempotencyTable(dynamodb, names)
        return cls(
            jobs=jobs,
            ownership=ownership,
            worker_requests=WorkerRequests.from_settings(settings),
            queues=queues,
            tokens=TaskTokens(clients.stepfunctions(), jobs),
            checkpoints=checkpoints,
            projects=ProjectConfigs(dynamodb, names),
            relay=RelayCallback.from_settings(settings),
            quiet=QuietQueues(pair_queues, queues, jobs, ownership, checkpoints, timing),
            second_attempts=SecondAttemptStarter(
                SecondAttempts(dynamodb, names), clients.stepfunctions(), names, settings.state_machine_arn
            ),
            pauses=Pauses(dynamodb, names),
            run_all=in_threads(PARALLEL_CHECKS),
            batch=BATCH,
        )

    def run(self, has_time: Callable[[], bool]) -> SweepResult:
        is_paused = self.pauses.remembered() if self.pauses is not None else None
        with self.worker_requests.in_bulk(is_paused) as worker_requests:
            run = SweepRun(has_time, self.clock, self.projects, worker_requests, is_paused or _is_never_paused)
            self._do_other_tasks(run)
            complete = self._check_jobs(run)
        run.isolated(None, partial(self._note, run, complete))
        if not complete:
            count("Sweep.incomplete")
        for name, number in run.tally.items():
            count(f"Sweep.{name}", number)
        return SweepResult(**run.tally, complete=complete)

    def _note(self, run: SweepRun, complete: bool) -> None:
        repaired = sum(run.tally[name] for name in REPAIRS)
        note = SweepNote(ended_at=self.clock(), complete=complete, repaired=repaired, not_done=run.tally["not_done"])
        SweepNotes(self.checkpoints).store(note)

    # ── tasks with a share of each sweep ────────────────────────────────────────────────────────────────────────

    def _do_other_tasks(self, run: SweepRun) -> None:
        DeadLetters(self.queues, self.tokens, self.relay).drain(run)
        if self.second_attempts is not None:
            run.isolated(None, partial(self._start_second_attempts, run, self.second_attempts))
        run.isolated(None, partial(self._delete_orphans, run))
        if self.quiet is not None:
            run.isolated(None, partial(self._delete_quiet_queues, run, self.quiet))

    def _start_second_attempts(self, run: SweepRun, second_attempts: SecondAttemptStarter) -> None:
        has_time = run.own_share()
        for records in _batches(second_attempts.due(), self.batch):
            if not has_time():
                return
            self.run_all([partial(self._start_second_attempt, run, second_attempts, record) for record in records])

    def _start_second_attempt(self, run: SweepRun, second_attempts: SecondAttemptStarter, record: JobRecord) -> None:
        def start() -> None:
            run.add("second_attempts", int(second_attempts.start(record, run.is_paused)))

        run.isolated(record.pair, start)

    def _delete_orphans(self, run: SweepRun) -> None:
        orphans = OrphanedMessages(self.ownership, self.jobs, self.queues)
        run.add("orphaned_messages", orphans.delete(run.own_share()))

    def _delete_quiet_queues(self, run: SweepRun, quiet: QuietQueues) -> None:
        run.add("quiet_queues", quiet.delete(run.own_share()))

    # ── open jobs ───────────────────────────────────────────────────────────────────────────────────────────────

    def _check_jobs(self, run: SweepRun) -> bool:
        started_at = position = self.checkpoints.recall(Purpose.SWEEP, CHECKPOINT)
        turns, number = Turns(), int(self.clock().timestamp()) // 60
        for records in _batches(self.jobs.open_jobs(after=started_at), self.batch):
            due = [record for record in records if turns.is_next(record)]
            if due and not run.has_time():
                if position is not None:
                    self.checkpoints.remember(Purpose.SWEEP, CHECKPOINT, position)
                return False
            self._check_all(run, due)
            self._check_all(run, turns.some(len(due) // SOME_OF, number))
            position = records[-1].received_at
        if started_at is not None:
            self.checkpoints.forget(Purpose.SWEEP, CHECKPOINT)  # the next sweep starts with the oldest job
        run.add("left_out", turns.left_out)
        # Few at a time: if all are of one pair, they are checked one after the other.
        for records in _batches(turns.later(number), min(self.batch, PARALLEL_CHECKS)):
            if not run.has_time():
                return False
            self._check_all(run, records)
        return True

    def _check_all(self, run: SweepRun, records: Iterable[Record]) -> None:
        """Checks records in parallel, those of one pair in order: their messages are sent in order."""
        of_pair: dict[Pair | None, list[Record]] = defaultdict(list)
        for record in records:
            of_pair[record.pair].append(record)
        self.run_all([partial(self._check_in_order, run, same_pair) for same_pair in of_pair.values()])

    def _check_in_order(self, run: SweepRun, records: Iterable[Record]) -> None:
        for record in records:
            self._check(run, record)

    def _check(self, run: SweepRun, record: Record) -> None:
        run.add("looked_at")
        if isinstance(record, JobRecord):
            run.isolated(record.pair, partial(self._check_job, run, record))
        elif record.is_foreign and record.pair is not None:
            run.isolated(record.pair, partial(self._end_forged, run, record.pair, record))
        else:
            run.add("unreadable")

    def _check_job(self, run: SweepRun, record: JobRecord) -> None:
        # Read after the record, for each record: with an older read a live owner could lose its job.
        ownership = self.ownership.inspect(record.pair)
        alive = ownership.is_live(self.clock(), self.ownership.clock_margin)
        if record.state.is_final:
            self._settle_if_stuck(run, record)
        elif record.state == JobState.RUNNING and alive and ownership.fence == record.fence:
            pass  # its worker sends the heartbeats
        elif not run.is_onboarded(record.pair):
            self.tokens.conclude(record.job, PROJECT_GONE)
            run.add("project_gone")
        else:
            if record.state == JobState.RUNNING:
                self._requeue(run, record)
            elif not run.is_paused(record.pair.project):  # else no worker would receive it
                self._send_again_if_lost(run, record)
            self._keep_waiting(run, record, alive=alive)

    def _settle_if_stuck(self, run: SweepRun, record: JobRecord) -> None:
        stuck = record.updated_at < milliseconds(self.clock() - STUCK_AFTER)
        if record.outcome is None:  # a function writes the final state and the outcome at once
            run.add("forged")
            record = record._replace(state=JobState.FAILED, outcome=FORGED)
        if stuck and self.tokens.settle(record):
            run.add("settled")

    def _end_forged(self, run: SweepRun, pair: Pair, record: UnreadableJob) -> None:
        """Removes the record from the open jobs. If a mail waits for it, its execution times out and is answered."""
        self.jobs.close_unreadable(pair, record.job_id, FORGED)
        count("ForgedJobs")
        run.add("forged")

    def _requeue(self, run: SweepRun, record: JobRecord) -> None:
        job, fence = record.job, record.fence or 0
        # The message may be lost with the dead owner; if it is not, the duplicate finds the job taken and is deleted.
        # Sent first: a sweep that dies in between must not leave a waiting job without a message.
        self.queues.send_in_order(
            "input", job, group=job.pair.key, deduplication_id=f"{job.job_id}-after-{fence}", pair=job.pair
        )
        try:
            self.jobs.requeue(job.pair, job.job_id, fence)
        except StaleReportError:
            return  # it changed since the index was read
        run.add("requeued")

    def _send_again_if_lost(self, run: SweepRun, record: JobRecord) -> None:
        now, job = milliseconds(self.clock()), record.job
        if now - record.updated_at < LOST_AFTER / MILLISECOND or not self.queues.is_empty("input", job.pair):
            return  # a message in flight counts: it belongs to the running job, or to this one
        # Two concurrent sweeps send one message. A superfluous one finds the job taken and is deleted.
        number = now // DEDUPLICATION_MILLISECONDS
        with suppress(QueueNotReadyError):  # the next sweep sends it
            self.queues.send_in_order(
                "input", job, group=job.pair.key, deduplication_id=f"{job.job_id}-lost-{number}", pair=job.pair
            )
            run.add("sent_again")

    def _keep_waiting(self, run: SweepRun, record: JobRecord, *, alive: bool) -> None:
        if self.tokens.beat(record):
            run.add("beats")
        if alive or run.is_paused(record.pair.project):
            return
        job = record.job
        # The broker drops a request without a listed job.
        prepare = partial(self.jobs.list_unfinished, job.pair, job.job_id)
        verdict = run.worker_requests.request(job.pair, job.job_id, prepare).verdict
        if verdict == RequestVerdict.SENT:
            run.add("claims")
        elif verdict == RequestVerdict.BREAKER_OPEN:
            logger().error("Sweep ended a waiting job: no worker for its pair.", extra={"pair": job.pair.key})
            self.tokens.conclude(job, NO_WORKER)
            run.add("given_up")


def _batches(records: Iterable[T], size: int) -> Iterator[list[T]]:
    source = iter(records)
    while batch := list(islice(source, size)):
        yield batch


def _is_never_paused(_: str) -> bool:
    return False
