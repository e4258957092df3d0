"""Budgets in dollars: of projects and senders per day, and of projects per month.

    accepted ──reserve──▶ counts the usual cost of a job ──final report──▶ counts the cost that the proxy measured

Promises:
- When the counted amount reaches a budget, no job is accepted; an accepted job may use what was left then. So the
  budget is exceeded only by jobs accepted before it was exhausted, each by at most its own budget.
- A job counts once for its project, its sender and its month, however often it is parsed or reported.
- A job without a final report counts the reserved amount. Only the report of the fence's owner counts, once, and never
  as a negative amount.
- A cost replaces the reservation of its job and never creates one, so a job's record cannot name another sender or
  project to charge.

Days and months are in UTC. A job counts for the day on which it was accepted. The month's amounts are in `spending`.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Job
from webordinary.contract.values import contract, limit
from webordinary.tables.idempotency import IdempotencyTable, Purpose
from webordinary.tables.items import MICRO
from webordinary.tables.spending import Spending, month_of

if TYPE_CHECKING:
    from webordinary.contract.messages.outcome import Usage

KEPT_FOR = timedelta(days=5)  # longer than a job may wait
LEAST = 0.25  # dollars that a job needs to start
NEARLY = 0.8  # share of a budget at which a metric warns the operator
MOST_OVER = 4  # a report counts at most this multiple of the job's budget, for requests in flight


class Account(NamedTuple):
    kind: str
    subject: str
    dollars_per_day: float


class MonthAccount(NamedTuple):
    pair: Pair
    dollars_per_month: float  # of the pair's project


class Reservation(NamedTuple):
    """The budget of a job, 0 if too little is left.

    `nearly_spent` is true if a daily account is nearly empty, `month_nearly_spent` if that of the month is.
    """

    dollars: float
    nearly_spent: bool
    month_nearly_spent: bool = False
    month_is_spent: bool = False

    @property
    def is_enough(self) -> bool:
        return self.dollars >= LEAST


class Budgets(NamedTuple):
    table: IdempotencyTable
    spending: Spending

    def reserve(
        self, job_id: str, day: datetime, project: Account, sender: Account, month: MonthAccount
    ) -> Reservation:
        """Reserves the usual cost of a job. The job may cost more, as far as all accounts allow."""
        accounts = (project, sender)
        reserved, most, nearly = limit("dollars_reserved_per_job") * MICRO, limit("dollars_per_job") * MICRO, False
        for account in accounts:
            amounts = self.table.reserve_amount(*_key(account, day), member=job_id, amount=reserved, kept_for=KEPT_FOR)
            left = int(account.dollars_per_day * MICRO) - (amounts.total - amounts.own)
            most = max(0, min(most, left))
            nearly = nearly or amounts.total >= NEARLY * account.dollars_per_day * MICRO
        # Written before it is read: of two concurrent jobs, at least one sees both.
        self.spending.reserve(month.pair, job_id, day, reserved)
        others, own = self._amounts_of_month(month.pair.project, job_id, day)
        left_of_month = int(month.dollars_per_month * MICRO) - others
        most = max(0, min(most, left_of_month))
        if most < LEAST * MICRO:
            most = 0
        amount = min(reserved, most)
        for account in accounts:
            self.table.settle_amount(*_key(account, day), member=job_id, amount=amount, kept_for=KEPT_FOR)
        if amount == 0:
            self.spending.release(month.pair, job_id, day)
        elif amount != reserved:
            self.spending.reserve(month.pair, job_id, day, amount)
        return Reservation(
            most / MICRO,
            nearly,
            month_nearly_spent=others + own >= NEARLY * month.dollars_per_month * MICRO,
            month_is_spent=left_of_month < LEAST * MICRO,
        )

    def count_job(self, pair: Pair, job_id: str, day: datetime) -> None:
        """Counts a job that usually costs nothing, so that its mail and its cost appear in the month's spending."""
        self.spending.reserve(pair, job_id, day, 0)

    def settle(self, job: Job, usage: Usage) -> None:
        """Replaces the reserved amount with the actual cost."""
        budget = limit("dollars_per_job") if job.max_dollars is None else job.max_dollars
        most = MOST_OVER * min(max(budget, LEAST), limit("dollars_per_job"))
        amount = int(min(max(usage.dollars, 0.0), most) * MICRO)
        seconds = min(max(usage.seconds, 0.0), contract()["timing"]["job_seconds"])
        self.spending.settle(job.pair, job.job_id, job.received_at, amount, seconds)
        if job.max_dollars is None:
            return
        for kind, subject in (("project", job.pair.project), ("sender", job.envelope.sender.lower())):
            key = _key(Account(kind, subject, 0.0), job.received_at)
            self.table.settle_amount(*key, member=job.job_id, amount=amount, kept_for=KEPT_FOR)

    def _amounts_of_month(self, project: str, job_id: str, day: datetime) -> tuple[int, int]:
        """The amounts of the project's other jobs, and of this one."""
        jobs = self.spending.of_month(project, month_of(day), consistent=True).jobs
        others = sum(round((one.dollars + one.reserved) * MICRO) for one in jobs if one.job_id != job_id)
        return others, sum(round((one.dollars + one.reserved) * MICRO) for one in jobs if one.job_id == job_id)


def _key(account: Account, day: datetime) -> tuple[Purpose, str, str, str]:
    return Purpose.DOLLARS, account.kind, account.subject, day.strftime("%Y-%m-%d")
