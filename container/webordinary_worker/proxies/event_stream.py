"""Reads the usage from Bedrock's event stream. Its frames carry the same events as the Messages API."""

from __future__ import annotations

import base64
import json
from contextlib import suppress
from typing import Any

from botocore.eventstream import EventStreamBuffer, EventStreamMessage, ParserError

from webordinary_worker.proxies.usage_meter import UsageReader


class EventStreamReader(UsageReader):
    """A damaged stream is relayed too; its usage is what was read before, or an estimate."""

    def __init__(self) -> None:
        super().__init__(stream=True)
        self._frames = EventStreamBuffer()
        self._damaged = False

    def feed(self, chunk: bytes) -> None:
        if self._damaged:
            return
        self._frames.add_data(chunk)
        try:
            for message in self._frames:
                self._frame(message)
        except ParserError:
            self._damaged = True

    def _frame(self, message: EventStreamMessage) -> None:
        headers: Any = message.headers  # its type stub is wrong
        if headers.get(":message-type") != "event":
            self.note_error()
            return
        with suppress(ValueError, KeyError, TypeError):
            self._event(json.loads(base64.b64decode(json.loads(message.payload)["bytes"])))
