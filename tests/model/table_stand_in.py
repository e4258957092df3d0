# ruff: noqa: N803 (argument names are those of AWS)
"""A DynamoDB client in memory, with only the calls and expressions that this system uses.

Anything else raises. Conditional writes are atomic because one call runs at a time. An index may lag behind its table,
as on AWS: it shows the items of the last `catch_up`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import SimpleNamespace
from typing import Any

from tests.model.expressions import Condition, Item, UnknownExpressionError, condition, require_exact_use, updates

Reach = Callable[[str], None]
Watch = Callable[[str, Item, Item], None]


class ConditionalCheckFailedException(Exception):  # noqa: N818 (AWS named it)
    def __init__(self, old: Item) -> None:
        super().__init__("The conditional request failed")
        self.response: dict[str, Any] = {"Error": {"Code": "ConditionalCheckFailedException"}}
        if old:
            self.response["Item"] = old


class TableStandIn:
    """`keys` and `index_keys` map each table and each index to its key attributes."""

    exceptions = SimpleNamespace(ConditionalCheckFailedException=ConditionalCheckFailedException)

    def __init__(self, keys: Mapping[str, tuple[str, ...]], index_keys: Mapping[str, tuple[str, ...]]) -> None:
        self._keys = keys
        self._index_keys = index_keys
        self._items: dict[str, dict[tuple[str, ...], Item]] = {table: {} for table in keys}
        self._indexed = self._copy()
        self.page_size = 2
        self.lagging = False
        self.before_call: Reach = _nothing
        self.on_change: Watch = _nothing

    def catch_up(self) -> None:
        self._indexed = self._copy()

    def items(self, table: str) -> list[Item]:
        return list(self._items[table].values())

    def remove(self, table: str, item: Item) -> None:
        """Deletes an item as DynamoDB's TTL does."""
        del self._items[table][self._key(table, item)]
        self.on_change(table, item, {})

    def update_item(
        self,
        *,
        TableName: str,
        Key: Item,
        UpdateExpression: str,
        ExpressionAttributeValues: Item,
        ConditionExpression: str = "",
        ExpressionAttributeNames: Mapping[str, str] | None = None,
        ReturnValues: str = "NONE",
        ReturnValuesOnConditionCheckFailure: str = "NONE",
    ) -> dict[str, Any]:
        self.before_call("update_item")
        self._require_key(TableName, Key)
        aliases = ExpressionAttributeNames or {}
        require_exact_use(
            f"{UpdateExpression} {ConditionExpression}", frozenset(aliases), frozenset(ExpressionAttributeValues)
        )
        names = tuple(aliases.items())
        old = self._items[TableName].get(self._key(TableName, Key), {})
        if ConditionExpression and not condition(ConditionExpression, names)(old, ExpressionAttributeValues):
            raise ConditionalCheckFailedException(old if ReturnValuesOnConditionCheckFailure == "ALL_OLD" else {})
        new = {**old, **Key}
        for update in updates(UpdateExpression, names):
            update(old, new, ExpressionAttributeValues)
        self._items[TableName][self._key(TableName, Key)] = new
        self.on_change(TableName, old, new)
        return {"Attributes": dict(new)} if ReturnValues == "ALL_NEW" else {}

    def get_item(self, *, TableName: str, Key: Item, ConsistentRead: bool = False) -> dict[str, Any]:
        self.before_call("get_item")
        self._require_key(TableName, Key)
        if not ConsistentRead and not TableName.endswith("-project-configs"):
            raise UnknownExpressionError("Tables that change during a run need consistent reads.")
        item = self._items[TableName].get(self._key(TableName, Key))
        return {"Item": dict(item)} if item is not None else {}

    def batch_get_item(self, *, RequestItems: Mapping[str, Any]) -> dict[str, Any]:
        self.before_call("batch_get_item")
        found: dict[str, list[Item]] = {}
        for table, wanted in RequestItems.items():
            if not wanted.get("ConsistentRead"):
                raise UnknownExpressionError("Tables that change during a run need consistent reads.")
            items = (self._items[table].get(self._key(table, key)) for key in wanted["Keys"])
            found[table] = [dict(item) for item in items if item is not None]
        return {"Responses": found, "UnprocessedKeys": {}}

    def put_item(self, *, TableName: str, Item: Item) -> None:
        self.before_call("put_item")
        key = self._key(TableName, Item)
        old = self._items[TableName].get(key, {})
        self._items[TableName][key] = dict(Item)
        self.on_change(TableName, old, dict(Item))

    def delete_item(self, *, TableName: str, Key: Item) -> None:
        self.before_call("delete_item")
        self._require_key(TableName, Key)
        old = self._items[TableName].pop(self._key(TableName, Key), {})
        self.on_change(TableName, old, {})

    def get_paginator(self, operation: str) -> SimpleNamespace:
        paginate = {"query": self._query, "scan": self._scan}.get(operation)
        if paginate is None:
            raise UnknownExpressionError(operation)
        return SimpleNamespace(paginate=paginate)

    def _scan(
        self,
        *,
        TableName: str,
        FilterExpression: str,
        ExpressionAttributeValues: Item,
        ConsistentRead: bool = False,
        IndexName: str | None = None,
    ) -> Iterator[dict[str, Any]]:
        if ConsistentRead == bool(IndexName):
            raise UnknownExpressionError("Tables need consistent reads, and indexes do not support them.")
        require_exact_use(FilterExpression, frozenset(), frozenset(ExpressionAttributeValues))
        selected = condition(FilterExpression, ())
        yield from self._pages("scan", TableName, IndexName, _anything, selected, ExpressionAttributeValues)

    def _query(
        self,
        *,
        TableName: str,
        KeyConditionExpression: str,
        ExpressionAttributeValues: Item,
        ExpressionAttributeNames: Mapping[str, str] | None = None,
        FilterExpression: str | None = None,
        ProjectionExpression: str | None = None,
        IndexName: str | None = None,
        ConsistentRead: bool = False,
        Select: str = "",
    ) -> Iterator[dict[str, Any]]:
        if Select not in ("", "SPECIFIC_ATTRIBUTES"):
            raise UnknownExpressionError(f"Select={Select} is not supported.")
        if ConsistentRead == bool(IndexName):
            raise UnknownExpressionError("Tables need consistent reads, and indexes do not support them.")
        aliases = ExpressionAttributeNames or {}
        names = tuple(aliases.items())
        text = f"{KeyConditionExpression} {FilterExpression or ''} {ProjectionExpression or ''}"
        require_exact_use(text, frozenset(aliases), frozenset(ExpressionAttributeValues))
        in_range = condition(KeyConditionExpression, names)
        selected = condition(FilterExpression, names) if FilterExpression else _anything
        yield from self._pages("query", TableName, IndexName, in_range, selected, ExpressionAttributeValues)

    def _pages(
        self, call: str, table: str, index: str | None, in_range: Condition, selected: Condition, values: Item
    ) -> Iterator[dict[str, Any]]:
        after: tuple[Any, ...] = ()
        while True:
            self.before_call(call)
            source = self._indexed if index and self.lagging else self._items
            indexed = self._index_keys[index] if index else ()
            present = (item for item in source[table].values() if all(name in item for name in indexed))
            found = [item for item in present if in_range(item, values)]
            # Each page continues after the last key of the previous one, despite writes in between.
            rows = sorted(((self._position(table, index, item), item) for item in found), key=lambda row: row[0])
            page = [row for row in rows if row[0] > after][: self.page_size]
            yield {"Items": [dict(item) for _, item in page if selected(item, values)]}
            if len(page) < self.page_size:
                return
            after = page[-1][0]

    def _position(self, table: str, index: str | None, item: Item) -> tuple[str, ...]:
        ordered = self._index_keys[index] if index else ()
        return (*(item[name]["S"] for name in ordered), *self._key(table, item))

    def _key(self, table: str, item: Item) -> tuple[str, ...]:
        return tuple(item[attribute]["S"] for attribute in self._keys[table])

    def _require_key(self, table: str, key: Item) -> None:
        if tuple(key) != self._keys[table]:
            raise UnknownExpressionError(f"{table} has the key {self._keys[table]}, not {tuple(key)}.")

    def _copy(self) -> dict[str, dict[tuple[str, ...], Item]]:
        return {table: dict(items) for table, items in self._items.items()}


class UnreliableTable(TableStandIn):
    """Repeats writes whose response gets lost, as the SDK does. A repeated write may also arrive much later."""

    fault: Callable[[dict[str, Any]], str]
    later: Callable[[Callable[[], None]], None]

    def update_item(self, **request: Any) -> dict[str, Any]:
        fault = self.fault(request)
        if fault == "answer lost":
            self._attempt(request)
        elif fault == "late copy":
            self.later(partial(self._attempt, request))
        return super().update_item(**request)

    def _attempt(self, request: dict[str, Any]) -> None:
        try:
            super().update_item(**request)
        except ConditionalCheckFailedException:
            return


def _nothing(*_: object) -> None:
    """The default hook."""


def _anything(*_: object) -> bool:
    return True
