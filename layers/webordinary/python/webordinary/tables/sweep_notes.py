"""What the last sweep did, for operators: one record, which each sweep replaces."""

from __future__ import annotations

from datetime import datetime

from webordinary.contract.messages.base import Message
from webordinary.tables.idempotency import IdempotencyTable, Purpose

LAST = "last-run"


class SweepNote(Message):
    ended_at: datetime
    complete: bool  # false if it ran out of time
    repaired: int = 0  # jobs, messages and records that it put right
    not_done: int = 0  # failures, which the next sweep repeats


class SweepNotes:
    def __init__(self, records: IdempotencyTable) -> None:
        self._records = records

    def store(self, note: SweepNote) -> None:
        self._records.remember(Purpose.SWEEP, LAST, note.wire_text())

    def last(self) -> SweepNote | None:
        """None before the first sweep."""
        stored = self._records.recall(Purpose.SWEEP, LAST)
        return None if stored is None else SweepNote.read(stored)
