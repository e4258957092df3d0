"""Pauses of one project, or of all projects. No agent runs during a pause.

No worker is requested for a paused project or assigned to it, and a worker that serves it requeues its job and leaves
within seconds. Mails are accepted and wait; the sweep resumes them within a minute after the pause.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webordinary.aws.clients import Clock, utc_now
from webordinary.contract.names import Names
from webordinary.tables.items import from_item, milliseconds, to_values

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

EVERYTHING = "pause"  # a key that no project has


class Pauses:
    def __init__(self, client: DynamoDBClient, names: Names, clock: Clock = utc_now) -> None:
        self._client = client
        self._table = names.table("project_configs")
        self._clock = clock

    def pause(self, project: str | None = None) -> None:
        """Pauses a project, or all projects."""
        item = {"pk": _key(project), "since": milliseconds(self._clock())}
        self._client.put_item(TableName=self._table, Item=to_values(item))

    def resume(self, project: str | None = None) -> None:
        """Ends this pause only: a paused project stays paused when the pause of all projects ends."""
        self._client.delete_item(TableName=self._table, Key=to_values({"pk": _key(project)}))

    def all(self) -> list[str | None]:
        """The paused projects; None means all projects."""
        pages = self._client.get_paginator("scan").paginate(
            TableName=self._table,
            FilterExpression="begins_with(pk, :pause)",
            ExpressionAttributeValues=to_values({":pause": EVERYTHING}),
        )
        keys = sorted(from_item(item)["pk"] for page in pages for item in page["Items"])
        return [key.partition("#")[2] or None for key in keys]

    def is_paused(self, project: str) -> bool:
        return self._has(EVERYTHING) or self._has(_key(project))

    def _has(self, key: str) -> bool:
        answer = self._client.get_item(TableName=self._table, Key=to_values({"pk": key}), ConsistentRead=True)
        return "Item" in answer


def _key(project: str | None) -> str:
    return EVERYTHING if project is None else f"{EVERYTHING}#{project}"
