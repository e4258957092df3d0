"""Daily budgets of projects and senders, in dollars.

    accepted ──reserve──▶ counts the usual cost of a job ──final report──▶ counts the cost that the proxy measured

Promises:
- When the counted amount reaches the daily budget, no job is accepted; an accepted job may use what was left then. So
  the budget is exceeded only by jobs accepted before it was exhausted, each by at most its own budget.
- A job counts once for its project and once for its sender, however often it is parsed or reported.
- A job without a final report counts the reserved amount. Only the report of the fence's owner counts, once, and never
  as a negative amount.
- A cost replaces the reservation of its job and never creates one, so a job's record cannot name another sender or
  project to charge.

Days are in UTC. A job counts for the day on which it was accepted.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from webordinary.contract.messages.job import Job
from webordinary.contract.values import limit
from webordinary.tables.idempotency import IdempotencyTable, Purpose

MICRO = 1_000_000  # integers add up exactly
KEPT_FOR = timedelta(days=5)  # longer than a job may wait
LEAST = 0.25  # dollars that a job needs to start
NEARLY = 0.8  # share of a budget at which a metric warns the operator
MOST_OVER = 4  # a report counts at most this multiple of the job's budget, for requests in flight


@dataclass(frozen=True)
class Account:
    kind: str
    subject: str
    dollars_per_day: float


@dataclass(frozen=True)
class Reservation:
    """The budget of a job, 0 if too little is left. `nearly_spent` is true if an account is nearly empty."""

    dollars: float
    nearly_spent: bool

    @property
    def is_enough(self) -> bool:
        return self.dollars >= LEAST


@dataclass(frozen=True)
class Budgets:
    table: IdempotencyTable

    def reserve(self, job_id: str, day: datetime, project: Account, sender: Account) -> Reservation:
        """Reserves the usual cost of a job. The job may cost more, as far as both accounts allow."""
        accounts = (project, sender)
        reserved, most, nearly = limit("dollars_reserved_per_job") * MICRO, limit("dollars_per_job") * MICRO, False
        for account in accounts:
            amounts = self.table.reserve_amount(*_key(account, day), member=job_id, amount=reserved, kept_for=KEPT_FOR)
            left = int(account.dollars_per_day * MICRO) - (amounts.total - amounts.own)
            most = max(0, min(most, left))
            nearly = nearly or amounts.total >= NEARLY * account.dollars_per_day * MICRO
        if most < LEAST * MICRO:
            most = 0
        for account in accounts:
            amount = min(reserved, most)
            self.table.settle_amount(*_key(account, day), member=job_id, amount=amount, kept_for=KEPT_FOR)
        return Reservation(most / MICRO, nearly)

    def settle(self, job: Job, dollars: float) -> None:
        """Replaces the reserved amount with the actual cost."""
        if job.max_dollars is None:
            return
        most = MOST_OVER * min(max(job.max_dollars, LEAST), limit("dollars_per_job"))
        amount = int(min(max(dollars, 0.0), most) * MICRO)
        for kind, subject in (("project", job.pair.project), ("sender", job.envelope.sender.lower())):
            key = _key(Account(kind, subject, 0.0), job.received_at)
            self.table.settle_amount(*key, member=job.job_id, amount=amount, kept_for=KEPT_FOR)


def _key(account: Account, day: datetime) -> tuple[Purpose, str, str, str]:
    return Purpose.DOLLARS, account.kind, account.subject, day.strftime("%Y-%m-%d")
