"""What happens while a job runs: heartbeats, the time limit, and interrupts by newer jobs. The host schedules them."""

from __future__ import annotations

from functools import partial

from webordinary.aws.queues import Queues, ReceivedMessage
from webordinary.aws.telemetry import count, logger
from webordinary.contract.errors import InvalidMessageError
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.ownership import Interrupt
from webordinary.contract.settings import Timing
from webordinary.protocol.worker.reports import Reports
from webordinary.protocol.worker.run import CancelReason, Run

INTERRUPT_VISIBILITY_SECONDS = 30


class RunningJob:
    def __init__(
        self, job: Job, message: ReceivedMessage, run: Run, *, queues: Queues, reports: Reports, timing: Timing
    ) -> None:
        self.job = job
        self.message = message
        self.run = run
        self.interrupt: Interrupt | None = None
        self._queues = queues
        self._reports = reports
        self._timing = timing

    def beat(self) -> None:
        """Extends the message's visibility timeout and sends a heartbeat. A failure is covered by the next beat."""
        hide = partial(self._queues.hide, "input", self.message, self._timing.input_visibility_seconds, self.job.pair)
        for call in (hide, partial(self._reports.heartbeat, self.job.job_id)):
            try:
                call()
            except Exception as error:
                # No error may stop the other call or the next heartbeat.
                logger().warning("Heartbeat failed; the next one follows.", extra={"cause": str(error)})

    def time_is_up(self) -> None:
        self.run.cancel(CancelReason.TIMED_OUT)


class Interrupts:
    """Delivers a pair's interrupts to the running job.

    A long poll cannot be cancelled, so this object outlives single jobs. An interrupt for a job that has ended is
    deleted as stale; one for the next job is delivered.
    """

    def __init__(self, queues: Queues, pair: Pair) -> None:
        self.running: RunningJob | None = None
        self._queues = queues
        self._pair = pair

    def poll(self, wait_seconds: int) -> None:
        received = self._queues.receive(
            "interrupts", wait_seconds=wait_seconds, visibility_seconds=INTERRUPT_VISIBILITY_SECONDS, pair=self._pair
        )
        if received is None:
            return
        try:
            interrupt = Interrupt.read(received.body)
        except InvalidMessageError as error:
            # A newer version may read it; otherwise the queue's retention removes it.
            logger().error("Left an unreadable interrupt in its queue.", extra={"cause": str(error)})
            count("UnreadableMessages")
            return
        self._deliver(interrupt)
        self._queues.delete("interrupts", received, self._pair)

    def _deliver(self, interrupt: Interrupt) -> None:
        running = self.running
        if running is not None and interrupt.running_job_id == running.job.job_id:
            running.interrupt = interrupt
            running.run.cancel(CancelReason.INTERRUPTED)
