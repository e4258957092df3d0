"""The protocol's host in production: real time, operating-system threads, and clients of the claimed pair."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from webordinary.aws.clients import Clock
from webordinary.protocol.worker.host import ClaimedPair, PairAccess
from webordinary.protocol.worker.lease import Lease
from webordinary.protocol.worker.running_job import Interrupts, RunningJob
from webordinary_worker.runtime.background import InterruptListener, lease_kept_renewed, supervised
from webordinary_worker.runtime.health_file import NO_HEALTH_FILE, HealthFile
from webordinary_worker.settings import WorkerSettings


class ThreadHost:
    def __init__(
        self,
        settings: WorkerSettings,
        shutdown: threading.Event,
        open_pair: Callable[[ClaimedPair], PairAccess],
        clock: Clock,
        health_file: HealthFile = NO_HEALTH_FILE,
    ) -> None:
        self.timing = settings.timing
        self.clock = clock
        self._shutdown = shutdown
        self._open_pair = open_pair
        self._health_file = health_file
        self._listener: InterruptListener | None = None

    def monotonic(self) -> float:
        return time.monotonic()

    def is_shutting_down(self) -> bool:
        self._health_file.beat()  # called before every poll
        return self._shutdown.is_set()

    def open_pair(self, claimed: ClaimedPair) -> PairAccess:
        return self._open_pair(claimed)

    def keep_renewed(self, lease: Lease) -> AbstractContextManager[None]:
        return lease_kept_renewed(lease, self.timing.renewal_seconds)

    @contextmanager
    def listen(self, interrupts: Interrupts) -> Iterator[None]:
        self._listener = InterruptListener(interrupts, self.timing.long_poll_seconds)
        with self._listener.running():
            yield

    @contextmanager
    def supervise(self, running: RunningJob) -> Iterator[None]:
        if self._listener is None:
            raise RuntimeError("supervise needs a running interrupt listener")
        self._health_file.beat(silent_seconds=self.timing.job_seconds)
        with (
            self._listener.supervising(),
            supervised(running, beat_seconds=self.timing.beat_seconds, limit_seconds=self.timing.job_seconds),
        ):
            yield
