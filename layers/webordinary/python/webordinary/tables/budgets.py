"""What a project and a sender may cost in a day, in dollars.

    accepted ──reserve──▶ counts what jobs usually cost ──the owner's last report──▶ counts what the worker's proxy saw

Promises:
- Once what counts has reached the day's budget, nothing more is accepted; a job that was may use what was left then.
  So the day is exceeded only by those that were accepted before it was used up, each by no more than its own budget.
- A job counts once for its project and once for its sender, however often it is parsed or reported.
- A job whose end nobody reports counts what was reserved for it. A report counts from the owner of the job's fence
  only, once, and never as less than nothing.

Days are those of UTC. A job counts for the day on which it was accepted.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from webordinary.contract.messages.job import Job
from webordinary.contract.values import limit
from webordinary.tables.idempotency import IdempotencyTable, Purpose

MICRO = 1_000_000  # whole numbers add up exactly
KEPT_FOR = timedelta(days=5)  # longer than a job may wait
LEAST = 0.25  # dollars that are worth beginning with
NEARLY = 0.8  # of a budget, from where the operator is told
MOST_OVER = 4  # times its budget that a report may count, for requests that were on their way


@dataclass(frozen=True)
class Account:
    kind: str
    subject: str
    dollars_per_day: float


@dataclass(frozen=True)
class Reservation:
    """What a job may cost; too little to begin with is nothing. `nearly_spent` says that an account is about empty."""

    dollars: float
    nearly_spent: bool

    @property
    def is_enough(self) -> bool:
        return self.dollars >= LEAST


@dataclass(frozen=True)
class Budgets:
    table: IdempotencyTable

    def reserve(self, job_id: str, day: datetime, project: Account, sender: Account) -> Reservation:
        """Sets aside what one job usually costs. It may cost more, as far as both accounts have it."""
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
        """Counts what the job has cost in place of what was reserved for it."""
        if job.max_dollars is None:
            return
        most = MOST_OVER * max(job.max_dollars, LEAST)
        amount = int(min(max(dollars, 0.0), most) * MICRO)
        for kind, subject in (("project", job.pair.project), ("sender", job.envelope.sender.lower())):
            key = _key(Account(kind, subject, 0.0), job.received_at)
            self.table.settle_amount(*key, member=job.job_id, amount=amount, kept_for=KEPT_FOR)


def _key(account: Account, day: datetime) -> tuple[Purpose, str, str, str]:
    return Purpose.DOLLARS, account.kind, account.subject, day.strftime("%Y-%m-%d")
