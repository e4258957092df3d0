"""The DevTools protocol over a pair of pipes: JSON objects, each terminated by a zero byte.

There is no port that another process could open. Every wait ends at the browser's deadline.
"""

from __future__ import annotations

import json
import os
import select
import time
from collections.abc import Callable
from typing import Any

CHUNK_SIZE = 1 << 16
MAX_MESSAGE_SIZE = 64 * 1024 * 1024

Message = dict[str, Any]


class BrowserError(Exception):
    """The browser could not carry out a command."""


class BrowserExitedError(BrowserError):
    def __init__(self, error_output: str = "") -> None:
        super().__init__(f"The browser exited. {error_output}".strip())


class BrowserTimeoutError(BrowserError):
    def __init__(self, waited_for: str) -> None:
        super().__init__(f"The browser's deadline passed while waiting for {waited_for}.")


class Pipe:
    """Sends one command at a time; events that arrive meanwhile go to `listener` in order."""

    def __init__(self, reading: int, writing: int, deadline: float, listener: Callable[[Message], None]) -> None:
        self._reading = reading
        self._writing = writing
        self._deadline = deadline
        self._listener = listener
        self._number = 0
        self._buffer = bytearray()
        self._scanned = 0
        os.set_blocking(reading, False)
        os.set_blocking(writing, False)

    def call(self, method: str, session: str | None = None, **parameters: object) -> Message:
        number = self.send(method, session, **parameters)
        response: Message | None = None
        while response is None:
            message = self._receive(method)
            if message.get("id") == number:
                response = message
            elif "method" in message:
                self._listener(message)
        if "error" in response:
            raise BrowserError(f"The browser refused {method}: {response['error'].get('message', 'no reason')}.")
        result: Message = response.get("result", {})
        return result

    def send(self, method: str, session: str | None = None, **parameters: object) -> int:
        """Sends a command without waiting for its response, which is dropped."""
        self._number += 1
        message: Message = {"id": self._number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        remaining = memoryview(json.dumps(message).encode() + b"\0")
        while remaining:
            self._wait(self._writing, select.POLLOUT, method)
            try:
                remaining = remaining[os.write(self._writing, remaining) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                raise BrowserExitedError from None
        return self._number

    def listen_until(self, happened: Callable[[], bool], waited_for: str) -> None:
        while not happened():
            message = self._receive(waited_for)
            if "method" in message:
                self._listener(message)

    def _receive(self, waited_for: str) -> Message:
        while (end := self._buffer.find(b"\0", self._scanned)) < 0:
            self._scanned = len(self._buffer)
            if self._scanned > MAX_MESSAGE_SIZE:
                raise BrowserError("The browser sent a message larger than the limit.")
            self._wait(self._reading, select.POLLIN, waited_for)
            try:
                part = os.read(self._reading, CHUNK_SIZE)
            except BlockingIOError:
                continue
            if not part:
                raise BrowserExitedError
            self._buffer += part
        message: Message = json.loads(self._buffer[:end])
        del self._buffer[: end + 1]
        self._scanned = 0
        return message

    def _wait(self, descriptor: int, event: int, waited_for: str) -> None:
        # poll(), because select() supports only descriptors below 1024.
        poll = select.poll()
        poll.register(descriptor, event)
        left = self._deadline - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            raise BrowserTimeoutError(waited_for)
