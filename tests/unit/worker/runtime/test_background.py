"""Background threads call the protocol on schedule and stop with their session."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.sleeping import RecordedCondition
from tests.support.world import PAIR
from webordinary.contract.settings import Timing
from webordinary.protocol.worker.lease import Lease
from webordinary.tables.ownership import Ownership, OwnershipLostError
from webordinary_worker.runtime import background
from webordinary_worker.runtime.background import InterruptListener, lease_kept_renewed, supervised

OWNERSHIP = Ownership(PAIR, "worker-1", 1, None)
PATIENCE = 120.0  # only a hang reaches it


@dataclass
class Clock:
    """Stands still until a test moves it."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def lease_over(table: Any, clock: Clock | None = None, *, lease_seconds: float = 60) -> Lease:
    timing = Timing.model_validate({"lease_seconds": lease_seconds, "renewal_seconds": 0.01})
    return Lease(table, OWNERSHIP, timing, claim_sent_at=0.0, monotonic=clock or Clock())


def join(name: str) -> None:
    for thread in threading.enumerate():
        if thread.name == name:
            thread.join(PATIENCE)
    assert name not in [thread.name for thread in threading.enumerate()]


def test_lease_is_renewed_repeatedly() -> None:
    renewals = threading.Semaphore(0)
    lease = lease_over(SimpleNamespace(renew=lambda *_, **__: renewals.release()))

    with lease_kept_renewed(lease, 0.01):
        assert all(renewals.acquire(timeout=PATIENCE) for _ in range(3))


def test_rejected_renewal_calls_the_lost_callback() -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OwnershipLostError(PAIR, 1)

    lost = threading.Event()
    lease = lease_over(SimpleNamespace(renew=refuse))
    lease.when_lost(lost.set)

    with lease_kept_renewed(lease, 0.01):
        assert lost.wait(PATIENCE)


def test_hanging_renewal_does_not_delay_the_deadline() -> None:
    hanging, answered, lost = threading.Event(), threading.Event(), threading.Event()

    def hang(*_: object, **__: object) -> None:
        hanging.set()
        answered.wait()

    clock = Clock()
    lease = lease_over(SimpleNamespace(renew=hang), clock, lease_seconds=0.05)
    lease.when_lost(lost.set)

    with lease_kept_renewed(lease, 0.01):
        assert hanging.wait(PATIENCE)
        assert not lost.is_set()
        clock.now = 1.0
        assert lost.wait(PATIENCE)
    answered.set()


def test_lease_expiry_after_the_session_is_ignored() -> None:
    lost, clock = threading.Event(), Clock()
    lease = lease_over(SimpleNamespace(renew=lambda *_, **__: None), clock, lease_seconds=0.05)
    lease.when_lost(lost.set)

    with lease_kept_renewed(lease, 3600):
        pass
    clock.now = 1.0
    join("lease-deadline")

    assert not lost.is_set()


class RecordedJob:
    """A running job that records its heartbeats and timeout."""

    def __init__(self) -> None:
        self.beats = threading.Semaphore(0)
        self.timed_out = threading.Event()
        self.in_heartbeat = threading.Event()
        self.may_end = threading.Event()
        self.may_end.set()
        self.ended = 0

    def beat(self) -> None:
        self.in_heartbeat.set()
        self.may_end.wait(PATIENCE)
        self.ended += 1
        self.beats.release()

    def time_is_up(self) -> None:
        self.timed_out.set()


def supervising(running: RecordedJob, *, beat_seconds: float = 60, limit_seconds: float = 60) -> Any:
    job: Any = running
    return supervised(job, beat_seconds=beat_seconds, limit_seconds=limit_seconds)


def test_heartbeats_are_sent_repeatedly() -> None:
    running = RecordedJob()

    with supervising(running, beat_seconds=0.01):
        assert all(running.beats.acquire(timeout=PATIENCE) for _ in range(3))


def test_heartbeat_in_flight_ends_before_supervision_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "LAST_BEAT_SECONDS", PATIENCE)
    running = RecordedJob()
    running.may_end.clear()

    with supervising(running, beat_seconds=0.01):
        assert running.in_heartbeat.wait(PATIENCE)
        threading.Timer(0.1, running.may_end.set).start()

    assert running.ended == 1


def test_job_over_its_time_limit_is_cancelled() -> None:
    running = RecordedJob()

    with supervising(running, limit_seconds=0.01):
        assert running.timed_out.wait(PATIENCE)


def test_job_within_its_time_limit_is_not_cancelled() -> None:
    running = RecordedJob()

    with supervising(running, limit_seconds=3600):
        (limit,) = (
            thread
            for thread in threading.enumerate()
            if isinstance(thread, threading.Timer) and thread.function == running.time_is_up
        )
    limit.join(PATIENCE)

    assert not limit.is_alive()
    assert not running.timed_out.is_set()


class RecordedInterrupts:
    """Interrupts that record each poll."""

    def __init__(self) -> None:
        self.polls = threading.Semaphore(0)
        self.waited: list[int] = []

    def poll(self, wait_seconds: int) -> None:
        self.waited.append(wait_seconds)
        self.polls.release()
        time.sleep(0.01)  # the duration of a poll


def listener_to(interrupts: RecordedInterrupts, poll_seconds: int = 5) -> InterruptListener:
    polled: Any = interrupts
    return InterruptListener(polled, poll_seconds)


def test_interrupts_are_polled_for_each_job() -> None:
    interrupts = RecordedInterrupts()
    listener = listener_to(interrupts, poll_seconds=7)

    with listener.running():
        for _ in range(2):
            with listener.supervising():
                assert all(interrupts.polls.acquire(timeout=PATIENCE) for _ in range(2))

    assert set(interrupts.waited) == {7}


def test_interrupts_are_not_polled_while_no_job_runs() -> None:
    interrupts, waiting = RecordedInterrupts(), RecordedCondition()
    listener = listener_to(interrupts)
    listener._changed = waiting

    with listener.running():
        assert waiting.asleep.wait(PATIENCE)
    join("interrupts")

    assert interrupts.waited == []


def test_listener_stops_with_its_session() -> None:
    interrupts = RecordedInterrupts()
    listener = listener_to(interrupts)

    with listener.running(), listener.supervising():
        assert interrupts.polls.acquire(timeout=PATIENCE)

    join("interrupts")
