"""Second attempts of jobs that ended because the model's provider was busy. They are records of the jobs table.

    failed ──settle──▶ due at `triesAgainAt` ──claim──▶ claimed by its second attempt or a newer job ──finish──▶ settled

Promises:
- One job claims it: the second attempt, or a newer mail of the thread, for example a stop.
- The same job may claim it again, so that a repeated call has the same effect.
- A record stays in the index of due attempts until its time. Then its second attempt is started, unless a newer job has
  claimed it.

The index lags behind; the conditional write decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Job
from webordinary.contract.names import Names
from webordinary.contract.outcomes import Command, Failure
from webordinary.tables.items import from_item, to_values
from webordinary.tables.job_records import JobRecord, read_or_report
from webordinary.tables.jobs import DUE

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from webordinary.contract.messages.outcome import Outcome

SUFFIX = "-later"
LONGEST_ID = 80
FREE_OR_OWN = "attribute_not_exists(takenBy) OR takenBy = :by"
CLAIMABLE = f"#open = :due AND ({FREE_OR_OWN})"
IS_DUE = "#open = :due"


def gets_second_attempt(job: Job, outcome: Outcome) -> bool:
    """Only edits, once, and never silently: the sender is promised another reply."""
    is_first = job.command is Command.EDIT and not job.repeated and not job.silent
    return outcome.failure is Failure.MODEL_BUSY and is_first and len(job.job_id) + len(SUFFIX) <= LONGEST_ID


class SecondAttempts:
    def __init__(self, client: DynamoDBClient, names: Names) -> None:
        self._client = client
        self._table = names.table("jobs")
        self._index = names.index("open_jobs")

    def due(self, now: datetime) -> Iterator[JobRecord]:
        """The attempts that are due, oldest first."""
        yield from self._query("#open = :due AND receivedAt <= :now", {":now": now.isoformat()})

    def waiting_in(self, pair: Pair, by: str, thread_id: str | None = None) -> list[JobRecord]:
        """The attempts of a pair, or of its thread, that the job `by` can claim."""
        chosen, values = f"projectKey = :pair AND ({FREE_OR_OWN})", {":pair": pair.key, ":by": by}
        if thread_id is not None:
            chosen, values = f"{chosen} AND threadId = :thread", {**values, ":thread": thread_id}
        return list(self._query("#open = :due", values, chosen))

    def claim(self, record: JobRecord, by: str) -> bool:
        """Whether the job `by` has this attempt now."""
        return self._update(record, "SET takenBy = :by", CLAIMABLE, {":by": by})

    def finish(self, record: JobRecord) -> None:
        """Removes the record from the due attempts."""
        received = record.job.received_at.isoformat()
        self._update(record, "SET receivedAt = :received REMOVE #open", IS_DUE, {":received": received})

    def _query(self, key: str, values: dict[str, Any], chosen: str | None = None) -> Iterator[JobRecord]:
        filtered: Any = {"FilterExpression": chosen} if chosen else {}
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            IndexName=self._index,
            KeyConditionExpression=key,
            ExpressionAttributeNames={"#open": "open"},
            ExpressionAttributeValues=to_values({":due": DUE, **values}),
            **filtered,
        )
        found = (read_or_report(from_item(item)) for page in pages for item in page["Items"])
        return (record for record in found if isinstance(record, JobRecord))

    def _update(self, record: JobRecord, expression: str, condition: str, values: dict[str, Any]) -> bool:
        try:
            self._client.update_item(
                TableName=self._table,
                Key=to_values({"projectKey": record.pair.key, "jobId": record.job_id}),
                UpdateExpression=expression,
                ConditionExpression=condition,
                ExpressionAttributeNames={"#open": "open"},
                ExpressionAttributeValues=to_values({":due": DUE, **values}),
            )
        except self._client.exceptions.ConditionalCheckFailedException:
            return False
        return True
