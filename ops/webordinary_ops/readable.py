"""Values as text for people: ages, yes and no, short ids, and untrusted text without control characters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime

SHORTEST_ID = 8
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?", re.ASCII)
UNITS = ((86_400, "days"), (3_600, "h"), (60, "min"), (1, "s"))  # seconds of each


def plain(text: str) -> str:
    """Untrusted text for a terminal: other control and invisible characters than line breaks and tabs are replaced."""
    return "".join(char if char in "\n\t" or char.isprintable() else REPLACEMENT for char in text)


def words(name: str) -> str:
    """A field's name as words. Names of projects, queues and pairs are keys too, and stay as they are."""
    return plain("".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name))


def readable(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{plain(name)} {readable(one)}" for name, one in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(readable(one) for one in value) or "none"
    return plain(str(value))


def timestamp(value: object) -> datetime | None:
    """The point in time that a field's value names; without an offset it is UTC."""
    if not isinstance(value, str) or not TIMESTAMP.fullmatch(value):
        return None
    try:
        return datetime.fromisoformat(value).replace(tzinfo=UTC)
    except ValueError:
        return None


def age(point: datetime, now: datetime) -> str:
    """`3 min ago`, or `in 40 s`."""
    seconds = (now - point).total_seconds()
    if not round(seconds):
        return "now"
    return f"{span(seconds)} ago" if seconds > 0 else f"in {span(-seconds)}"


def span(seconds: float) -> str:
    """`3 min`."""
    size, unit = next((one for one in UNITS if seconds >= 2 * one[0]), UNITS[-1])
    return f"{round(seconds / size)} {unit}"


def short_ids(ids: Iterable[str]) -> dict[str, str]:
    """The shortest prefix of each id that no other id has, with at least eight characters."""
    all_ids = sorted(set(ids))
    short = {}
    for number, one in enumerate(all_ids):
        others = (*all_ids[max(number - 1, 0) : number], *all_ids[number + 1 : number + 2])
        shared = max((_shared(one, other) for other in others), default=0)
        short[one] = one[: max(SHORTEST_ID, shared + 1)]
    return short


def _shared(one: str, other: str) -> int:
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
