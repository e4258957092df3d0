"""DynamoDB: writes are atomic.

- moto checks a condition and writes in two steps, and its server runs each request in a thread: two conditional
  writes could both win. One lock around every call makes each of them atomic, as on AWS. It also keeps a reader
  from seeing half a write.

Differs from AWS: items past their TTL stay until they are deleted, and reads are always consistent.
"""

import threading
from typing import Any

from moto.dynamodb.responses import DynamoHandler

from local.emulator.gaps.patching import Function, wrap


def apply() -> None:
    one_at_a_time = threading.RLock()

    @wrap(DynamoHandler, "call_action")
    def call_action(original: Function, self: DynamoHandler) -> Any:
        with one_at_a_time:
            return original(self)
