"""Pauses of one project, or of all projects. No agent runs during a pause.

No worker is requested for a paused project or assigned to it, and a worker that serves it requeues its job and leaves
within seconds. Mails are accepted and wait; the sweep resumes them within a minute after the pause.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from webordinary.aws.clients import Clock, utc_now
from webordinary.contract.names import Names
from webordinary.tables.items import from_item, milliseconds, to_values

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

EVERYTHING = "pause"  # a key that no project has
LIST = "list-of-pauses"  # for the console


class Pauses:
    def __init__(self, client: DynamoDBClient, names: Names, clock: Clock = utc_now) -> None:
        self._client = client
        self._table = names.table("project_configs")
        self._clock = clock

    def listed(self) -> list[str | None]:
        """The pauses that this version made, in one read. `all` also finds those of an earlier version."""
        answer = self._client.get_item(TableName=self._table, Key=to_values({"pk": LIST}))
        keys = from_item(answer.get("Item") or {}).get("pauses") or ()
        return [key.partition("#")[2] or None for key in sorted(keys)]

    def pause(self, project: str | None = None) -> None:
        """Pauses a project, or all projects."""
        item = {"pk": _key(project), "since": milliseconds(self._clock())}
        self._list("ADD", project)  # first: after a crash the list has one too many, which resuming removes
        self._client.put_item(TableName=self._table, Item=to_values(item))

    def resume(self, project: str | None = None) -> None:
        """Ends this pause only: a paused project stays paused when the pause of all projects ends."""
        self._client.delete_item(TableName=self._table, Key=to_values({"pk": _key(project)}))
        self._list("DELETE", project)

    def all(self) -> list[str | None]:
        """The paused projects; None means all projects."""
        pages = self._client.get_paginator("scan").paginate(
            TableName=self._table,
            FilterExpression="begins_with(pk, :pause)",
            ExpressionAttributeValues=to_values({":pause": EVERYTHING}),
        )
        keys = sorted(from_item(item)["pk"] for page in pages for item in page["Items"])
        return [key.partition("#")[2] or None for key in keys]

    def _list(self, verb: str, project: str | None) -> None:
        self._client.update_item(
            TableName=self._table,
            Key=to_values({"pk": LIST}),
            UpdateExpression=f"{verb} pauses :pause",
            ExpressionAttributeValues=to_values({":pause": {_key(project)}}),
        )

    def is_paused(self, project: str) -> bool:
        return self._has(EVERYTHING) or self._has(_key(project))

    def remembered(self) -> Callable[[str], bool]:
        """`is_paused` for one run of a function: each pause is read once."""
        has = cache(self._has)
        return lambda project: has(EVERYTHING) or has(_key(project))

    def _has(self, key: str) -> bool:
        answer = self._client.get_item(TableName=self._table, Key=to_values({"pk": key}), ConsistentRead=True)
        return "Item" in answer


def _key(project: str | None) -> str:
    return EVERYTHING if project is None else f"{EVERYTHING}#{project}"
