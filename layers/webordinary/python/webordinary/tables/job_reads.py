"""Reads of the jobs table. Reads of a pair's jobs are consistent; those of the open-jobs index lag."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from webordinary.aws.clients import Clock, utc_now
from webordinary.contract.errors import UnknownJobError
from webordinary.contract.messages.base import Pair
from webordinary.contract.names import Names
from webordinary.tables.items import from_item, to_values
from webordinary.tables.job_records import JobRecord, JobState, UnreadableJob, read_or_report, read_record
from webordinary.tables.unfinished_jobs import UnfinishedJobs

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

# A worker can write a state, but not `open`: a state without it is not one of our jobs.
RECORDED_AND_OPEN = "attribute_exists(#open) AND #state IN (:waiting, :running)"
READ_AT_ONCE = 100


class JobReads:
    """The reads of `JobsTable`."""

    def __init__(self, client: DynamoDBClient, names: Names, clock: Clock = utc_now) -> None:
        self._client = client
        self._table = names.table("jobs")
        self._open_index = names.index("open_jobs")
        self._clock = clock
        self._unfinished = UnfinishedJobs(client, names, clock)

    def get(self, pair: Pair, job_id: str) -> JobRecord:
        answer = self._client.get_item(TableName=self._table, Key=job_key(pair, job_id), ConsistentRead=True)
        if "Item" not in answer:
            raise UnknownJobError(pair.key, job_id)
        return read_record(from_item(answer["Item"]))

    def find(self, pair: Pair, job_id: str) -> JobRecord | None:
        """The record of a job, by a query: sessions of a pair may not read single items. None if it is unreadable."""
        answer = self._client.query(
            TableName=self._table,
            ConsistentRead=True,
            KeyConditionExpression="projectKey = :pair AND jobId = :job",
            ExpressionAttributeValues=to_values({":pair": pair.key, ":job": job_id}),
        )
        found = [read_or_report(from_item(item)) for item in answer["Items"]]
        return next((record for record in found if isinstance(record, JobRecord)), None)

    def get_all(self, keys: Sequence[tuple[Pair, str]]) -> dict[str, JobRecord]:
        """The readable records of up to 100 jobs, by job id. For people: not read consistently."""
        if not keys:
            return {}
        wanted: Any = {self._table: {"Keys": [job_key(pair, job_id) for pair, job_id in keys]}}
        items = self._client.batch_get_item(RequestItems=wanted)["Responses"].get(self._table, [])
        found = [read_or_report(from_item(item)) for item in items]
        return {record.job_id: record for record in found if isinstance(record, JobRecord)}

    def first_open_jobs(self, limit: int) -> list[JobRecord | UnreadableJob]:
        """The oldest unsettled jobs, in one read of the index."""
        answer = self._client.query(
            TableName=self._table,
            IndexName=self._open_index,
            KeyConditionExpression="#open = :open",
            ExpressionAttributeNames={"#open": "open"},
            ExpressionAttributeValues=to_values({":open": "open"}),
            Limit=limit,
        )
        return [read_or_report(from_item(item)) for item in answer["Items"]]

    def open_jobs(self, after: str | None = None) -> Iterator[JobRecord | UnreadableJob]:
        """All unsettled jobs, oldest first. The index lags: conditional writes decide, not this list.

        `after` is the `received_at` of the last job of the previous page, in ISO format.
        """
        condition, values = "#open = :open", {":open": "open"}
        if after is not None:
            condition, values = f"{condition} AND receivedAt > :after", {**values, ":after": after}
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            IndexName=self._open_index,
            KeyConditionExpression=condition,
            ExpressionAttributeNames={"#open": "open"},
            ExpressionAttributeValues=to_values(values),
        )
        for page in pages:
            for item in page["Items"]:
                yield read_or_report(from_item(item))

    def open_jobs_of(self, pair: Pair) -> list[JobRecord]:
        """Waiting and running jobs of a pair, oldest first, read consistently. The sweep handles unreadable ones."""
        records = [read_or_report(item) for item in self._items_of(pair, list(self._unfinished.of(pair)))]
        readable = [record for record in records if isinstance(record, JobRecord) and not record.state.is_final]
        return sorted(readable, key=lambda record: record.job.received_at)

    def all_jobs_of(self, pair: Pair) -> list[JobRecord | UnreadableJob]:
        """All recorded jobs of a pair, oldest first, read consistently."""
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            ConsistentRead=True,
            KeyConditionExpression="projectKey = :pair",
            ExpressionAttributeValues=to_values({":pair": pair.key}),
        )
        records = [read_or_report(from_item(item)) for page in pages for item in page["Items"]]
        return sorted(records, key=lambda record: record.received_at)

    def scan(self) -> Iterator[JobRecord | UnreadableJob]:
        """All jobs, unordered. A full scan, for operators."""
        for page in self._client.get_paginator("scan").paginate(TableName=self._table):
            for item in page["Items"]:
                yield read_or_report(from_item(item))

    def has_open_jobs(self, pair: Pair) -> bool:
        return self.open_job_of(pair) is not None

    def open_job_of(self, pair: Pair, preferred: str | None = None) -> str | None:
        """The id of an open job of this pair, if any: `preferred` if that one is open."""
        return next((job_id for job_id, _ in self._states_of(pair, preferred)), None)

    def waiting_job_of(self, pair: Pair) -> str | None:
        """The id of a waiting job of this pair, if any."""
        return next((job_id for job_id, state in self._states_of(pair) if state == JobState.WAITING), None)

    def _states_of(self, pair: Pair, first: str | None = None) -> Iterator[tuple[str, str]]:
        """Ids and states of open jobs. Projects nothing else: the broker has no access to their content."""
        for job_id in sorted(self._unfinished.of(pair), key=lambda one: one != first):
            values = {":pair": pair.key, ":job": job_id, ":waiting": "waiting", ":running": "running"}
            pages = self._client.get_paginator("query").paginate(
                TableName=self._table,
                ConsistentRead=True,
                KeyConditionExpression="projectKey = :pair AND jobId = :job",
                FilterExpression=RECORDED_AND_OPEN,
                ProjectionExpression="projectKey, jobId, #state",
                Select="SPECIFIC_ATTRIBUTES",  # the default, but the broker's policy requires it
                ExpressionAttributeNames={"#state": "state", "#open": "open"},
                ExpressionAttributeValues=to_values(values),
            )
            yield from ((job_id, str(from_item(item)["state"])) for page in pages for item in page["Items"])

    def _items_of(self, pair: Pair, job_ids: Sequence[str]) -> Iterator[dict[str, Any]]:
        for start in range(0, len(job_ids), READ_AT_ONCE):
            keys = [job_key(pair, job_id) for job_id in job_ids[start : start + READ_AT_ONCE]]
            wanted: Any = {self._table: {"Keys": keys, "ConsistentRead": True}}
            while wanted:  # DynamoDB may answer with a part
                answer = self._client.batch_get_item(RequestItems=wanted)
                yield from map(from_item, answer["Responses"].get(self._table, []))
                wanted = answer.get("UnprocessedKeys")


def job_key(pair: Pair, job_id: str) -> dict[str, Any]:
    return to_values({"projectKey": pair.key, "jobId": job_id})
