"""The unfinished-jobs table: the ids of a pair's waiting and running jobs.

The jobs table keeps all mails of a pair for 90 days, and a read of them costs as much as they are long. These records
have keys only, and an index of the jobs table could not be read consistently.

Promise: every waiting or running job is listed. A job is listed before it is recorded, and removed after it is settled.
So a listed job may have ended, or may never have been recorded: readers check its record.

A job that is not listed (recorded by an earlier version, or restored from a backup) is listed by the sweep before it
requests a worker. Workers cannot write this table.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from webordinary.aws.clients import Clock, utc_now
from webordinary.contract.messages.base import Pair
from webordinary.contract.names import Names
from webordinary.tables.items import from_item, to_values

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

KEPT = timedelta(days=30)  # longer than any job waits; removes what a crash left


class UnfinishedJobs:
    def __init__(self, client: DynamoDBClient, names: Names, clock: Clock = utc_now) -> None:
        self._client = client
        self._table = names.table("unfinished_jobs")
        self._clock = clock

    def add(self, pair: Pair, job_id: str) -> None:
        ends = int((self._clock() + KEPT).timestamp())
        item = {"projectKey": pair.key, "jobId": job_id, "ttl": ends}
        self._client.put_item(TableName=self._table, Item=to_values(item))

    def remove(self, pair: Pair, job_id: str) -> None:
        key = to_values({"projectKey": pair.key, "jobId": job_id})
        self._client.delete_item(TableName=self._table, Key=key)

    def of(self, pair: Pair) -> Iterator[str]:
        """The ids of the listed jobs of a pair, read consistently."""
        pages = self._client.get_paginator("query").paginate(
            TableName=self._table,
            ConsistentRead=True,
            KeyConditionExpression="projectKey = :pair",
            ExpressionAttributeValues=to_values({":pair": pair.key}),
        )
        for page in pages:
            for item in page["Items"]:
                yield str(from_item(item)["jobId"])
