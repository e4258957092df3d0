"""DynamoDB. Differs from AWS: items past their TTL stay until they are deleted, and reads are always consistent."""

import copy
import threading
from collections import defaultdict
from typing import Any

from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.table import Table
from moto.dynamodb.responses import DynamoHandler

from local.emulator.gaps.patching import Function, add, gap, wrap


def snapshot_tables_without_copying_items() -> None:
    """moto copies the whole table for every item of a transaction, which takes gigabytes with a thousand projects. Here
    a snapshot shares its items with the table, and `update_item` copies an item before changing it."""

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:  # noqa: ARG001, N807
        snapshot = copy.copy(self)
        copy_key = dict if self.has_range_key else (lambda item: item)
        snapshot.items = defaultdict(dict, {key: copy_key(found) for key, found in self.items.items()})
        return snapshot

    add(Table, __deepcopy__)

    @wrap(DynamoDBBackend, "update_item")
    def update_item(original: Function, self: Any, table_name: str, key: Any, *arguments: Any, **named: Any) -> Any:
        item, table = self.get_item(table_name, key), self.get_table(table_name)
        if item is not None and table.has_range_key:
            table.items[item.hash_key][item.range_key] = copy.deepcopy(item)
        elif item is not None:
            table.items[item.hash_key] = copy.deepcopy(item)
        return original(self, table_name, key, *arguments, **named)


@gap(seen_with="5.2.5")
def make_calls_atomic() -> None:
    """moto checks a condition and writes in two steps, and its server runs each request in a thread: two conditional
    writes could both succeed. The lock also prevents reads of a partial write."""
    lock = threading.RLock()

    @wrap(DynamoHandler, "call_action")
    def call_action(original: Function, self: DynamoHandler) -> Any:
        with lock:
            return original(self)
