"""The faults of a run: which were injected and which were skipped for lack of a target."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from tests.chaos.plan import Fault, FaultKind


@dataclass(frozen=True)
class Entry:
    seconds: float
    fault: Fault
    injected: bool
    text: str


class FaultLog:
    def __init__(self, on_entry: Callable[[Entry], None], monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._started = monotonic()
        self._on_entry = on_entry
        self._lock = threading.Lock()
        self._entries: list[Entry] = []

    def injected(self, fault: Fault, text: str) -> None:
        self._add(fault, text, injected=True)

    def skipped(self, fault: Fault, text: str) -> None:
        self._add(fault, text, injected=False)

    def seconds(self) -> float:
        return self._monotonic() - self._started

    def entries(self) -> list[Entry]:
        with self._lock:
            return list(self._entries)

    def injected_counts(self) -> Counter[FaultKind]:
        return Counter(entry.fault.kind for entry in self.entries() if entry.injected)

    def _add(self, fault: Fault, text: str, *, injected: bool) -> None:
        entry = Entry(self.seconds(), fault, injected, text)
        with self._lock:
            self._entries.append(entry)
        self._on_entry(entry)
