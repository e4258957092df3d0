"""The lease as its owner sees it: deadline, renewal and loss."""

from __future__ import annotations

import pytest
from botocore.exceptions import EndpointConnectionError

from tests.support.world import PAIR
from webordinary.contract.settings import Timing
from webordinary.protocol.worker.lease import RETRY_DIVISOR, Lease
from webordinary.tables.ownership import Ownership, OwnershipLostError

TIMING = Timing.model_validate({"lease_seconds": 60, "renewal_seconds": 15})
OWNERSHIP = Ownership(PAIR, "worker-1", 1, None)


class Table:
    """A fake table: each renewal takes `takes` seconds and gets the next scripted answer."""

    def __init__(self, *answers: Exception | None, takes: float = 0.0) -> None:
        self.now = 1000.0
        self.activity: list[bool] = []
        self._answers = list(answers)
        self._takes = takes

    def monotonic(self) -> float:
        return self.now

    def renew(self, ownership: Ownership, *, active: bool = False) -> Ownership:
        self.activity.append(active)
        self.now += self._takes
        answer = self._answers.pop(0) if self._answers else None
        if answer is not None:
            raise answer
        return ownership


def lease_over(table: Table) -> Lease:
    return Lease(table, OWNERSHIP, TIMING, claim_sent_at=table.now, monotonic=table.monotonic)


def unreachable() -> Exception:
    return EndpointConnectionError(endpoint_url="https://dynamodb.example.com")


def test_renewal_extends_the_deadline_from_its_send_time() -> None:
    table = Table(takes=7)
    lease = lease_over(table)
    table.now = 1050.0
    lease.renew()

    table.now = 1109.9
    assert not lease.is_lost
    table.now = 1110.0
    assert lease.is_lost


def test_next_renewal_is_due_after_the_renewal_interval() -> None:
    assert lease_over(Table()).renew() == TIMING.renewal_seconds


def test_failed_renewal_is_retried_sooner_and_keeps_the_lease() -> None:
    lease = lease_over(Table(unreachable()))

    assert lease.renew() == TIMING.renewal_seconds / RETRY_DIVISOR
    assert not lease.is_lost


def test_failed_renewal_does_not_extend_the_deadline() -> None:
    table = Table(unreachable())
    lease = lease_over(table)
    table.now = 1050.0
    lease.renew()
    table.now = 1060.0

    with pytest.raises(OwnershipLostError):
        lease.check()


def test_rejected_renewal_loses_the_lease_at_once() -> None:
    calls: list[str] = []
    lease = lease_over(Table(OwnershipLostError(PAIR, 1)))
    lease.when_lost(lambda: calls.append("lost"))

    assert lease.renew() is None
    assert lease.is_lost
    assert calls == ["lost"]


def test_late_renewal_does_not_restore_a_lost_lease() -> None:
    table = Table()
    lease = lease_over(table)
    lease.lose()
    lease.renew()

    assert lease.is_lost


def test_callback_set_after_the_loss_is_called_at_once() -> None:
    calls: list[str] = []
    lease = lease_over(Table())
    lease.lose()

    lease.when_lost(lambda: calls.append("lost"))

    assert calls == ["lost"]


def test_lost_callback_is_called_once() -> None:
    calls: list[str] = []
    lease = lease_over(Table())
    lease.when_lost(lambda: calls.append("lost"))

    lease.lose()
    lease.lose()

    assert calls == ["lost"]


def test_renewal_reports_whether_a_job_runs() -> None:
    table = Table()
    lease = lease_over(table)

    lease.renew()
    lease.busy = True
    lease.renew()

    assert table.activity == [False, True]
