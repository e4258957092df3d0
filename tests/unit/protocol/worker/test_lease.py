"""The lease as its owner sees it: deadline, renewal and loss."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from tests.support.world import PAIR
from webordinary.contract.settings import Timing
from webordinary.protocol.worker.lease import RETRY_DIVISOR, Lease
from webordinary.tables.ownership import Ownership, OwnershipLostError, RunningCost

TIMING = Timing.model_validate({"lease_seconds": 60, "renewal_seconds": 15})
OWNERSHIP = Ownership(PAIR, "worker-1", 1, None)
COST = RunningCost("mail-1", 0.25)


class Table:
    """A fake table: each renewal takes `takes` seconds and gets the next scripted answer."""

    def __init__(self, *answers: Exception | None, takes: float = 0.0) -> None:
        self.now = 1000.0
        self.activity: list[bool] = []
        self.costs: list[RunningCost | None] = []
        self._answers = list(answers)
        self._takes = takes

    def monotonic(self) -> float:
        return self.now

    def renew(self, ownership: Ownership, *, active: bool = False, cost: RunningCost | None = None) -> Ownership:
        self.activity.append(active)
        self.costs.append(cost)
        self.now += self._takes
        answer = self._answers.pop(0) if self._answers else None
        if answer is not None:
            raise answer
        return ownership


def lease_over(table: Table) -> Lease:
    return Lease(table, OWNERSHIP, TIMING, claim_sent_at=table.now, monotonic=table.monotonic)


def unreachable() -> Exception:
    return EndpointConnectionError(endpoint_url="https://dynamodb.example.com")


def error_named(code: str) -> Exception:
    return ClientError({"Error": {"Code": code, "Message": "no"}}, "UpdateItem")


def busy_lease(table: Table) -> Lease:
    lease = lease_over(table)
    lease.busy = True
    lease.cost = lambda: COST
    return lease


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


def test_renewal_reports_the_cost_of_the_running_job_only() -> None:
    table = Table()
    lease = busy_lease(table)

    lease.renew()
    lease.busy = False
    lease.renew()

    assert table.costs == [COST, None]


def test_cost_that_an_older_policy_denies_is_not_reported_again() -> None:
    table = Table(error_named("AccessDeniedException"))
    lease = busy_lease(table)

    assert lease.renew() == TIMING.renewal_seconds / RETRY_DIVISOR
    lease.renew()
    lease.renew()

    assert table.costs == [COST, None, None]
    assert not lease.is_lost


@pytest.mark.parametrize("error", [error_named("ThrottlingException"), unreachable()])
def test_cost_is_reported_again_after_another_error(error: Exception) -> None:
    table = Table(error)
    lease = busy_lease(table)

    lease.renew()
    lease.renew()

    assert table.costs == [COST, COST]


def test_cost_that_cannot_be_counted_does_not_stop_renewals() -> None:
    table = Table()
    lease = busy_lease(table)

    def fail() -> RunningCost:
        raise KeyError("an unknown model")

    lease.cost = fail

    assert lease.renew() == TIMING.renewal_seconds
    assert table.costs == [None]
