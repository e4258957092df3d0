"""DynamoDB. Differs from AWS: items past their TTL stay until they are deleted, and reads are always consistent."""

import copy
import threading
from collections import defaultdict
from typing import Any

from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.table import Table
from moto.dynamodb.responses import DynamoHandler

from local.emulator.gaps.patching import Function, add, gap, wrap


def keep_tables_for_a_rollback_without_copying_items() -> None:
    """moto copies the whole table for every item of a transaction: with a thousand projects that takes gigabytes. Here
    the items are shared with what is kept, and one that changes is copied first."""

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:  # noqa: ARG001, N807
        kept = copy.copy(self)
        of_one_key = dict if self.has_range_key else (lambda item: item)
        kept.items = defaultdict(dict, {key: of_one_key(found) for key, found in self.items.items()})
        return kept

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
    writes could both win. The lock also keeps a reader from seeing half a write."""
    one_at_a_time = threading.RLock()

    @wrap(DynamoHandler, "call_action")
    def call_action(original: Function, self: DynamoHandler) -> Any:
        with one_at_a_time:
            return original(self)
