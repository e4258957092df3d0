"""What goes on beside a job while it runs: its heartbeat, its time limit, and interrupts by newer mails.

The host calls these at their times, from threads of its own.
"""

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
        """Keeps the message away from others and the execution waiting. One that fails is made up for by the next."""
        hide = partial(self._queues.hide, "input", self.message, self._timing.input_visibility_seconds, self.job.pair)
        for half in (hide, partial(self._reports.heartbeat, self.job.job_id)):
            try:
                half()
            except Exception as error:
                # Whatever it is: it must end neither the other half nor the beating.
                logger().warning("A heartbeat failed.", extra={"cause": str(error)})

    def time_is_up(self) -> None:
        self.run.cancel(CancelReason.TIMED_OUT)


class Interrupts:
    """Brings a pair's interrupts to the job that runs. A long poll cannot be taken back, so this outlives single jobs:
    what a poll brings for a job that is over is deleted as stale, what it brings for the next job is heard."""

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
            # A newer worker may read it; it is forgotten by itself after the time of a job.
            logger().error("An interrupt that cannot be read was left in its queue.", extra={"cause": str(error)})
            count("UnreadableMessages")
            return
        self._deliver(interrupt)
        self._queues.delete("interrupts", received, self._pair)

    def _deliver(self, interrupt: Interrupt) -> None:
        running = self.running
        if running is not None and interrupt.running_job_id == running.job.job_id:
            running.interrupt = interrupt
            running.run.cancel(CancelReason.INTERRUPTED)
