"""Finds the introduction above text that is known to be old, in any language.

An introduction has a sender or a time. It is one line that ends in a colon, wrapped at most twice, or a block of
labelled lines, and may have a separator line above it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from webordinary.mail.lines.attribution import COLONS
from webordinary.mail.lines.kinds import DELIMITER, FORWARD, INTRODUCTIONS, ORIGINAL, QUOTE, TEXT, Line

MOST_LABELS = 12
MOST_WRAPPED = 3
LONGEST_INTRODUCTION = 300
_DATED = re.compile(r"\d{1,2}[:.h]\d{2}(?!\d)|(?<!\d)(?:19|20)\d\d(?!\d)|\d{1,4}[./-]\d{1,2}[./-]\d{2,4}|\d\s?年")
_LABEL = re.compile(r"[^\s:\uff1a\d>-][^:\uff1a\d]{0,24}[:\uff1a]\s*\S")
_SEPARATOR = re.compile(r"[-_=*~\u2010-\u2015\u2500]{3,}")


def introduction_above(lines: Sequence[Line], start: int) -> set[int]:
    """The numbers of the lines that introduce the old text at line `start`; empty if there are none."""
    last = _nearest_above(lines, start)
    if last is None:
        return set()
    if lines[last].kind in INTRODUCTIONS:
        found = _of_known_kind(lines, last)
    else:
        found = _labels(lines, last) or _sentence(lines, last)
    return found | _separator_above(lines, min(found)) if found else set()


def introduction_at(lines: Sequence[Line], start: int) -> set[int]:
    """The same if the introduction is itself known, so that the old text begins with it."""
    if lines[start].kind is QUOTE:
        return set()
    for number in range(start + 1, min(start + MOST_LABELS + 2, len(lines))):
        found = introduction_above(lines, number) if lines[number].trimmed else set()
        if start in found:
            return found
    return set()


def _nearest_above(lines: Sequence[Line], start: int) -> int | None:
    """The nearest line above that is not empty, with at most two empty lines between."""
    for number in range(start - 1, max(-1, start - 4), -1):
        if lines[number].trimmed:
            return number
    return None


def _of_known_kind(lines: Sequence[Line], last: int) -> set[int]:
    first = last
    while (
        first > 0
        and (lines[first - 1].kind in INTRODUCTIONS or not lines[first - 1].trimmed)
        and last - first < 2 * MOST_LABELS
    ):
        first -= 1
    return {number for number in range(first, last + 1) if lines[number].trimmed}


def _labels(lines: Sequence[Line], last: int) -> set[int]:
    """Lines like "From: …", "Sent: …", two or more of them, one with a date and one with an address or a third."""
    first = last
    while first >= 0 and last - first < MOST_LABELS and _is_label(lines[first]):
        first -= 1
    block = [line.trimmed for line in lines[first + 1 : last + 1]]
    dated = any(_DATED.search(line.partition(":")[2]) for line in block)
    named = any("@" in line for line in block)
    return set(range(first + 1, last + 1)) if len(block) >= 2 and dated and (named or len(block) >= 3) else set()


def _is_label(line: Line) -> bool:
    return line.kind in (TEXT, *INTRODUCTIONS) and _LABEL.match(line.trimmed.lstrip("*_ ")) is not None


def _sentence(lines: Sequence[Line], last: int) -> set[int]:
    """A line that ends in a colon and has a date or an address, with its wrapped beginning above."""
    if lines[last].kind is not TEXT or lines[last].trimmed[-1] not in COLONS:
        return set()
    best: set[int] = set()
    joined = ""
    for number in range(last, max(-1, last - MOST_WRAPPED), -1):
        line = lines[number]
        ends_sentence = number < last and line.trimmed[-1:] in (".", "!", "?", "\u3002", *COLONS)
        if line.kind is not TEXT or ends_sentence or len(joined) > LONGEST_INTRODUCTION:
            break
        joined = f"{line.trimmed} {joined}"
        numbers = set(range(number, last + 1))
        if _DATED.search(joined):
            return numbers
        if "@" in joined and not best:
            best = numbers
    return best


def _separator_above(lines: Sequence[Line], first: int) -> set[int]:
    above = _nearest_above(lines, first)
    if above is None:
        return set()
    line = lines[above]
    is_separator = line.kind in (DELIMITER, ORIGINAL, FORWARD) or (
        line.kind is TEXT and _SEPARATOR.match(line.trimmed) is not None and line.trimmed[-1] in "-_=*~\u2014\u2500"
    )
    return {above} if is_separator else set()
