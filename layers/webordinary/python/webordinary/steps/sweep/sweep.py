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

A sweep that runs out of time stores its place in the index, and the next one continues there. All its actions are
conditional or idempotent, so two concurrent sweeps do no harm.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from typing import Self

from webordinary.aws import clients
from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.queue_provisioning import PairQueues, QueueNotReadyError
from webordinary.aws.queues import Queues, ReceivedMessage
from webordinary.aws.telemetry import count, logger
from webordinary.contract.errors import InvalidMessageError, UnknownJobError
from webordinary.contract.messages.base import Message, Pair
from webordinary.contract.messages.job import JobReference
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.ownership import RequestVerdict
from webordinary.contract.messages.report import UnreadableReport
from webordinary.contract.outcomes import Failure
from webordinary.contract.settings import SweepSettings
from webordinary.protocol.task_tokens import TaskTokens
from webordinary.protocol.worker_requests import WorkerRequests
from webordinary.steps.relay_callback import RelayCallback
from webordinary.steps.sweep.orphaned_messages import OrphanedMessages
from webordinary.steps.sweep.quiet_queues import QuietQueues
from webordinary.steps.sweep.second_attempts import SecondAttemptStarter
from webordinary.steps.sweep.turns import Record, Turns
from webordinary.tables.idempotency import IdempotencyTable, Purpose
from webordinary.tables.items import MILLISECOND, milliseconds
from webordinary.tables.jobs import (
    JobRecord,
    JobsTable,
    JobState,
    StaleReportError,
    UnreadableJob,
    UnreadableJobError,
)
from webordinary.tables.ownership import OwnershipTable
from webordinary.tables.pauses import Pauses
from webordinary.tables.projects import ProjectConfigs
from webordinary.tables.second_attempts import SecondAttempts

# The relay notifies the execution shortly after the end of a job; only older jobs are stuck.
STUCK_AFTER = timedelta(seconds=20)
# A dispatch records the job before it sends the message, and SQS counts with a delay: an empty queue means a lost
# message only if the job has not changed for longer.
LOST_AFTER = timedelta(seconds=90)
DEDUPLICATION_MILLISECONDS = 300_000  # SQS drops a second message with the same id within this time
UNREADABLE_SECONDS = 3600
CHECKPOINT = "checkpoint"

