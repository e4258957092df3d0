"""The host of a worker on a real machine: real time, threads, and the rights of the pair that was claimed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from webordinary.aws.clients import Clock
from webordinary.protocol.worker.host import Granted, PairAccess
from webordinary.protocol.worker.lease import Lease
from webordinary.protocol.worker.running_job import Interrupts, RunningJob
from webordinary_worker.runtime.background import Listener, attending, keeping
from webordinary_worker.runtime.health_file import NO_HEARTBEAT, Heartbeat
from webordinary_worker.settings import WorkerSettings


class ThreadHost:
    def __init__(
        self,
        settings: WorkerSettings,
        shutdown: threading.Event,
        enter: Callable[[Granted], PairAccess],
        clock: Clock,
        heartbeat: Heartbeat = NO_HEARTBEAT,
    ) -> None:
        self.timing = settings.timing
        self.clock = clock
        self._shutdown = shutdown
        self._enter = enter
        self._heartbeat = heartbeat
        self._listener: Listener | None = None

    def monotonic(self) -> float:
        return time.monotonic()

    def is_leaving(self) -> bool:
        self._heartbeat.beat()  # asked before every poll
        return self._shutdown.is_set()

    def enter(self, granted: Granted) -> PairAccess:
        return self._enter(granted)

    def keep(self, lease: Lease) -> AbstractContextManager[None]:
        return keeping(lease, self.timing.renewal_seconds)

    @contextmanager
    def listen(self, interrupts: Interrupts) -> Iterator[None]:
        self._listener = Listener(interrupts, self.timing.long_poll_seconds)
        with self._listener.running():
            yield

    @contextmanager
    def attend(self, running: RunningJob) -> Iterator[None]:
        if self._listener is None:
            raise RuntimeError("a job is attended to only while its pair is listened to")
        self._heartbeat.beat(silent_seconds=self.timing.job_seconds)
        with (
            self._listener.attending(),
            attending(running, beat_seconds=self.timing.beat_seconds, limit_seconds=self.timing.job_seconds),
        ):
            yield
