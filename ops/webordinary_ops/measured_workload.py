"""How customers of a deployment use it, measured in its job records: numbers for `make simulate`.

Records are kept for 90 days. A number that follows from too few records is left out; the simulator then uses its own.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median, stdev
from typing import Any

from webordinary.contract.outcomes import Result
from webordinary.protocol.policies import ENDS, QUESTIONS
from webordinary.tables.items import from_milliseconds
from webordinary.tables.job_records import JobRecord

ENOUGH = 20  # records, for one number
NEW_CONVERSATION = timedelta(hours=12)  # a later mail of a thread begins a conversation


@dataclass(frozen=True)
class Measured:
    section: str
    name: str
    value: float | list[float]
    records: int

    def line(self) -> str:
        source = f"measured: {self.records} records"
        return f"{self.name} = {{ value = {json.dumps(self.value)}, source = {json.dumps(source)} }}"


def measured_workload(records: Iterable[JobRecord]) -> list[Measured]:
    ended = sorted((one for one in records if one.outcome and one.state.is_final), key=lambda one: one.job.received_at)
    conversations = _conversations(ended)
    found = [*_arrivals(ended, conversations), *_chances(conversations), *_gaps(conversations), *_jobs(ended)]
    return [one for one in found if one.records >= ENOUGH]


def as_toml(measured: Sequence[Measured]) -> str:
    lines = ["# The numbers that this deployment's jobs show. `make simulate` uses its own for those that are missing."]
    for section in dict.fromkeys(one.section for one in measured):
        lines += ["", f"[{section}]", *(one.line() for one in measured if one.section == section)]
    return "\n".join([*lines, ""])


def _conversations(records: Sequence[JobRecord]) -> list[list[JobRecord]]:
    by_thread: dict[tuple[str, str], list[list[JobRecord]]] = defaultdict(list)
    for record in records:
        found = by_thread[record.pair.key, record.job.thread_id]
        if not found or record.job.received_at - _ended_at(found[-1][-1]) > NEW_CONVERSATION:
            found.append([])
        found[-1].append(record)
    return [conversation for found in by_thread.values() for conversation in found]


def _arrivals(records: Sequence[JobRecord], conversations: Sequence[Sequence[JobRecord]]) -> Iterable[Measured]:
    if len(records) < ENOUGH:
        return
    first, last = records[0].job.received_at, records[-1].job.received_at
    weeks = max(1 / 7, (last - first) / timedelta(weeks=1))
    pairs = len({record.pair.key for record in records})
    rate = len(conversations) / pairs / weeks
    yield Measured("arrivals", "conversations_per_pair_and_week", round(rate, 3), len(conversations))
    begun = [conversation[0].job.received_at for conversation in conversations]
    if weeks >= 1:
        yield Measured("arrivals", "days", _shares(Counter(time.weekday() for time in begun), 7), len(begun))
    yield Measured("arrivals", "hours", _shares(Counter(time.hour for time in begun), 24), len(begun))


def _chances(conversations: Sequence[Sequence[JobRecord]]) -> Iterable[Measured]:
    firsts = [conversation[0] for conversation in conversations]
    later = [record for conversation in conversations for record in conversation[1:]]
    yield _chance("publish_first", firsts, [_kind(record) == "end" for record in firsts])
    yield _chance("publish_next", later, [_kind(record) == "end" for record in later])
    yield _chance("thanks_next", later, [_kind(record) == "thanks" for record in later])
    edits = [record for record in [*firsts, *later] if _kind(record) in ("edit", "question")]
    yield _chance("question", edits, [_kind(record) == "question" for record in edits])
    followed: dict[str, list[bool]] = defaultdict(list)
    for conversation in conversations:
        for position, record in enumerate(conversation):
            followed[_kind(record)].append(position + 1 < len(conversation))
    for kind, follows in sorted(followed.items()):
        yield _chance(f"follow_after_{kind}", follows, follows)


def _gaps(conversations: Sequence[Sequence[JobRecord]]) -> Iterable[Measured]:
    gaps: dict[bool, list[float]] = {True: [], False: []}
    for conversation in conversations:
        for earlier, later in pairwise(conversation):
            seconds = (later.job.received_at - _ended_at(earlier)).total_seconds()
            if seconds > 0:  # else it was written before the reply
                gaps[_kind(earlier) == "question"].append(seconds)
    for is_question, name in ((False, "gap_seconds"), (True, "gap_after_question_seconds")):
        if gaps[is_question]:
            yield Measured("conversation", name, round(median(gaps[is_question]), 1), len(gaps[is_question]))
    logarithms = [math.log(seconds) for seconds in [*gaps[False], *gaps[True]]]
    if len(logarithms) > 1:
        yield Measured("conversation", "gap_sigma", round(stdev(logarithms), 2), len(logarithms))


def _jobs(records: Sequence[JobRecord]) -> Iterable[Measured]:
    seconds = sorted(one.outcome.usage.seconds for one in records if one.outcome and one.outcome.usage.seconds > 0)
    if seconds:
        low, high = (round(seconds[int(share * (len(seconds) - 1))], 1) for share in (0.1, 0.9))
        yield Measured("worker", "job_seconds", [low, high], len(seconds))


def _kind(record: JobRecord) -> str:
    outcome = record.outcome
    if outcome is None:
        return "edit"
    if outcome.question or outcome.result in QUESTIONS:
        return "question"
    if outcome.result is Result.NOTHING_CHANGED:
        return "thanks"
    return "end" if outcome.result in ENDS else "edit"


def _chance(name: str, of: Sequence[Any], hits: Sequence[bool]) -> Measured:
    return Measured("conversation", name, round(sum(hits) / max(1, len(of)), 3), len(of))


def _shares(counted: Counter[int], number: int) -> list[float]:
    """Relative to their mean. A time without any mail keeps a small share: it may be chance."""
    total = sum(counted.values())
    return [round(max(0.05, counted[position] * number / total), 2) for position in range(number)]


def _ended_at(record: JobRecord) -> datetime:
    return from_milliseconds(record.updated_at)
