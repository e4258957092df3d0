"""What every part of the running system says: kept in one file per part, and the last lines in memory."""

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

    def wait_for(self, source: str, words: str, timeout: float) -> str:
        """The first kept line of a part in which the words occur, as soon as it is there."""

        def first() -> str | None:
            return next((line for line in self._tails.get(source, ()) if words in line), None)

        with self._changed:
            found: str | None = self._changed.wait_for(first, timeout)
        if found is None:
            raise TimedOutError(f"Waited {timeout:g} seconds for {source} to say '{words}', and it did not.")
        return found

    def sources(self) -> list[str]:
        with self._changed:
            return sorted(self._tails)

    def close(self) -> None:
        with self._changed:
            for file in self._files.values():
                file.close()