PROJECT_GONE = Outcome(state="failed", failure=Failure.PROJECT_GONE)
NO_WORKER = Outcome(state="failed", failure=Failure.NO_WORKER)
DEAD_LETTER = Outcome(state="failed", failure=Failure.INTERNAL)
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
class _Run:
    """The time limit and the counters of one sweep."""

    has_time: Callable[[], bool]
    tally: Counter[str] = field(default_factory=Counter)


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
                SecondAttempts(dynamodb, names),
                Pauses(dynamodb, names),
                clients.stepfunctions(),
                names,
                settings.state_machine_arn,
            ),
        )

    def run(self, has_time: Callable[[], bool]) -> SweepResult:
        run = _Run(has_time)
        complete = self._check_jobs(run) and self._drain_dead_letters(run)
        if self.second_attempts is not None:
            self._isolated(run, None, partial(self._start_second_attempts, run, self.second_attempts))
        self._isolated(run, None, partial(self._delete_orphans, run))
        if self.quiet is not None and complete:
            self._delete_quiet_queues(run, self.quiet)
        if not complete:
            count("Sweep.incomplete")
        for name, number in run.tally.items():
            count(f"Sweep.{name}", number)
        return SweepResult(**run.tally, complete=complete)

    def _check_jobs(self, run: _Run) -> bool:
        started_at = position = self.checkpoints.recall(Purpose.SWEEP, CHECKPOINT)
        turns = Turns()
        for record in self.jobs.open_jobs(after=started_at):
            if turns.is_next(record):
                if not run.has_time():
                    if position is not None:
                        self.checkpoints.remember(Purpose.SWEEP, CHECKPOINT, position)
                    return False
                self._check(run, record)
            position = record.received_at
        if started_at is not None:
            self.checkpoints.forget(Purpose.SWEEP, CHECKPOINT)  # the next sweep starts with the oldest job
        run.tally["left_out"] += turns.left_out
        for record in turns.later(int(self.clock().timestamp()) // 60):
            if not run.has_time():
                return False
            self._check(run, record)
        return True

    def _check(self, run: _Run, record: Record) -> None:
        run.tally["looked_at"] += 1
        if isinstance(record, JobRecord):
            self._isolated(run, record.pair, partial(self._check_job, run, record))
        elif record.is_foreign and record.pair is not None:
            self._isolated(run, record.pair, partial(self._end_forged, run, record.pair, record))
        else:
            run.tally["unreadable"] += 1

    def _drain_dead_letters(self, run: _Run) -> bool:
        handlers = {
            "input_dead_letters": self._end_dead_job,
            "output_dead_letters": self._relay_again,
            "unclaimed_dead_letters": _ignore,
        }
        for kind, handle in handlers.items():
            self._isolated(run, None, partial(self._drain, run, kind, handle))
        return run.has_time()

    def _delete_quiet_queues(self, run: _Run, quiet: QuietQueues) -> None:
        def delete() -> None:
            run.tally["quiet_queues"] += quiet.delete(run.has_time)

        self._isolated(run, None, delete)

    def _start_second_attempts(self, run: _Run, second_attempts: SecondAttemptStarter) -> None:
        for record in second_attempts.due():
            if not run.has_time():
                return
            self._isolated(run, record.pair, partial(self._start_second_attempt, run, second_attempts, record))

    def _start_second_attempt(self, run: _Run, second_attempts: SecondAttemptStarter, record: JobRecord) -> None:
        run.tally["second_attempts"] += second_attempts.start(record)

    def _delete_orphans(self, run: _Run) -> None:
        run.tally["orphaned_messages"] += OrphanedMessages(self.ownership, self.jobs, self.queues).delete(run.has_time)

    def _isolated(self, run: _Run, pair: Pair | None, action: Callable[[], object]) -> None:
        """Counts and logs a failure, so that one tenant's failure does not affect the others."""
        try:
            action()
        except Exception as error:
            logger().error("Sweep skipped a record.", extra={"pair": pair.key if pair else None, "cause": repr(error)})
            run.tally["not_done"] += 1

    def _check_job(self, run: _Run, record: JobRecord) -> None:
        # Read after the record, for each record: with an older read a live owner could lose its job.
        ownership = self.ownership.inspect(record.pair)
        alive = ownership.is_live(self.clock(), self.ownership.clock_margin)
        if record.state.is_final:
            self._settle_if_stuck(run, record)
        elif record.state == JobState.RUNNING and alive and ownership.fence == record.fence:
            pass  # its worker sends the heartbeats
        elif not self.projects.has(record.pair):
            self.tokens.conclude(record.job, PROJECT_GONE)
            run.tally["project_gone"] += 1
        else:
            if record.state == JobState.RUNNING:
                self._requeue(run, record)
            else:
                self._send_again_if_lost(run, record)
            self._keep_waiting(run, record, alive=alive)

    def _settle_if_stuck(self, run: _Run, record: JobRecord) -> None:
        stuck = record.updated_at < milliseconds(self.clock() - STUCK_AFTER)
        if record.outcome is None:  # a function writes the final state and the outcome at once
            run.tally["forged"] += 1
            record = replace(record, state=JobState.FAILED, outcome=FORGED)
        if stuck and self.tokens.settle(record):
            run.tally["settled"] += 1

    def _end_forged(self, run: _Run, pair: Pair, record: UnreadableJob) -> None:
        """Removes the record from the open jobs. If a mail waits for it, its execution times out and is answered."""
        self.jobs.close_unreadable(pair, record.job_id, FORGED)
        count("ForgedJobs")
        run.tally["forged"] += 1

    def _requeue(self, run: _Run, record: JobRecord) -> None:
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
        run.tally["requeued"] += 1

    def _send_again_if_lost(self, run: _Run, record: JobRecord) -> None:
        now, job = milliseconds(self.clock()), record.job
        if now - record.updated_at < LOST_AFTER / MILLISECOND or not self.queues.is_empty("input", job.pair):
            return  # a message in flight counts: it belongs to the running job, or to this one
        # Two concurrent sweeps send one message. A superfluous one finds the job taken and is deleted.
        number = now // DEDUPLICATION_MILLISECONDS
        with suppress(QueueNotReadyError):  # the next sweep sends it
            self.queues.send_in_order(
                "input", job, group=job.pair.key, deduplication_id=f"{job.job_id}-lost-{number}", pair=job.pair
            )
            run.tally["sent_again"] += 1

    def _keep_waiting(self, run: _Run, record: JobRecord, *, alive: bool) -> None:
        if self.tokens.beat(record):
            run.tally["beats"] += 1
        if alive:
            return
        job = record.job
        verdict = self.worker_requests.request(job.pair, job.job_id).verdict
        if verdict == RequestVerdict.SENT:
            run.tally["claims"] += 1
        elif verdict == RequestVerdict.BREAKER_OPEN:
            logger().error("Sweep ended a waiting job: no worker for its pair.", extra={"pair": job.pair.key})
            self.tokens.conclude(job, NO_WORKER)
            run.tally["given_up"] += 1

    def _drain(self, run: _Run, kind: str, handle: Callable[[ReceivedMessage], bool]) -> None:
        """Handles dead letters one by one. Those that this version cannot handle stay in the queue."""
        while run.has_time():
            letter = self.queues.receive(kind, wait_seconds=0, visibility_seconds=60)
            if letter is None:
                return
            run.tally["dead_letters"] += 1
            if handle(letter):
                self.queues.delete(kind, letter)
            else:
                count("UnreadableMessages")
                self.queues.hide(kind, letter, UNREADABLE_SECONDS)

    def _end_dead_job(self, letter: ReceivedMessage) -> bool:
        """Ends the job that a dead letter names. All pairs share this queue, and a worker may send to its own."""
        try:
            self._end_job(JobReference.read(letter.body), letter.sender_id)
        except (InvalidMessageError, UnknownJobError) as error:
            # It belongs to no job. Left in the queue it would delay the letters that do.
            logger().error(str(error), extra={"sender": letter.sender_id})
            count("PoisonMessages")
        return True

    def _end_job(self, job: JobReference, sender_id: str | None) -> None:
        if not self.relay.senders.may_speak_for(job.pair, sender_id):
            raise UnknownJobError(job.pair.key, job.job_id)
        try:
            self.tokens.conclude(job, DEAD_LETTER)
        except UnreadableJobError:
            # An ended job gets no heartbeats, so its execution times out, and the reply function answers.
            self.jobs.close_unreadable(job.pair, job.job_id, DEAD_LETTER)

    def _relay_again(self, letter: ReceivedMessage) -> bool:
        body, group, sender_id = self._as_received(letter)
        try:
            self.relay.relay(body, group, sender_id)
        except InvalidMessageError as error:
            logger().error("Sweep left an unreadable report in its queue.", extra={"cause": str(error)})
            return False
        return True

    def _as_received(self, letter: ReceivedMessage) -> tuple[str, str, str | None]:
        """Body, group and sender of a dead report. The relay stores them; SQS keeps those of letters that it moves."""
        if not self.relay.senders.is_worker(letter.sender_id):
            with suppress(InvalidMessageError):
                stored = UnreadableReport.read(letter.body)
                return stored.body, stored.group, stored.sender_id
        return letter.body, letter.group, letter.sender_id


def _ignore(_: ReceivedMessage) -> bool:
    """Drops an unreadable worker request: the sweep requests a worker wherever one is needed."""
    return True
