"""Serves one owned pair: takes its jobs from the input queue one by one until it is idle, told to go, or has lost it.

What happens to a job that was stopped:

- lease lost: nothing. Its successor finds the message and starts the job with a greater fence.
- shutdown: the job is put back for a successor, its message becomes visible at once.
- interrupted by a newer mail of the same thread: its partial work is committed, it is reported as preempted.
- interrupted by a mail of another thread: its partial work is committed, and it goes behind the newer mail. A FIFO
  queue would deliver it first again, so it is *sent anew* under another deduplication id and then the message in flight
  is deleted. A crash between the two leaves two messages of one job, and the second finds the job started or over. The
  newer mail may not be in the queue yet (the interrupt goes out before the dispatch): until it has been seen, for a
  bounded time, the interrupted job is sent behind again whenever it comes up first.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import Protocol

from webordinary.platform.errors import InvalidMessageError, UnknownJobError
from webordinary.platform.messages import Failure, Interrupt, Job, Outcome
from webordinary.platform.observability import logger, milestone
from webordinary.platform.queues import Queues, Received
from webordinary.tables.jobs import JobNotStartableError, JobsTable, StaleReportError
from webordinary.tables.ownership import OwnershipLostError
from webordinary_worker.deploy import StaleDeploymentError
from webordinary_worker.lease import LeaseKeeper
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.stopping import Stop, StoppedError, StopReason
from webordinary_worker.watch import InterruptListener, Reports, beating

NEWER_MAIL_EXPECTED_SECONDS = 20.0
TURN_SECONDS = 0.5
LOOK_AGAIN_SECONDS = 5


class Ended(StrEnum):
    IDLE = "idle"
    SHUTDOWN = "shutdown"
    LOST = "lost"
    NEEDS_NEW_CLAIM = "needs_new_claim"  # a job was put back from outside; only a greater fence may start it


class _Unfinished(Enum):
    """What becomes of a job that was stopped and is not over."""

    FOR_A_SUCCESSOR = auto()
    BEHIND_THE_NEWER = auto()


class Run(Protocol):
    """A job on its way; see `commands.JobRun`."""

    def run(self) -> Outcome: ...
    def keep_partial_work(self) -> str | None: ...
    def discard_partial_work(self) -> None: ...
    def outcome_preempted(self, commit: str | None) -> Outcome: ...
    def outcome_failed(self, failure: Failure, sentence: str) -> Outcome: ...


StartRun = Callable[[Job, Stop, bool], Run]


@dataclass
class _SetAside:
    """A job that lets a newer one go first."""

    newer_job_id: str
    until: float
    turns: int = 0


class PairService:
    def __init__(
        self,
        settings: WorkerSettings,
        lease: LeaseKeeper,
        queues: Queues,
        jobs: JobsTable,
        reports: Reports,
        start_run: StartRun,
        shutdown: threading.Event,
        before_job: Callable[[], None],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._settings = settings
        self._lease = lease
        self._pair = lease.ownership.pair
        self._fence = lease.ownership.fence
        self._queues = queues
        self._jobs = jobs
        self._reports = reports
        self._start_run = start_run
        self._shutdown = shutdown
        self._before_job = before_job
        self._monotonic = monotonic
        self._interrupts = InterruptListener(queues, self._pair, settings.poll_seconds)
        self._running: Stop | None = None
        self._interrupt: Interrupt | None = None
        self._interrupted_threads: set[str] = set()
        self._aside: dict[str, _SetAside] = {}
        self._reported: set[str] = set()
        self._needs_new_claim = False

    def stop_running(self, reason: StopReason) -> None:
        """Presses the stop button of the job that runs now, if one does."""
        running = self._running
        if running is not None:
            running.request(reason)

    def serve(self) -> Ended:
        self._interrupts.start()
        self._lease.when_lost(lambda: self.stop_running(StopReason.LOST))
        try:
            return self._serve()
        except (OwnershipLostError, StaleDeploymentError) as error:
            logger().warning("The pair belongs to another worker now.", extra={"cause": str(error)})
            return Ended.LOST
        finally:
            self._interrupts.end()

    def _serve(self) -> Ended:
        idle_since = self._monotonic()
        while True:
            if self._lease.is_lost:
                return Ended.LOST
            if self._shutdown.is_set():
                return Ended.SHUTDOWN
            if self._needs_new_claim:
                return Ended.NEEDS_NEW_CLAIM
            left = self._settings.timing.idle_seconds - (self._monotonic() - idle_since)
            if left <= 0:
                return Ended.IDLE
            received = self._queues.receive(
                "input",
                wait_seconds=min(self._settings.poll_seconds, max(1, math.ceil(left))),
                visibility_seconds=self._settings.timing.input_visibility_seconds,
                pair=self._pair,
            )
            if received is not None:
                self._handle(received)
                idle_since = self._monotonic()

    def _handle(self, received: Received) -> None:
        try:
            job = Job.read(received.body)
        except InvalidMessageError as error:
            logger().error("A job that cannot be read was dropped.", extra={"cause": str(error)})
            self._delete(received)
            return
        if self._gives_way(job):
            self._send_behind(job, received)
            return
        self._running = stop = Stop()
        try:
            # Listening begins before the job counts as running, or an interrupt could come too early to be heard.
            with self._interrupts.listening_for(job.job_id, self._on_interrupt):
                self._start(job, received, stop)
        finally:
            self._running = None
            self._lease.busy = False

    def _start(self, job: Job, received: Received, stop: Stop) -> None:
        try:
            self._jobs.start(self._pair, job.job_id, self._fence)
        except JobNotStartableError as error:
            logger().info(str(error))
            self._leave(job, received)
            return
        self._aside.pop(job.job_id, None)
        self._lease.busy = True
        self._before_job()
        if self._shutdown.is_set():
            stop.request(StopReason.SHUTDOWN)
        after_interrupted = job.thread_id in self._interrupted_threads
        self._interrupted_threads.discard(job.thread_id)
        with beating(job, received, self._queues, self._reports, self._settings, stop):
            ended = self._carry_out(job, stop, after_interrupted)
        if isinstance(ended, Outcome):
            self._finish(job, received, ended)
        elif ended is _Unfinished.FOR_A_SUCCESSOR:
            self._put_back(job, by_its_runner=False)
            self._queues.hide("input", received, 0, self._pair)
        else:
            self._put_back(job, by_its_runner=True)
            self._send_behind(job, received)

    def _carry_out(self, job: Job, stop: Stop, after_interrupted: bool) -> Outcome | _Unfinished:
        run = self._start_run(job, stop, after_interrupted)
        try:
            return run.run()
        except StoppedError as stopped:
            return self._stopped(job, run, stopped.reason)
        except (OwnershipLostError, StaleDeploymentError):
            raise
        except Exception as error:
            # Whatever it is, it must not take the answer with it.
            logger().exception("A job failed for a reason that nobody foresaw.", extra={"job_id": job.job_id})
            run.discard_partial_work()
            return run.outcome_failed(Failure.INTERNAL, f"(What went wrong is called {type(error).__name__}.)")

    def _stopped(self, job: Job, run: Run, reason: StopReason) -> Outcome | _Unfinished:
        if reason is StopReason.LOST:
            raise OwnershipLostError(self._pair, self._fence)
        if reason is StopReason.TIMED_OUT:
            run.discard_partial_work()
            return run.outcome_failed(Failure.TIMED_OUT, "It took longer than one request may take, so it was stopped.")
        if reason is StopReason.SHUTDOWN:
            return _Unfinished.FOR_A_SUCCESSOR
        commit = run.keep_partial_work()
        interrupt = self._interrupt
        self._interrupted_threads.add(job.thread_id)
        if interrupt is None or interrupt.same_thread:
            return run.outcome_preempted(commit)
        until = self._monotonic() + NEWER_MAIL_EXPECTED_SECONDS
        self._aside[job.job_id] = _SetAside(interrupt.newer_job_id, until)
        return _Unfinished.BEHIND_THE_NEWER

    def _finish(self, job: Job, received: Received, outcome: Outcome) -> None:
        self._lease.check()
        self._reported.add(job.job_id)
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
        for aside in self._aside.values():
            if aside.newer_job_id == job.job_id:
                aside.until = self._monotonic()
        self._delete(received)

    def _leave(self, job: Job, received: Received) -> None:
        """A job that this fence may not start: over, reported a moment ago, or meant for a newer claim."""
        try:
            record = self._jobs.get(self._pair, job.job_id)
        except UnknownJobError:
            self._delete(received)
            return
        if record.state.is_final:
            self._delete(received)
        elif record.fence is not None and record.fence > self._fence:
            raise OwnershipLostError(self._pair, self._fence)
        elif record.state == "running" and job.job_id in self._reported:
            self._queues.hide("input", received, LOOK_AGAIN_SECONDS, self._pair)  # the relay has yet to hear of it
        elif record.state == "running":
            # Started under this fence, yet it does not run: the answer to the start was lost. It may be started again.
            self._put_back(job, by_its_runner=True)
            self._queues.hide("input", received, 0, self._pair)
        else:
            self._queues.hide("input", received, 0, self._pair)
            self._needs_new_claim = True

    def _gives_way(self, job: Job) -> bool:
        aside = self._aside.get(job.job_id)
        if aside is None:
            return False
        if self._monotonic() >= aside.until:
            del self._aside[job.job_id]
            return False
        # Nothing tells when the newer mail arrives behind this one: give it half a second per turn.
        self._shutdown.wait(TURN_SECONDS)
        return True

    def _send_behind(self, job: Job, received: Received) -> None:
        aside = self._aside[job.job_id]
        aside.turns += 1
        self._queues.send_in_order(
            "input",
            job,
            group=self._pair.key,
            deduplication_id=f"{job.job_id}-{self._fence}-again-{aside.turns}",
            pair=self._pair,
        )
        self._delete(received)

    def _put_back(self, job: Job, *, by_its_runner: bool) -> None:
        try:
            self._jobs.put_back(self._pair, job.job_id, self._fence, by_its_runner=by_its_runner)
        except StaleReportError as error:
            logger().info(str(error))  # it was ended from outside meanwhile; its message will be found over

    def _on_interrupt(self, interrupt: Interrupt) -> None:
        self._interrupt = interrupt
        self.stop_running(StopReason.INTERRUPTED)

    def _delete(self, received: Received) -> None:
        self._queues.delete("input", received, self._pair)
