"""Helpers for sequences of classified lines: how they begin, how they end, how they are joined."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, takewhile

from webordinary.mail.lines.attribution import COLONS
from webordinary.mail.lines.kinds import ATTRIBUTION, CODE, EMPTY, FORWARD, QUOTE, TEXT, Line, LineKind
from webordinary.mail.lines.lines import classify_lines, is_forward_marker
from webordinary.text.marks import has_marks

CONTENT = (TEXT, CODE)


def join_lines(lines: Sequence[Line]) -> str:
    return "\n".join([line.raw if line.kind is CODE else line.raw.rstrip() for line in lines]).strip("\n")


def block_kind(line: Line) -> LineKind:
    return QUOTE if line.kind in (QUOTE, ATTRIBUTION) else TEXT


def ends_in_quote(lines: Sequence[Line]) -> bool:
    """Whether a quote follows the last text; otherwise a separator line ends the lines."""
    below = takewhile(lambda line: line.kind not in CONTENT, reversed(lines))
    return any(line.kind is QUOTE for line in below)


def introduces_last_quote(lines: Sequence[Line]) -> bool:
    """Whether the text above the last quote introduces it: with a colon, or an unfinished sentence."""
    above = next((line.trimmed for line in reversed(lines) if line.kind in CONTENT and line.trimmed), "")
    quotes = sum(quote for quote, _ in groupby(line.kind is QUOTE for line in lines if line.kind is not EMPTY))
    return above[-1:] in COLONS or (quotes > 1 and above[-1:].isalnum() and len(above.split()) <= 6)


def mark_wrapped_quotes(lines: Sequence[Line]) -> list[Line]:
    """Marks the wrapped ends of long quoted lines as quotes. Some programs do not repeat the ">"."""
    marked = list(lines)
    for number in range(1, len(lines) - 1):
        before, line, after = marked[number - 1], lines[number], lines[number + 1]
        if line.kind is TEXT and before.kind is QUOTE and after.kind is QUOTE:
            is_wrapped = (
                len(before.trimmed) > 60 and len(line.trimmed) < len(before.trimmed) and not line.trimmed[0].isupper()
            )
            is_link_end = "://" in before.trimmed.rsplit(None, 1)[-1] and len(line.trimmed.split()) == 1
            if is_wrapped or is_link_end:
                marked[number] = line._replace(kind=QUOTE)
    return marked


def drop_attributions(lines: Sequence[Line]) -> list[Line]:
    return [line for line in lines if line.kind is not ATTRIBUTION]


def has_quoted_forward_marker(quoted: Sequence[Line]) -> bool:
    return any(is_forward_marker(line.trimmed.lstrip("> ")) for line in quoted[:3] if len(line.trimmed) > 1)


def starts_forward(lines: Sequence[Line]) -> bool:
    return lines[0].kind is FORWARD or has_quoted_forward_marker(lines)


def split_quoted_forward(lines: Sequence[Line]) -> tuple[Sequence[Line], list[Line]]:
    """Splits after a forward whose lines all have quote marks: the text below is the person's own."""
    first = next((number for number, line in enumerate(lines) if line.kind not in (FORWARD, EMPTY)), 0)
    if not lines or lines[first].kind is not QUOTE:
        return lines, []
    end = next((at for at in range(first, len(lines)) if lines[at].kind not in (QUOTE, EMPTY)), len(lines))
    after = list(lines[end:])
    return (lines[:end], after) if any(line.kind in CONTENT for line in after) else (lines, [])


def unquote(lines: Sequence[Line]) -> str:
    texts = (line.raw.strip() if has_marks(line.raw) else line.trimmed for line in lines)
    return "\n".join(text.removeprefix(">").removeprefix(" ") for text in texts)


def unquote_lines(lines: Sequence[Line]) -> list[Line]:
    """The lines without one level of quote marks, with the same numbers."""
    inner = classify_lines(unquote(lines))
    return [line._replace(number=outer.number) for line, outer in zip(inner, lines, strict=False)]


def skip_kinds(lines: Sequence[Line], kinds: tuple[LineKind, ...]) -> int:
    """The index of the first line of another kind."""
    for number, line in enumerate(lines):
        if line.kind not in kinds:
            return number
    return len(lines)
