"""Serves one owned pair: runs its jobs one by one until the pair is idle, the worker shuts down or yields, or the lease
is lost.

What happens to a cancelled job:

- lease lost: nothing. The next owner receives the message and starts the job with a greater fence.
- shutdown: the job is requeued for the next worker, and its message becomes visible at once.
- timed out: its partial work is discarded, and it is reported as failed.
- interrupted by a newer job of the same thread, or stopped: its partial work is committed, and it is reported as
  preempted.
- interrupted by a job of another thread: its partial work is committed, and it is queued after the newer job, which
  dispatch sent before the interrupt. A FIFO queue would deliver the interrupted job first again, so it is sent again
  under another deduplication id, and then the message in flight is deleted. A crash between the two leaves two messages
  of one job, and the second finds the job started or over.

A message only names a job. The job that runs is the one in the table, which dispatch recorded: earlier workers of the
pair may have written the message.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from enum import Enum, StrEnum, auto

from webordinary.aws.queues import ReceivedMessage
from webordinary.aws.telemetry import count, logger, milestone
from webordinary.contract.errors import InvalidMessageError, PairLostError, UnknownJobError
from webordinary.contract.messages.job import Job, JobReference
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.ownership import Interrupt
from webordinary.contract.outcomes import Failure
from webordinary.protocol.policies import stay_seconds
from webordinary.protocol.worker.host import Host, PairAccess
from webordinary.protocol.worker.lease import Lease
from webordinary.protocol.worker.reports import Reports
from webordinary.protocol.worker.run import CancelReason, JobCancelledError
from webordinary.protocol.worker.running_job import Interrupts, RunningJob
from webordinary.tables.jobs import JobNotStartableError, JobRecord, JobState, StaleReportError, UnreadableJobError
from webordinary.tables.ownership import OwnershipLostError, RunningCost

UNREADABLE_SECONDS = 30  # how long an unreadable message blocks its queue, each time it is received


class Ended(StrEnum):
    IDLE = "idle"
    YIELDED = "yielded"  # its pair was idle, other pairs wait, and the fleet is full
    SHUTDOWN = "shutdown"
    LOST = "lost"
    NEEDS_NEW_CLAIM = "needs_new_claim"  # a function requeued a job; only a greater fence may start it


class _Unfinished(Enum):
    """How a cancelled job that has not ended continues."""

    FOR_NEXT_WORKER = auto()
    AFTER_NEWER_JOB = auto()


class PairSession:
    def __init__(
        self, host: Host, access: PairAccess, lease: Lease, should_yield: Callable[[], bool] = lambda: False
    ) -> None:
        self._host = host
        self._should_yield = should_yield
        self._lease = lease
        self._pair = lease.ownership.pair
        self._fence = lease.ownership.fence
        self._access = access
        self._queues = access.queues
        self._jobs = access.jobs
        self._reports = Reports(access.queues, lease.ownership, host.clock)
        self._interrupts = Interrupts(access.queues, self._pair)
        self._reported: set[str] = set()
        self._resends = itertools.count(1)
        self._needs_new_claim = False
        self._last_outcome: Outcome | None = None

    def cancel_running(self, reason: CancelReason) -> None:
        """Cancels the job that runs now, if one does."""
        running = self._interrupts.running
        if running is not None:
            running.run.cancel(reason)

    def serve(self) -> Ended:
        self._lease.when_lost(lambda: self.cancel_running(CancelReason.LOST))
        try:
            with self._host.listen(self._interrupts):
                return self._serve()
        except PairLostError as error:
            logger().warning("Another worker owns the pair; this worker stops serving it.", extra={"cause": str(error)})
            return Ended.LOST

    def _serve(self) -> Ended:
        timing = self._host.timing
        asked_at = self._host.monotonic()
        idle_until = asked_at + stay_seconds(timing, None)
        while True:
            if self._lease.is_lost:
                return Ended.LOST
            if self._host.is_shutting_down():
                return Ended.SHUTDOWN
            if self._needs_new_claim:
                return Ended.NEEDS_NEW_CLAIM
            idle_left = idle_until - self._host.monotonic()
            received = self._queues.receive(
                "input",
                wait_seconds=min(timing.long_poll_seconds, max(1, math.ceil(idle_left))),
                visibility_seconds=timing.input_visibility_seconds,
                pair=self._pair,
            )
            if received is not None:
                self._handle(received)
                idle_until = self._host.monotonic() + stay_seconds(timing, self._last_outcome)
            # After an empty poll only: a mail that waits already is served first, also if the worker need not stay.
            elif self._host.monotonic() >= idle_until:
                return Ended.IDLE
            # Asked once per renewal interval: the call costs as much as a renewal.
            elif self._host.monotonic() >= asked_at + timing.renewal_seconds:
                asked_at = self._host.monotonic()
                if self._should_yield():
                    return Ended.YIELDED

    def _handle(self, received: ReceivedMessage) -> None:
        job = self._recorded_job(received)
        if job is None:
            return
        running = RunningJob(
            job,
            received,
            self._access.prepare(job, self._lease.check),
            queues=self._queues,
            reports=self._reports,
            timing=self._host.timing,
        )
        # Set before the job is started in the table, so that no interrupt arrives too early.
        self._interrupts.running = running
        try:
            with self._host.supervise(running):
                ended = self._start(running)
        finally:
            self._interrupts.running = None
            self._lease.busy = False
        if ended is not None:
            self._conclude(running, ended)

    def _recorded_job(self, received: ReceivedMessage) -> Job | None:
        """The table's record of the job that a message names. None if the message was handled."""
        try:
            named = JobReference.read(received.body)
            return self._jobs.get(self._pair, named.job_id).job
        except UnknownJobError as error:
            logger().error("Deleted a message that names no job of this pair.", extra={"cause": str(error)})
            count("PoisonMessages")
            self._delete(received)
        except (InvalidMessageError, UnreadableJobError) as error:
            # A newer version may read it. Otherwise it goes to the dead-letter queue, and the sweep ends its job.
            logger().error("Left an unreadable job in its queue.", extra={"cause": str(error)})
            count("UnreadableMessages")
            self._queues.hide("input", received, UNREADABLE_SECONDS, self._pair)
        return None

    def _start(self, running: RunningJob) -> Outcome | _Unfinished | None:
        """Starts and runs the job. None if this fence may not start it."""
        job = running.job
        try:
            self._jobs.start(self._pair, job.job_id, self._fence)
        except JobNotStartableError as error:
            logger().info(str(error))
            self._skip(job, running.message, error.record)
            return None
        self._lease.cost = lambda: RunningCost(job.job_id, running.run.dollars_so_far())
        self._lease.busy = True
        # The lease may be lost, or the shutdown requested, before there was a run to cancel.
        if self._lease.is_lost:
            raise OwnershipLostError(self._pair, self._fence)
        if self._host.is_shutting_down():
            running.run.cancel(CancelReason.SHUTDOWN)
        return self._carry_out(running)

    def _carry_out(self, running: RunningJob) -> Outcome | _Unfinished:
        job, run = running.job, running.run
        try:
            return run.run()
        except JobCancelledError as cancelled:
            return self._cancelled(running, cancelled.reason)
        except PairLostError:
            raise
        except Exception as error:
            # No error may keep the job from being reported.
            logger().exception(
                "Job failed with an unexpected error; reporting it as failed.", extra={"job_id": job.job_id}
            )
            run.discard_partial_work()
            return run.outcome_failed(Failure.INTERNAL, type(error).__name__)

    def _cancelled(self, running: RunningJob, reason: CancelReason) -> Outcome | _Unfinished:
        run, interrupt = running.run, running.interrupt
        if reason is CancelReason.LOST:
            raise OwnershipLostError(self._pair, self._fence)
        if reason is CancelReason.TIMED_OUT:
            run.discard_partial_work()
            return run.outcome_failed(Failure.TIMED_OUT)
        if reason is CancelReason.SHUTDOWN:
            return _Unfinished.FOR_NEXT_WORKER
        commit = self._keep_partial_work(running)
        if interrupt is None or interrupt.same_thread:
            return _with_its_cause(run.outcome_preempted(commit), interrupt)
        return _Unfinished.AFTER_NEWER_JOB

    def _keep_partial_work(self, running: RunningJob) -> str | None:
        try:
            return running.run.keep_partial_work()
        except PairLostError:
            raise
        except Exception:
            # The newer job must not wait because of an error in the older one.
            logger().exception("Could not keep partial work; it is discarded.", extra={"job_id": running.job.job_id})
            running.run.discard_partial_work()
            return None

    def _conclude(self, running: RunningJob, ended: Outcome | _Unfinished) -> None:
        job, received = running.job, running.message
        if isinstance(ended, Outcome):
            self._finish(job, received, ended)
        elif not self._requeue(job, by_owner=ended is _Unfinished.AFTER_NEWER_JOB):
            self._delete(received)  # a function has ended it in the meantime
        elif ended is _Unfinished.AFTER_NEWER_JOB:
            self._send_to_the_end(job, received)
        else:
            self._queues.hide("input", received, 0, self._pair)

    def _finish(self, job: Job, received: ReceivedMessage, outcome: Outcome) -> None:
        self._lease.check()
        self._reported.add(job.job_id)
        self._last_outcome = outcome
        self._reports.finished(job.job_id, outcome)
        milestone(
            "job_reported",
            job_id=job.job_id,
            pair=self._pair.key,
            fence=self._fence,
            state=outcome.state,
            failure=outcome.failure,
            seconds=outcome.usage.seconds,
        )
        self._delete(received)

    def _skip(self, job: Job, received: ReceivedMessage, record: JobRecord | None) -> None:
        """Handles a job that this fence may not start: it has ended, was just reported, or needs a newer claim."""
        if record is None or record.state.is_final:
            self._delete(received)
        elif record.fence is not None and record.fence > self._fence:
            raise OwnershipLostError(self._pair, self._fence)
        elif record.state == JobState.RUNNING and job.job_id in self._reported:
            # A duplicate message; the report is on its way. If the report is lost, the sweep sends the job again after
            # this session.
            self._delete(received)
        elif record.state == JobState.RUNNING:
            # Started under this fence but not running: the response to the start was lost. Start it again.
            self._requeue(job, by_owner=True)
            self._queues.hide("input", received, 0, self._pair)
        else:
            self._queues.hide("input", received, 0, self._pair)
            self._needs_new_claim = True

    def _send_to_the_end(self, job: Job, received: ReceivedMessage) -> None:
        # The id must be new: the queue drops a second message with the same deduplication id.
        self._queues.send_in_order(
            "input",
            job,
            group=self._pair.key,
            deduplication_id=f"{job.job_id}-{self._fence}-again-{next(self._resends)}",
            pair=self._pair,
        )
        self._delete(received)

    def _requeue(self, job: Job, *, by_owner: bool) -> bool:
        """Requeues a job that this session ran. False if a function has ended it in the meantime."""
        try:
            self._jobs.requeue(self._pair, job.job_id, self._fence, by_owner=by_owner)
        except StaleReportError as error:
            record = error.record
            if record is not None and record.fence is not None and record.fence > self._fence:
                raise OwnershipLostError(self._pair, self._fence) from error
            logger().info(str(error))
            return record is not None and not record.state.is_final
        return True

    def _delete(self, received: ReceivedMessage) -> None:
        self._queues.delete("input", received, self._pair)


def _with_its_cause(outcome: Outcome, interrupt: Interrupt | None) -> Outcome:
    """Adds the job that preempted this one or stopped it."""
    if interrupt is None:
        return outcome
    return outcome.model_copy(update={"stopped_by" if interrupt.stop else "went_to": interrupt.newer_job_id})
