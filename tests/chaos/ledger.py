"""What really happened during a run: every trouble that hit, every one that found nothing to hit."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from tests.chaos.plan import Strike, Trouble


@dataclass(frozen=True)
class Entry:
    seconds: float
    strike: Strike
    hit: bool
    words: str


class Ledger:
    def __init__(self, on_entry: Callable[[Entry], None], monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._started = monotonic()
        self._on_entry = on_entry
        self._lock = threading.Lock()
        self._entries: list[Entry] = []

    def hit(self, strike: Strike, words: str) -> None:
        self._note(strike, words, hit=True)

    def missed(self, strike: Strike, words: str) -> None:
        self._note(strike, words, hit=False)

    def seconds(self) -> float:
        return self._monotonic() - self._started

    def entries(self) -> list[Entry]:
        with self._lock:
            return list(self._entries)

    def hits(self) -> Counter[Trouble]:
        return Counter(entry.strike.trouble for entry in self.entries() if entry.hit)

    def _note(self, strike: Strike, words: str, *, hit: bool) -> None:
        entry = Entry(self.seconds(), strike, hit, words)
        with self._lock:
            self._entries.append(entry)
        self._on_entry(entry)
