"""The DevTools protocol over a pair of pipes: one JSON object after another, each ended by a zero byte.

There is no port that something else on the machine could open. Every wait has the same end: the browser's deadline.
"""

from __future__ import annotations

import json
import os
import select
import time
from collections.abc import Callable
from typing import Any

READ_AT_ONCE = 1 << 16
LARGEST_MESSAGE = 64 * 1024 * 1024

Message = dict[str, Any]


class BrowserError(Exception):
    """The browser could not do what it was asked to."""


class BrowserExitedError(BrowserError):
    def __init__(self, error_output: str = "") -> None:
        super().__init__(f"The browser has ended. {error_output}".strip())


class BrowserTimeoutError(BrowserError):
    def __init__(self, waited_for: str) -> None:
        super().__init__(f"The browser's time was over before {waited_for}.")


class Pipe:
    """Asks one thing at a time; what the browser tells meanwhile goes to `listener`, in order."""

    def __init__(self, reading: int, writing: int, deadline: float, listener: Callable[[Message], None]) -> None:
        self._reading = reading
        self._writing = writing
        self._deadline = deadline
        self._listener = listener
        self._number = 0
        self._buffer = bytearray()
        self._looked = 0
        os.set_blocking(reading, False)
        os.set_blocking(writing, False)

    def call(self, method: str, session: str | None = None, **parameters: object) -> Message:
        number = self.send(method, session, **parameters)
        answer: Message | None = None
        while answer is None:
            message = self._receive(method)
            if message.get("id") == number:
                answer = message
            elif "method" in message:
                self._listener(message)
        if "error" in answer:
            raise BrowserError(f"The browser refused {method}: {answer['error'].get('message', 'no reason')}.")
        result: Message = answer.get("result", {})
        return result

    def send(self, method: str, session: str | None = None, **parameters: object) -> int:
        """Asks without waiting for the answer, which is dropped when it comes."""
        self._number += 1
        message: Message = {"id": self._number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        left = memoryview(json.dumps(message).encode() + b"\0")
        while left:
            self._wait(self._writing, select.POLLOUT, method)
            try:
                left = left[os.write(self._writing, left) :]
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
        while (end := self._buffer.find(b"\0", self._looked)) < 0:
            self._looked = len(self._buffer)
            if self._looked > LARGEST_MESSAGE:
                raise BrowserError("The browser sent more than anybody asked for.")
            self._wait(self._reading, select.POLLIN, waited_for)
            try:
                part = os.read(self._reading, READ_AT_ONCE)
            except BlockingIOError:
                continue
            if not part:
                raise BrowserExitedError
            self._buffer += part
        message: Message = json.loads(self._buffer[:end])
        del self._buffer[: end + 1]
        self._looked = 0
        return message

    def _wait(self, descriptor: int, event: int, waited_for: str) -> None:
        # Not select(): its descriptors end at 1024.
        poll = select.poll()
        poll.register(descriptor, event)
        left = self._deadline - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            raise BrowserTimeoutError(waited_for)
