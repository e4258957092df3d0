"""Costs of a month by project and person: the model as metered, and AWS's share as estimated.

AWS's share is the number of mails and the minutes of the person's worker, with the contract's prices (`aws_costs`). A
worker serves one person, starts before the first mail, and stays idle for a while after the last one. Workers that
leave earlier, and Spot, cost less. What a deployment costs without any mail is not included.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

from webordinary.contract.messages.base import Message
from webordinary.contract.values import contract
from webordinary.tables.spending import JobSpend, MonthSpend

DECIMALS = 4


class CostRow(Message):
    """In dollars. `reserved` belongs to jobs without a report and is not part of `dollars`."""

    project: str
    user: str
    mails: int
    model_dollars: float
    worker_minutes: float
    aws_dollars: float
    dollars: float
    reserved: float


@dataclass(frozen=True)
class AwsPrices:
    as_of: str
    mail: float
    worker_minute: float
    start_minutes: float

    @classmethod
    def load(cls) -> Self:
        known = contract()["aws_costs"]
        minute, start = known["dollars_per_worker_minute"], known["start_minutes"]
        return cls(known["prices_as_of"], known["dollars_per_mail"], minute, start)


def rows_of(month: MonthSpend, prices: AwsPrices, idle: timedelta, now: datetime) -> list[CostRow]:
    """A row per person, sorted by name."""
    rows = []
    for user, jobs in month.by_user().items():
        model = sum(job.dollars for job in jobs)
        minutes = worker_minutes(jobs, timedelta(minutes=prices.start_minutes), idle, now)
        aws = len(jobs) * prices.mail + minutes * prices.worker_minute
        rows.append(
            CostRow(
                project=month.project,
                user=user,
                mails=len(jobs),
                model_dollars=round(model, DECIMALS),
                worker_minutes=round(minutes, 1),
                aws_dollars=round(aws, DECIMALS),
                dollars=round(model + aws, DECIMALS),
                reserved=round(sum(job.reserved for job in jobs), DECIMALS),
            )
        )
    return rows


def total_of(rows: Iterable[CostRow]) -> CostRow:
    every = list(rows)
    return CostRow(
        project="total",
        user="",
        mails=sum(row.mails for row in every),
        model_dollars=round(sum(row.model_dollars for row in every), DECIMALS),
        worker_minutes=round(sum(row.worker_minutes for row in every), 1),
        aws_dollars=round(sum(row.aws_dollars for row in every), DECIMALS),
        dollars=round(sum(row.dollars for row in every), DECIMALS),
        reserved=round(sum(row.reserved for row in every), DECIMALS),
    )


def worker_minutes(jobs: Iterable[JobSpend], start: timedelta, idle: timedelta, now: datetime) -> float:
    """The minutes for which a worker ran: from its start before a job until it was idle, without overlaps."""
    spans = sorted(
        (job.ended_at - timedelta(seconds=job.seconds) - start, min(job.ended_at + idle, now))
        for job in jobs
        if job.ended_at is not None and job.seconds > 0
    )
    total, until = timedelta(), datetime.min.replace(tzinfo=now.tzinfo)
    for begins, ends in spans:
        total += max(timedelta(), ends - max(begins, until))
        until = max(until, ends)
    return total.total_seconds() / 60
