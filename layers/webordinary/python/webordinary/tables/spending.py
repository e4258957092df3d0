"""The spending table: what each project cost, by person and day.

    accepted ──reserve──▶ `reserved-<job>` ──final report──▶ `spent-<job>`
        └── refused for its budget ──release──▶ nothing

One item per project, day and user; one attribute per job in it. So a month of a project is one query, and an item has
at most as many attributes as a project may send mails a day.

Promises:
- A job counts once, however often it is parsed or reported: its cost replaces its reservation in one write.
- A cost never creates an entry: what was not accepted here cannot be charged.
- A job that ends without a report keeps its reservation.
- Items are kept for 14 months after their day.

Days are in UTC. A job counts for the day on which it was accepted. Workers have no access to this table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from webordinary.aws.clients import Clock, utc_now
from webordinary.contract.errors import WebordinaryError
from webordinary.contract.messages.base import Pair
from webordinary.contract.names import Names
from webordinary.tables.items import MICRO, from_item, milliseconds, to_values

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

KEPT_FOR = timedelta(days=430)
MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")
RESERVED, SPENT = "reserved-", "spent-"
NOT_SPENT = "attribute_not_exists(#spent)"
IS_RESERVED = "attribute_exists(#reserved)"


class InvalidMonthError(WebordinaryError, ValueError):
    def __init__(self, month: str) -> None:
        super().__init__(f"'{month}' is not a month. Write it as 2026-11.")


class JobSpend(NamedTuple):
    """The cost of one job, in dollars. Without a report yet, only `reserved` is known."""

    job_id: str
    user: str
    day: date
    dollars: float = 0.0
    reserved: float = 0.0
    seconds: float = 0.0  # of a worker
    ended_at: datetime | None = None


class DaySpend(NamedTuple):
    """The sums of one day. `reserved` belongs to jobs without a report; it is not part of `dollars`."""

    day: date
    dollars: float
    reserved: float
    mails: int


@dataclass(frozen=True)
class MonthSpend:
    project: str
    month: str
    jobs: tuple[JobSpend, ...] = field(repr=False)

    @property
    def dollars(self) -> float:
        return sum(job.dollars for job in self.jobs)

    @property
    def reserved(self) -> float:
        return sum(job.reserved for job in self.jobs)

    @property
    def mails(self) -> int:
        return len(self.jobs)

    def by_day(self) -> list[DaySpend]:
        """The days with mails, oldest first."""
        return [_sum_of_day(day, [job for job in self.jobs if job.day == day]) for day in self._days()]

    def of_day(self, day: date) -> float:
        return sum(job.dollars for job in self.jobs if job.day == day)

    def by_user(self) -> dict[str, tuple[JobSpend, ...]]:
        return {user: tuple(job for job in self.jobs if job.user == user) for user in self._users()}

    def _days(self) -> list[date]:
        return sorted({job.day for job in self.jobs})

    def _users(self) -> list[str]:
        return sorted({job.user for job in self.jobs})


class Spending:
    def __init__(self, client: DynamoDBClient, names: Names, clock: Clock = utc_now) -> None:
        self._client = client
        self._table = names.table("spending")
        self._clock = clock

    def reserve(self, pair: Pair, job_id: str, accepted_at: datetime, micro_dollars: int) -> None:
        """Counts the job with this amount until its cost is known. A job whose cost is known keeps it."""
        self._update_if(
            _key(pair, accepted_at),
            job_id,
            "SET #reserved = :amount, #ttl = :ttl",
            NOT_SPENT,
            {":amount": micro_dollars, ":ttl": self._expires_after(accepted_at)},
        )

    def release(self, pair: Pair, job_id: str, accepted_at: datetime) -> None:
        """Removes the reservation of a job that was refused."""
        self._update_if(_key(pair, accepted_at), job_id, "REMOVE #reserved", IS_RESERVED, {})

    def settle(self, pair: Pair, job_id: str, accepted_at: datetime, micro_dollars: int, seconds: float) -> bool:
        """Replaces the reservation by the cost. False if there is none: it was settled before, or never accepted."""
        spent = {"dollars": micro_dollars, "milliseconds": int(seconds * 1000), "endedAt": milliseconds(self._clock())}
        return self._update_if(
            _key(pair, accepted_at),
            job_id,
            "SET #spent = :spent, #ttl = :ttl REMOVE #reserved",
            IS_RESERVED,
            {":spent": spent, ":ttl": self._expires_after(accepted_at)},
        )

    def of_month(self, project: str, month: str, *, consistent: bool = False) -> MonthSpend:
        """The spending of a project in a month such as `2026-11`."""
        if not MONTH.fullmatch(month):
            raise InvalidMonthError(month)
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            ConsistentRead=consistent,
            KeyConditionExpression="projectId = :project AND begins_with(dayUser, :month)",
            ExpressionAttributeValues=to_values({":project": project, ":month": f"{month}-"}),
        )
        items = (from_item(item) for page in pages for item in page["Items"])
        return MonthSpend(project, month, tuple(job for item in items for job in _jobs_in(item)))

    def _update_if(
        self, key: dict[str, Any], job_id: str, expression: str, condition: str, values: dict[str, Any]
    ) -> bool:
        names = {"#reserved": f"{RESERVED}{job_id}", "#spent": f"{SPENT}{job_id}", "#ttl": "ttl"}
        given: Any = {"ExpressionAttributeValues": to_values(values)} if values else {}
        try:
            self._client.update_item(
                TableName=self._table,
                Key=key,
                UpdateExpression=expression,
                ConditionExpression=condition,
                # DynamoDB refuses names that the expressions do not use.
                ExpressionAttributeNames={
                    name: attribute for name, attribute in names.items() if name in f"{expression} {condition}"
                },
                **given,
            )
        except self._client.exceptions.ConditionalCheckFailedException:
            return False
        return True

    def _expires_after(self, accepted_at: datetime) -> int:
        return int((accepted_at + KEPT_FOR).timestamp())


def month_of(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m")


def start_of_next_month(at: datetime) -> datetime:
    first = at.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return (first + timedelta(days=32)).replace(day=1)


def _key(pair: Pair, accepted_at: datetime) -> dict[str, Any]:
    day = accepted_at.astimezone(UTC).strftime("%Y-%m-%d")
    return to_values({"projectId": pair.project, "dayUser": f"{day}#{pair.user}"})


def _jobs_in(item: dict[str, Any]) -> Iterator[JobSpend]:
    day, _, user = str(item["dayUser"]).partition("#")
    for name, value in item.items():
        if name.startswith(RESERVED):
            yield JobSpend(name.removeprefix(RESERVED), user, date.fromisoformat(day), reserved=value / MICRO)
        elif name.startswith(SPENT):
            yield JobSpend(
                name.removeprefix(SPENT),
                user,
                date.fromisoformat(day),
                dollars=value["dollars"] / MICRO,
                seconds=value["milliseconds"] / 1000,
                ended_at=datetime.fromtimestamp(value["endedAt"] / 1000, UTC),
            )


def _sum_of_day(day: date, jobs: list[JobSpend]) -> DaySpend:
    return DaySpend(
        day=day,
        dollars=sum(job.dollars for job in jobs),
        reserved=sum(job.reserved for job in jobs),
        mails=len(jobs),
    )
