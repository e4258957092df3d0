"""Takes off what stands below a message: signature, "Sent from my phone", list and legal footers.

Only the last lines are looked at, so the cost does not depend on how long the mail is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from webordinary.mail.attribution import DASHES
from webordinary.mail.lines import Kind, fold
from webordinary.mail.rules import Rule
from webordinary.mail.tails import APOLOGIES, CLOSINGS, DEVICES, FOOTER_EVIDENCE, FOOTERS, SENT_FROM, SENT_SOMEHOW

LONGEST_SIGNATURE = 14
LONGEST_FOOTER = 40
LONGEST_MOBILE_LINE = 160
MOST_TAILS = 100


class Line(NamedTuple):
    raw: str
    bare: str
    kind: Kind


def _words(rules: Iterable[Rule]) -> tuple[str, ...]:
    return tuple(word for rule in rules for word in rule.words)


_SENT_FROM = _words(SENT_FROM)
_SENT_SOMEHOW = _words(SENT_SOMEHOW)
_DEVICE = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, DEVICES.words))})(?![^\W\d_])")
_ENDS_FROM_DEVICE = re.compile(r"\sfrom (?:my )?(?:mobile|phone|iphone|ipad|cell|tablet)$")
_CLOSINGS = frozenset(fold(word) for word in _words(CLOSINGS))
_FOOTERS = _words(FOOTERS)
_LINK = re.compile(r"\(?<?https?://[^\s>)]{1,400}>?\)?")
_SIGNED_NAME = re.compile(r"[-/][^\W\d_][^\W\d_.'-]{0,30}(?: [^\W\d_][^\W\d_.'-]{0,30}){0,2}$")


def without_tail(lines: Sequence[Line]) -> list[Line]:
    """The lines without everything that a person did not write for this mail."""
    kept = _rstrip(list(lines))
    for _ in range(MOST_TAILS):
        start = _tail_start(kept)
        if start == len(kept):
            break
        del kept[start:]
        _rstrip(kept)
    return kept


def _rstrip(lines: list[Line]) -> list[Line]:
    while lines and lines[-1].kind in (Kind.EMPTY, Kind.DELIMITER):
        lines.pop()
    return lines


def _tail_start(lines: Sequence[Line]) -> int:
    """Where the last recognisable tail begins; the number of lines if there is none."""
    if lines and lines[-1].kind is Kind.TEXT and is_mobile_signature(lines[-1].bare):
        return len(lines) - 1
    for find in (_delimited_signature, _footer, _closing, _signed_name):
        start = find(lines)
        if start is not None:
            return start
    return len(lines)


def is_mobile_signature(line: str) -> bool:
    """Whether a line is like "Sent from my phone" — and not like "Sent from my desk, it is much easier"."""
    if len(line) > LONGEST_MOBILE_LINE:
        return False
    folded = line.casefold()
    text = (
        (_LINK.sub("", folded) if "http" in folded else folded)
        .replace("[", "")
        .replace("]", "")
        .strip(" \t<>()*_.!|" + DASHES)
    )
    if not text:
        return False
    device = _DEVICE.search(text) is not None
    opened = text.startswith(_SENT_FROM) or (device and text.startswith(_SENT_SOMEHOW))
    short = len(text.split()) <= 5
    if not opened and not (
        short and device and (_ENDS_FROM_DEVICE.search(text) or "から送信" in text or "보냄" in text)
    ):
        return False
    head, comma, rest = text.replace(". ", ", ").partition(", ")
    if comma and not any(word in rest for word in APOLOGIES.words):
        return False
    return len(head.split()) <= 12


def _delimited_signature(lines: Sequence[Line]) -> int | None:
    """The first delimiter near the end whose rest is short enough, and looks enough, like a signature."""
    written = 0
    start: int | None = None
    for number in range(len(lines) - 1, max(-1, len(lines) - LONGEST_FOOTER), -1):
        line = lines[number]
        if line.kind is Kind.DELIMITER and _is_signature_delimiter(line.bare, lines[number + 1 :]):
            start = number
        elif line.kind is Kind.CODE:
            break
        elif line.kind is not Kind.EMPTY:
            written += 1
            if written > LONGEST_SIGNATURE:
                break
    return start


def _is_signature_delimiter(delimiter: str, below: Sequence[Line]) -> bool:
    if len(delimiter) <= 2 or delimiter == "- --":  # the last one is the usual "-- " inside a PGP-signed text
        return True
    if not delimiter.strip("_"):  # mailing lists and Outlook draw lines of underscores
        return True
    text = " ".join(line.bare[:200] for line in below).casefold()
    return any(word in text for word in FOOTER_EVIDENCE.words)


def _footer(lines: Sequence[Line]) -> int | None:
    for number in range(max(0, len(lines) - LONGEST_FOOTER), len(lines)):
        after_a_gap = number == 0 or lines[number - 1].kind in (Kind.EMPTY, Kind.DELIMITER)
        if after_a_gap and lines[number].kind in (Kind.TEXT, Kind.DELIMITER):
            text = lines[number].bare[:80].casefold().lstrip(" *_[(")
            if text.startswith(_FOOTERS):
                return number
    return None


def _closing(lines: Sequence[Line]) -> int | None:
    """ "Kind regards" with a name right below it, and nothing but short lines after that.

    A closing that stands alone stays: it costs nothing, and what follows a gap may be more than a name.
    """
    short_lines = 0
    for number in range(len(lines) - 1, max(0, len(lines) - 8), -1):
        line = lines[number]
        if line.kind is Kind.EMPTY:
            continue
        if line.kind is not Kind.TEXT or len(line.bare) > 60:
            return None
        if fold(line.bare.strip(" ,.!;*" + DASHES)) in _CLOSINGS:
            named = number + 1 < len(lines) and lines[number + 1].kind is Kind.TEXT
            return number if named and short_lines <= 5 else None
        short_lines += 1
    return None


def _signed_name(lines: Sequence[Line]) -> int | None:
    """ "-Anna Berg" or "/Anna" as the last line, alone after a gap: a list has more than one item."""
    if len(lines) < 3 or lines[-1].kind is not Kind.TEXT or lines[-2].kind is not Kind.EMPTY:
        return None
    last = lines[-1].bare
    above = next((line.bare for line in reversed(lines[-7:-1]) if line.kind is not Kind.EMPTY), "")
    named = _SIGNED_NAME.match(last) is not None and last[1:2].isupper()
    return len(lines) - 1 if named and not above.startswith(("-", "/")) else None
