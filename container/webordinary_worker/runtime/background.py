"""Background tasks of a worker: lease renewal, heartbeats, time limits and the polling of interrupts.

They only call the protocol at the right times. All decisions are the protocol's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws.telemetry import logger
from webordinary.protocol.worker.lease import Lease
from webordinary.protocol.worker.running_job import Interrupts, RunningJob

RETRY_SECONDS = 2.0
LAST_BEAT_SECONDS = 5.0


@contextmanager
def lease_kept_renewed(lease: Lease, renewal_seconds: float) -> Iterator[None]:
    """Uses two threads, because a renewal that hangs must not delay the deadline."""
    ended = threading.Event()

    def renew() -> None:
        pause: float | None = renewal_seconds
        while pause is not None and not ended.wait(pause):
            pause = lease.renew()

    def watch_deadline() -> None:
        while not ended.wait(lease.seconds_left):
            if lease.is_lost:
                lease.lose()
                return

    _start("lease-renewal", renew)
    _start("lease-deadline", watch_deadline)
    try:
        yield
    finally:
        ended.set()


class InterruptListener:
    """Polls for interrupts while a job is supervised."""

    def __init__(self, interrupts: Interrupts, poll_seconds: int) -> None:
        self._interrupts = interrupts
        self._poll_seconds = poll_seconds
        self._changed = threading.Condition()
        self._is_supervising = False
        self._ended = threading.Event()

    @contextmanager
    def running(self) -> Iterator[None]:
        _start("interrupts", self._listen)
        try:
            yield
        finally:
            self._ended.set()
            self._set(supervising=False)

    @contextmanager
    def supervising(self) -> Iterator[None]:
        self._set(supervising=True)
        try:
            yield
        finally:
            self._set(supervising=False)

    def _set(self, *, supervising: bool) -> None:
        with self._changed:
            self._is_supervising = supervising
            self._changed.notify_all()

    def _listen(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._is_supervising or self._ended.is_set())
            if self._ended.is_set():
                return
            try:
                self._interrupts.poll(self._poll_seconds)
            except (BotoCoreError, ClientError) as error:
                logger().warning("Could not poll for interrupts; retrying.", extra={"cause": str(error)})
                self._ended.wait(RETRY_SECONDS)


@contextmanager
def supervised(running: RunningJob, *, beat_seconds: float, limit_seconds: float) -> Iterator[None]:
    over = threading.Event()

    def beat() -> None:
        while not over.wait(beat_seconds):
            running.beat()

    limit = threading.Timer(limit_seconds, running.time_is_up)
    limit.daemon = True
    limit.start()
    beats = _start("heartbeat", beat)
    try:
        yield
    finally:
        over.set()
        limit.cancel()
        # A heartbeat in flight would hide the message again after it was made visible.
        beats.join(LAST_BEAT_SECONDS)


def _start(name: str, target: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=target, name=name, daemon=True)
    thread.start()
    return thread
