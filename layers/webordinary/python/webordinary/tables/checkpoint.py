"""A bookmark: where a sweep stopped because its time ran out, for the next one to go on from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webordinary.platform.dynamodb_items import from_item, to_values
from webordinary.platform.names import Names

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@dataclass(frozen=True)
class Bookmark:
    client: DynamoDBClient
    names: Names

    def read(self) -> str | None:
        answer = self.client.get_item(TableName=self._table, Key=_KEY, ConsistentRead=True)
        place: str | None = from_item(answer.get("Item") or {}).get("place")
        return place

    def put(self, place: str) -> None:
        self.client.put_item(TableName=self._table, Item={**_KEY, **to_values({"place": place})})

    def remove(self) -> None:
        self.client.delete_item(TableName=self._table, Key=_KEY)

    @property
    def _table(self) -> str:
        return self.names.table("idempotency")


_KEY: dict[str, Any] = {"id": {"S": "sweep#bookmark"}}
