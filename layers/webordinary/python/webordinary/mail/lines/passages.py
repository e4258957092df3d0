"""Looks at passages of a mail whose lines have their kinds: what they end in, what they open with, how they join."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, takewhile

from webordinary.mail.lines.attribution import COLONS
from webordinary.mail.lines.kinds import ATTRIBUTION, CODE, EMPTY, FORWARD, QUOTE, TEXT, Kind, Line
from webordinary.mail.lines.lines import is_forward_marker, read_lines

CONTENT = (TEXT, CODE)


def joined(lines: Sequence[Line]) -> str:
    return "\n".join([line.raw if line.kind is CODE else line.raw.rstrip() for line in lines]).strip("\n")


def block_of(line: Line) -> Kind:
    return QUOTE if line.kind in (QUOTE, ATTRIBUTION) else TEXT


def ends_in_quote(lines: Sequence[Line]) -> bool:
    """Whether there is a quote behind the last words; otherwise it is a drawn line that ends the text."""
    below = takewhile(lambda line: line.kind not in CONTENT, reversed(lines))
    return any(line.kind is QUOTE for line in below)


def leads_up_to_quote(lines: Sequence[Line]) -> bool:
    """Whether the words above the last quote ask for it: a colon, or a sentence that is not finished."""
    last = next(number for number in range(len(lines) - 1, -1, -1) if lines[number].kind in CONTENT)
    above = lines[last].bare
    quotes = sum(quote for quote, _ in groupby(line.kind is QUOTE for line in lines if line.kind is not EMPTY))
    return above[-1] in COLONS or (quotes > 1 and above[-1].isalnum() and len(above.split()) <= 6)


def joined_wraps(lines: Sequence[Line]) -> list[Line]:
    """Marks the loose ends of long quoted lines, which some programs wrap without repeating the ">"."""
    marked = list(lines)
    for number in range(1, len(lines) - 1):
        before, line, after = marked[number - 1], lines[number], lines[number + 1]
        if line.kind is TEXT and before.kind is QUOTE and after.kind is QUOTE:
            loose = len(before.bare) > 60 and len(line.bare) < len(before.bare) and not line.bare[0].isupper()
            of_link = "://" in before.bare.rsplit(None, 1)[-1] and len(line.bare.split()) == 1
            if loose or of_link:
                marked[number] = line._replace(kind=QUOTE)
    return marked


def without_introductions(lines: Sequence[Line]) -> list[Line]:
    return [line for line in lines if line.kind is not ATTRIBUTION]


def opens_forward(quoted: Sequence[Line]) -> bool:
    return any(is_forward_marker(line.bare.lstrip("> ")) for line in quoted[:3] if len(line.bare) > 1)


def opens_forward_or_header(lines: Sequence[Line]) -> bool:
    return lines[0].kind is FORWARD or opens_forward(lines)


def split_quoted_forward(lines: Sequence[Line]) -> tuple[Sequence[Line], list[Line]]:
    """A forward whose lines are all marked ends where the marks end; what follows are the person's own words."""
    first = next((number for number, line in enumerate(lines) if line.kind not in (FORWARD, EMPTY)), 0)
    if not lines or lines[first].kind is not QUOTE:
        return lines, []
    end = next((at for at in range(first, len(lines)) if lines[at].kind not in (QUOTE, EMPTY)), len(lines))
    after = list(lines[end:])
    return (lines[:end], after) if any(line.kind in CONTENT for line in after) else (lines, [])


def unquoted(lines: Sequence[Line]) -> str:
    return "\n".join(line.bare.removeprefix(">").removeprefix(" ") for line in lines)


def unquoted_lines(lines: Sequence[Line]) -> list[Line]:
    """The same lines without one level of quote marks, under the same numbers."""
    inner = read_lines(unquoted(lines))
    return [line._replace(number=outer.number) for line, outer in zip(inner, lines, strict=False)]


def number_behind(lines: Sequence[Line], kinds: tuple[Kind, ...]) -> int:
    for number, line in enumerate(lines):
        if line.kind not in kinds:
            return number
    return len(lines)
