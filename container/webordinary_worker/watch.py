"""Looks after a job while it runs: beats for it, keeps its message away from others, listens for interrupts.

One job runs at a time. The listener outlives it, because a long poll cannot be taken back: an interrupt that it brings
for a job that is over is deleted as stale.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.platform import observability
from webordinary.platform.clients import Clock
from webordinary.platform.errors import InvalidMessageError
from webordinary.platform.messages import Interrupt, Job, Outcome, Pair, ReportKind, WorkerReport
from webordinary.platform.queues import Queues, Received
from webordinary.tables.ownership import Ownership
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.stopping import Stop, StopReason

INTERRUPT_VISIBILITY_SECONDS = 30
PAUSE_AFTER_TROUBLE_SECONDS = 2.0
LAST_BEAT_SECONDS = 5.0


class Reports:
    """What this ownership tells the relay. Each report has an id of its own, so none is taken for another."""

    def __init__(self, queues: Queues, ownership: Ownership, container_id: str, clock: Clock) -> None:
        self._queues = queues
        self._ownership = ownership
        self._container_id = container_id
        self._clock = clock
        self._numbers = itertools.count(1)

    def heartbeat(self, job_id: str) -> None:
        self._send(ReportKind.HEARTBEAT, job_id, None)

    def finished(self, job_id: str, outcome: Outcome) -> None:
        self._send(ReportKind.FINISHED, job_id, outcome)

    def _send(self, kind: ReportKind, job_id: str, outcome: Outcome | None) -> None:
        fence = self._ownership.fence
        report = WorkerReport(
            kind=kind,
            pair=self._ownership.pair,
            job_id=job_id,
            fence=fence,
            container_id=self._container_id,
            sent_at=self._clock(),
            outcome=outcome,
        )
        self._queues.send_in_order(
            "output",
            report,
            group=self._ownership.pair.key,
            deduplication_id=f"{job_id}-{fence}-{kind}-{next(self._numbers)}",
        )


class InterruptListener:
    """Long-polls the pair's interrupts while a job runs."""

    def __init__(self, queues: Queues, pair: Pair, poll_seconds: int) -> None:
        self._queues = queues
        self._pair = pair
        self._poll_seconds = poll_seconds
        self._changed = threading.Condition()
        self._job_id: str | None = None
        self._react: Callable[[Interrupt], None] = lambda _: None
        self._ended = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._listen, name="interrupts", daemon=True).start()

    def end(self) -> None:
        self._ended.set()
        with self._changed:
            self._changed.notify_all()

    @contextmanager
    def listening_for(self, job_id: str, react: Callable[[Interrupt], None]) -> Iterator[None]:
        self._watch(job_id, react)
        try:
            yield
        finally:
            self._watch(None, lambda _: None)

    def _watch(self, job_id: str | None, react: Callable[[Interrupt], None]) -> None:
        with self._changed:
            self._job_id, self._react = job_id, react
            self._changed.notify_all()

    def _listen(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._job_id is not None or self._ended.is_set())
            if self._ended.is_set():
                return
            try:
                self._poll_once()
            except (BotoCoreError, ClientError) as error:
                observability.logger().warning("Interrupts could not be read.", extra={"cause": str(error)})
                self._ended.wait(PAUSE_AFTER_TROUBLE_SECONDS)

    def _poll_once(self) -> None:
        received = self._queues.receive(
            "interrupts",
            wait_seconds=self._poll_seconds,
            visibility_seconds=INTERRUPT_VISIBILITY_SECONDS,
            pair=self._pair,
        )
        if received is None:
            return
        self._deliver(received)
        self._queues.delete("interrupts", received, self._pair)

    def _deliver(self, received: Received) -> None:
        try:
            interrupt = Interrupt.read(received.body)
        except InvalidMessageError as error:
            observability.logger().error("An interrupt was dropped.", extra={"cause": str(error)})
            return
        with self._changed:
            react = self._react if interrupt.running_job_id == self._job_id else None
        if react is not None:
            react(interrupt)


@contextmanager
def beating(
    job: Job, received: Received, queues: Queues, reports: Reports, settings: WorkerSettings, stop: Stop
) -> Iterator[None]:
    """While the body runs: heartbeats, the message stays invisible, and the job's time is bounded."""
    over = threading.Event()

    def beat() -> None:
        while not over.wait(settings.timing.beat_seconds):
            try:
                queues.hide("input", received, settings.timing.input_visibility_seconds, job.pair)
                reports.heartbeat(job.job_id)
            except (BotoCoreError, ClientError) as error:
                observability.logger().warning("A heartbeat failed.", extra={"cause": str(error)})

    limit = threading.Timer(settings.timing.job_seconds, stop.request, (StopReason.TIMED_OUT,))
    limit.daemon = True
    limit.start()
    beats = threading.Thread(target=beat, name="heartbeat", daemon=True)
    beats.start()
    try:
        yield
    finally:
        over.set()
        limit.cancel()
        # A beat on its way would hide the message again after it was given back.
        beats.join(LAST_BEAT_SECONDS)
