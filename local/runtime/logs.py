"""Logs of the running system: one file per source, and its last lines in memory."""

from __future__ import annotations

import threading
from collections import deque
from pathlib import Path
from typing import TextIO

from local.errors import TimedOutError

KEPT_LINES = 400


class Logs:
    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._changed = threading.Condition()
        self._files: dict[str, TextIO] = {}
        self._tails: dict[str, deque[str]] = {}

    def write(self, source: str, line: str) -> None:
        with self._changed:
            if source not in self._files:
                name = source.replace("/", "-") + ".log"
                self._files[source] = (self.folder / name).open("a", encoding="utf-8", buffering=1)
                self._tails[source] = deque(maxlen=KEPT_LINES)
            self._tails[source].append(line)
            if not self._files[source].closed:
                self._files[source].write(f"{line}\n")
            self._changed.notify_all()

    def tail(self, source: str, lines: int = 15) -> list[str]:
        with self._changed:
            return list(self._tails.get(source, ()))[-lines:]

    def wait_for(self, source: str, text: str, timeout: float) -> str:
        """Waits for a line of the source that contains the text."""

        def first() -> str | None:
            return next((line for line in self._tails.get(source, ()) if text in line), None)

        with self._changed:
            found: str | None = self._changed.wait_for(first, timeout)
        if found is None:
            raise TimedOutError(f"{source} did not log '{text}' within {timeout:g} seconds.")
        return found

    def sources(self) -> list[str]:
        with self._changed:
            return sorted(self._tails)

    def close(self) -> None:
        with self._changed:
            for file in self._files.values():
                file.close()
