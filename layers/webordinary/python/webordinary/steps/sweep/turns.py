"""The order in which the sweep checks open jobs: each pair has a share of every sweep.

A pair with very many open records, real or forged, must not keep the sweep from the jobs of other pairs. Jobs beyond
the share wait until all pairs had theirs; then the pairs take turns, and each sweep begins at another job of a pair.
A sweep that runs out of time gets to none of them that way. So it also checks a few meanwhile (`some`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest

from webordinary.tables.jobs import JobRecord, UnreadableJob

SHARE = 10  # records of one pair that a sweep checks in the order of the index
MOST_LEFT = 500  # records of one pair that wait for the end of a sweep; more than a pair's mails in three days

Record = JobRecord | UnreadableJob


@dataclass
class Turns:
    left_out: int = 0
    _seen: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    _later: dict[str, list[Record]] = field(default_factory=lambda: defaultdict(list))

    def is_next(self, record: Record) -> bool:
        """Whether the pair's share allows the record now. Otherwise it waits for `later`."""
        key = record.pair.key if record.pair is not None else ""
        self._seen[key] += 1
        if self._seen[key] <= SHARE:
            return True
        if len(self._later[key]) < MOST_LEFT:
            self._later[key].append(record)
        else:
            self.left_out += 1
        return False

    def some(self, most: int, sweep_number: int) -> list[Record]:
        """Takes at most so many of the waiting records, one of each pair in turn; other ones in other sweeps."""
        taken: list[Record] = []
        while self._later and len(taken) < most:
            key = next(iter(self._later))
            records = self._later.pop(key)
            taken.append(records.pop(sweep_number % len(records)))
            if records:
                self._later[key] = records  # its next turn is the last one
        return taken

    def later(self, sweep_number: int) -> Iterator[Record]:
        """The waiting records, one of each pair in turn. Consecutive sweeps begin with different ones."""
        rotated = []
        for records in self._later.values():
            first = sweep_number * SHARE % len(records)
            rotated.append([*records[first:], *records[:first]])
        for turn in zip_longest(*rotated):
            yield from (record for record in turn if record is not None)
