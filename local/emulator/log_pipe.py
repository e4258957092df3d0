"""Reads the output of a function process: passes each line to a callback and collects the lines per invocation.

A process prints before it posts its result. When the result has arrived, its output is therefore already in the pipe,
and `collect` reads it without waiting for the background thread.
"""

import os
import selectors
import threading
from collections.abc import Callable


class LogPipe:
    def __init__(self, on_line: Callable[[str], None]) -> None:
        self._on_line = on_line
        self._reading, self.writing = os.pipe()
        os.set_blocking(self._reading, False)
        self._lock = threading.Lock()
        self._unfinished = b""
        self._lines: list[str] = []
        self._ended = False

    def follow(self) -> None:
        """Reads in the background. Call it once the process has its copy of the writing end."""
        os.close(self.writing)
        threading.Thread(target=self._read_until_closed, name="function-log", daemon=True).start()

    def collect(self) -> str:
        """Everything printed since the last call."""
        with self._lock:
            self._read_available()
            lines, self._lines = self._lines, []
        return "".join(f"{line}\n" for line in lines)

    def _read_until_closed(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._reading, selectors.EVENT_READ)
            while not self._ended:
                selector.select()
                with self._lock:
                    self._read_available()
        with self._lock:
            os.close(self._reading)

    def _read_available(self) -> None:
        while not self._ended:
            try:
                chunk = os.read(self._reading, 65536)
            except BlockingIOError:
                return
            self._ended = not chunk
            *lines, self._unfinished = (self._unfinished + chunk).split(b"\n")
            if self._ended and self._unfinished:
                lines.append(self._unfinished)
            for line in lines:
                text = line.decode(errors="replace")
                self._lines.append(text)
                self._on_line(text)
