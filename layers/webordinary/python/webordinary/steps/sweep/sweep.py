"""The sweeper looks at every open job once a minute, so that no single lost message can strand a mail.

| it finds | it does |
|---|---|
| a job that ended but whose execution was not told | tells it |
| a running job whose owner is dead or replaced | requeues it, sends it again |
| a waiting job | beats for its token; asks for a claim if the pair has no live owner |
| a waiting job whose message got lost | sends it again |
| an open job whose project or user is gone | ends it: its sender gets an answer |
| a waiting job that no worker takes up (the breaker is open) | ends it: its sender gets an answer |
| a dead letter | ends its job, or passes its report on once more |
| a message of a job that is over, left by a dead worker | deletes it |
| the queues of a pair that has been quiet for long | deletes them |
| a record that it cannot read, or something that fails | counts it, and goes on with the next |

A record that cannot be read gets no beat: its execution's heartbeat ends the wait, and the reply answers.

A sweep whose time runs out leaves a checkpoint, and the next one goes on from there. Everything it does is conditional
or harmless when done twice, so two sweeps at once do no damage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Self

from webordinary.aws import clients
from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.fleet_trigger import FleetTrigger
from webordinary.aws.queue_provisioning import PairQueues, QueueNotReadyError
from webordinary.aws.queues import Queues, ReceivedMessage
from webordinary.aws.telemetry import count, logger
from webordinary.contract.errors import InvalidMessageError, UnknownJobError
from webordinary.contract.messages.base import Message, Pair
from webordinary.contract.messages.job import Job, JobReference
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.ownership import RequestVerdict
from webordinary.contract.messages.report import WorkerReport
from webordinary.contract.outcomes import Failure
from webordinary.contract.settings import ReportSettings
from webordinary.protocol.task_tokens import TaskTokens
from webordinary.steps.relay_callback import RelayCallback
from webordinary.steps.sweep.orphaned_messages import OrphanedMessages
from webordinary.steps.sweep.quiet_queues import QuietQueues
from webordinary.tables.idempotency import IdempotencyTable, Purpose
from webordinary.tables.items import MILLISECOND, milliseconds
from webordinary.tables.jobs import JobRecord, JobsTable, JobState, StaleReportError, UnreadableJobError
from webordinary.tables.ownership import OwnershipTable
from webordinary.tables.pauses import Pauses
from webordinary.tables.projects import ProjectConfigs
from webordinary.tables.worker_requests import WorkerRequests

# The relay needs a moment between the end of a job and telling the execution; only older ones are stuck.
STUCK_AFTER = timedelta(seconds=20)
# A dispatch records first and sends second, and SQS counts a moment late: only where nothing has changed for longer
# does an empty queue mean that the message is lost.
LOST_AFTER = timedelta(seconds=90)
DEDUPLICATION_MILLISECONDS = 300_000  # for which SQS swallows a second message with the same id
UNREADABLE_SECONDS = 3600
CHECKPOINT = "checkpoint"

PROJECT_GONE = Outcome(state="failed", failure=Failure.PROJECT_GONE)
NO_WORKER = Outcome(state="failed", failure=Failure.NO_WORKER)
DEAD_LETTER = Outcome(state="failed", failure=Failure.INTERNAL)


class SweepResult(Message):
    """What one sweep did. `complete` is false when its time ran out first."""

    looked_at: int = 0
    settled: int = 0
    requeued: int = 0
    sent_again: int = 0
    project_gone: int = 0
    unreadable: int = 0
    not_done: int = 0
    beats: int = 0
    claims: int = 0
    given_up: int = 0
    dead_letters: int = 0
    orphaned_messages: int = 0
    quiet_queues: int = 0
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
    clock: Clock = utc_now

    @classmethod
    def from_settings(cls, settings: ReportSettings) -> Self:
        dynamodb, names, timing = clients.dynamodb(), settings.names, settings.timing
        pair_queues = PairQueues(clients.sqs(), names, timing, settings.kms_key_arn)
        jobs, queues = JobsTable(dynamodb, names), Queues(clients.sqs(), names, pair_queues.ensure)
        fleet = FleetTrigger(clients.functions(), names)
        ownership, checkpoints = OwnershipTable(dynamodb, names, timing), IdempotencyTable(dynamodb, names)
        ensure = pair_queues.ensure
        paused = Pauses(dynamodb, names).is_paused
        return cls(
            jobs=jobs,
            ownership=ownership,
            worker_requests=WorkerRequests(
                dynamodb,
                queues,
                names,
                timing,
                on_sent=fleet.invoke,
                before_sending=ensure,
                is_paused=paused,
            ),
            queues=queues,
            tokens=TaskTokens(clients.stepfunctions(), jobs),
            checkpoints=checkpoints,
            projects=ProjectConfigs(dynamodb, names),
            relay=RelayCallback.from_settings(settings),
            quiet=QuietQueues(pair_queues, queues, jobs, ownership, checkpoints, timing),
        )

    def run(self, has_time: Callable[[], bool]) -> SweepResult:
        sweeping = _Sweeping(self, has_time)
        complete = sweeping.jobs() and sweeping.dead_letters()
        orphans = OrphanedMessages(self.ownership, self.jobs, self.queues).delete(has_time)
        if self.quiet is not None and complete:
            sweeping.quiet_queues(self.quiet)
        if not complete:
            count("Sweep.incomplete")
        for name, number in sweeping.tally.items():
            count(f"Sweep.{name}", number)
        return SweepResult(**sweeping.tally, orphaned_messages=orphans, complete=complete)


@dataclass
class _Sweeping:
    """One sweep under way, and what it has counted."""

    parts: Sweep
    has_time: Callable[[], bool]
    tally: Counter[str] = field(default_factory=Counter)

    def jobs(self) -> bool:
        checkpoints = self.parts.checkpoints
        started_at = place = checkpoints.recall(Purpose.SWEEP, CHECKPOINT)
        for record in self.parts.jobs.open_jobs(after=started_at):
            if not self.has_time():
                if place is not None:
                    checkpoints.remember(Purpose.SWEEP, CHECKPOINT, place)
                return False
            self.tally["looked_at"] += 1
            if isinstance(record, JobRecord):
                self._alone(record.pair, partial(self._look_at, record))
            else:
                self.tally["unreadable"] += 1
            place = record.received_at
        if started_at is not None:
            checkpoints.forget(Purpose.SWEEP, CHECKPOINT)  # the next sweep begins with the oldest again
        return True

    def dead_letters(self) -> bool:
        drains = {
            "input_dead_letters": self._end_dead_job,
            "output_dead_letters": self._relay_again,
            "unclaimed_dead_letters": _ignore,
        }
        for kind, take in drains.items():
            self._alone(None, partial(self._drain, kind, take))
        return self.has_time()

    def quiet_queues(self, quiet: QuietQueues) -> None:
        def delete() -> None:
            self.tally["quiet_queues"] += quiet.delete(self.has_time)

        self._alone(None, delete)

    def _alone(self, pair: Pair | None, do: Callable[[], object]) -> None:
        """One tenant's trouble is its own: whatever fails here is counted, and the next one's turn comes."""
        try:
            do()
        except Exception as error:
            logger().error(
                "the sweep passed something over", extra={"pair": pair.key if pair else None, "cause": repr(error)}
            )
            self.tally["not_done"] += 1

    def _look_at(self, record: JobRecord) -> None:
        # Looked at after the record, for each of them: an older look could take a live owner's job away.
        ownership = self.parts.ownership.inspect(record.pair)
        alive = ownership.is_live(self.parts.clock(), self.parts.ownership.clock_margin)
        if record.state.is_final:
            self._settle_if_stuck(record)
        elif record.state == JobState.RUNNING and alive and ownership.fence == record.fence:
            pass  # its worker looks after it
        elif not self.parts.projects.has(record.pair):
            self.parts.tokens.conclude(record.job, PROJECT_GONE)
            self.tally["project_gone"] += 1
        else:
            if record.state == JobState.RUNNING:
                self._requeue(record)
            else:
                self._send_again_if_lost(record)
            self._keep_waiting(record, alive=alive)

    def _settle_if_stuck(self, record: JobRecord) -> None:
        stuck = record.updated_at < milliseconds(self.parts.clock() - STUCK_AFTER)
        if stuck and self.parts.tokens.settle(record):
            self.tally["settled"] += 1

    def _requeue(self, record: JobRecord) -> None:
        job, fence = record.job, record.fence or 0
        # Its message may be gone with the dead owner. If it is not, the second one finds the job taken and is deleted.
        # It goes first: a sweep that dies between the two must not leave a waiting job without a message.
        self.parts.queues.send_in_order(
            "input", job, group=job.pair.key, deduplication_id=f"{job.job_id}-after-{fence}", pair=job.pair
        )
        try:
            self.parts.jobs.requeue(job.pair, job.job_id, fence)
        except StaleReportError:
            return  # it moved on since the index was read
        self.tally["requeued"] += 1

    def _send_again_if_lost(self, record: JobRecord) -> None:
        now, job = milliseconds(self.parts.clock()), record.job
        if now - record.updated_at < LOST_AFTER / MILLISECOND or not self.parts.queues.is_empty("input", job.pair):
            return  # a message in flight counts: it belongs to the job that runs, or is this one's on its way
        # Two sweeps at once send one message. Should it be needless after all, it finds the job taken and is deleted.
        number = now // DEDUPLICATION_MILLISECONDS
        with suppress(QueueNotReadyError):  # then the next sweep does it
            self.parts.queues.send_in_order(
                "input", job, group=job.pair.key, deduplication_id=f"{job.job_id}-lost-{number}", pair=job.pair
            )
            self.tally["sent_again"] += 1

    def _keep_waiting(self, record: JobRecord, *, alive: bool) -> None:
        if self.parts.tokens.beat(record):
            self.tally["beats"] += 1
        if alive:
            return
        job = record.job
        verdict = self.parts.worker_requests.request(job.pair, job.job_id).verdict
        if verdict == RequestVerdict.SENT:
            self.tally["claims"] += 1
        elif verdict == RequestVerdict.BREAKER_OPEN:
            logger().error("no worker takes this pair up; its waiting job is given up", extra={"pair": job.pair.key})
            self.parts.tokens.conclude(job, NO_WORKER)
            self.tally["given_up"] += 1

    def _drain(self, kind: str, take: Callable[[ReceivedMessage], bool]) -> None:
        """Takes dead letters one by one. What `take` can make nothing of stays for a version that can."""
        queues = self.parts.queues
        while self.has_time():
            letter = queues.receive(kind, wait_seconds=0, visibility_seconds=60)
            if letter is None:
                return
            self.tally["dead_letters"] += 1
            if take(letter):
                queues.delete(kind, letter)
            else:
                count("UnreadableMessages")
                queues.hide(kind, letter, UNREADABLE_SECONDS)

    def _end_dead_job(self, letter: ReceivedMessage) -> bool:
        try:
            self.parts.tokens.conclude(Job.read(letter.body), DEAD_LETTER)
        except UnknownJobError as error:
            logger().error(str(error))
            count("PoisonMessages")
        except (InvalidMessageError, UnreadableJobError):
            return self._end_unreadable_job(letter)
        return True

    def _end_unreadable_job(self, letter: ReceivedMessage) -> bool:
        """Nobody beats for a job that has ended, so its execution stops waiting, and the reply answers."""
        try:
            job = JobReference.read(letter.body)
            self.parts.jobs.close_unreadable(job.pair, job.job_id, DEAD_LETTER)
        except (InvalidMessageError, UnknownJobError) as error:
            # It belongs to no job, so nobody waits for it; left here it would hold up those that are waited for.
            logger().error(str(error))
            count("PoisonMessages")
        return True

    def _relay_again(self, letter: ReceivedMessage) -> bool:
        try:
            report = WorkerReport.read(letter.body)
        except InvalidMessageError as error:
            logger().error("A report is left for a version that can read it.", extra={"cause": str(error)})
            return False
        self.parts.relay.run(report, letter.sender_id)
        return True


def _ignore(_: ReceivedMessage) -> bool:
    """A worker request that nobody could read is not missed: the sweep above asks again where one is needed."""
    return True
