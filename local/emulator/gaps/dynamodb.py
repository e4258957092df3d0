"""DynamoDB. Differs from AWS: items past their TTL stay until they are deleted, and reads are always consistent."""

import threading
from typing import Any

from moto.dynamodb.responses import DynamoHandler

from local.emulator.gaps.patching import Function, gap, wrap


@gap(seen_with="5.2.5")
def make_calls_atomic() -> None:
    """moto checks a condition and writes in two steps, and its server runs each request in a thread: two conditional
    writes could both win. The lock also keeps a reader from seeing half a write."""
    one_at_a_time = threading.RLock()

    @wrap(DynamoHandler, "call_action")
    def call_action(original: Function, self: DynamoHandler) -> Any:
        with one_at_a_time:
            return original(self)
