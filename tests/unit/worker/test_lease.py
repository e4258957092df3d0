"""The lease keeper's judgement: when a worker may go on, and when it must stop."""

from __future__ import annotations

import threading
import time

import pytest
from botocore.exceptions import EndpointConnectionError

from tests.support.world import PAIR
from webordinary.platform.settings import Timing
from webordinary.tables.ownership import Ownership, OwnershipLostError
from webordinary_worker.lease import LeaseKeeper

TIMING = Timing.model_validate({"lease_seconds": 60, "renewal_seconds": 15})
OWNERSHIP = Ownership(PAIR, "worker-1", 1, None)


class Table:
    """Stands in for the table: answers renewals with what a test laid down."""

    def __init__(self, *answers: Exception | None) -> None:
        self._answers = list(answers)

    def renew(self, ownership: Ownership, *, active: bool = False) -> Ownership:  # noqa: ARG002
        answer = self._answers.pop(0) if self._answers else None
        if answer is not None:
            raise answer
        return ownership


class Seconds:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def unreachable() -> Exception:
    return EndpointConnectionError(endpoint_url="https://dynamodb.example.com")


def test_a_renewal_moves_the_deadline_to_a_lease_after_it_was_sent() -> None:
    seconds = Seconds()
    lease = LeaseKeeper(Table(), OWNERSHIP, TIMING, claim_sent_at=1000.0, monotonic=seconds)
    seconds.now = 1050.0
    lease.renew_once()
    seconds.now = 1109.0

    assert not lease.is_lost


def test_a_renewal_that_did_not_get_through_is_not_yet_a_lost_lease() -> None:
    lease = LeaseKeeper(Table(unreachable()), OWNERSHIP, TIMING, claim_sent_at=1000.0, monotonic=Seconds())

    assert not lease.renew_once()
    assert not lease.is_lost


def test_nothing_may_be_published_after_the_deadline() -> None:
    seconds = Seconds()
    lease = LeaseKeeper(Table(unreachable()), OWNERSHIP, TIMING, claim_sent_at=1000.0, monotonic=seconds)
    lease.renew_once()
    seconds.now = 1060.0

    with pytest.raises(OwnershipLostError):
        lease.check()


def test_a_refused_renewal_stops_the_work_at_once() -> None:
    quick = Timing.model_validate({"lease_seconds": 60, "renewal_seconds": 0.01})
    stopped = threading.Event()

    lease = LeaseKeeper(Table(OwnershipLostError(PAIR, 1)), OWNERSHIP, quick, claim_sent_at=time.monotonic())
    lease.when_lost(stopped.set)
    lease.start()

    assert stopped.wait(5)


def test_a_renewal_that_hangs_does_not_hide_the_deadline() -> None:

    class Hanging(Table):
        def renew(self, ownership: Ownership, *, active: bool = False) -> Ownership:  # noqa: ARG002
            threading.Event().wait(30)
            return ownership

    quick = Timing.model_validate({"lease_seconds": 0.3, "renewal_seconds": 0.05})
    stopped = threading.Event()
    lease = LeaseKeeper(Hanging(), OWNERSHIP, quick, claim_sent_at=time.monotonic())
    lease.when_lost(stopped.set)
    lease.start()

    assert stopped.wait(5)


def test_an_ended_lease_calls_nobody() -> None:

    quick = Timing.model_validate({"lease_seconds": 0.3, "renewal_seconds": 0.05})
    stopped = threading.Event()
    lease = LeaseKeeper(Table(), OWNERSHIP, quick, claim_sent_at=time.monotonic())
    lease.when_lost(stopped.set)
    lease.start()
    lease.end()

    assert not stopped.wait(0.5)
