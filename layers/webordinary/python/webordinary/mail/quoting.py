"""Finds what a person wrote in a mail that also carries earlier mails: text in, text out, in linear time.

Every line gets its kind (`lines`); this module decides which lines stay:

- Text above an introduction, a header block or a marker stays; the earlier mail below it goes.
- A mail that begins with such an introduction is answered below it; a mail that begins with a forward *is* the forward.
- Answers between quotes stay, with the quotes that they answer. A quote that nobody answers goes.
- Quotes without introduction were put there by hand and stay, unless they end the mail.
- Code between fences is left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from webordinary.mail.lines import Kind, bare, is_forward_marker, kinds_of
from webordinary.mail.signatures import Line, without_tail

# Text below a quote that is at least this long answers the quote, which then stays as its context.
LONG_ANSWER = 5
DEEPEST_FORWARD = 5

_CONTENT = (Kind.TEXT, Kind.CODE)
_ENDS_REPLY = (Kind.ORIGINAL, Kind.FORWARD, Kind.HEADER)
_UNWRITTEN = (Kind.EMPTY, Kind.DELIMITER)


def visible_reply(text: str) -> str:
    """What the person wrote, without quoted history and signature. May be empty: some mails say nothing new."""
    return Reading(text).visible_reply()


class Reading:
    """A text whose lines were told apart once, for everything that can be asked about it."""

    def __init__(self, text: str) -> None:
        self._lines = _read(text)

    def visible_reply(self) -> str:
        return _joined(_reply(self._lines, DEEPEST_FORWARD))

    def forwarded_part(self) -> str:
        """The forwarded message below the person's own words, without its header block; or nothing."""
        for number, line in enumerate(self._lines):
            if line.kind is Kind.FORWARD:
                return _joined(_reply(self._lines[number:], DEEPEST_FORWARD))
            if line.kind is Kind.QUOTE:
                quoted = self._lines[number:]
                return _joined(_reply(_read(_unquoted(quoted)), DEEPEST_FORWARD)) if _opens_forward(quoted) else ""
        return ""

    def has_answers_between(self) -> bool:
        """Whether something was written between two quotes, which then belong to the answer."""
        kinds = [line.kind for line in self._lines if line.kind in (*_CONTENT, Kind.QUOTE)]
        blocks = [quote for quote, _ in groupby(kinds, key=lambda kind: kind is Kind.QUOTE)]
        return blocks.count(True) > 1


def _read(text: str) -> list[Line]:
    raw = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    bares = [bare(line) for line in raw]
    return [Line(*line) for line in zip(raw, bares, kinds_of(bares), strict=True)]


def _joined(lines: Sequence[Line]) -> str:
    return "\n".join(line.raw if line.kind is Kind.CODE else line.raw.rstrip() for line in _strip(lines)).strip("\n")


def _reply(lines: Sequence[Line], depth: int) -> list[Line]:
    lines = _strip(lines)
    if not lines or depth == 0:
        return without_tail(lines)
    if all(line.kind in (Kind.QUOTE, Kind.EMPTY) for line in lines):
        return _quote_only(lines, depth)
    opening = lines[0].kind
    if opening in _ENDS_REPLY:
        body = _skip(lines, (*_ENDS_REPLY, *_UNWRITTEN))
        return _reply(lines[body:], depth - 1) if body < len(lines) else []
    if opening is Kind.ATTRIBUTION:
        return _below_introduction(lines[_skip(lines, (Kind.ATTRIBUTION, Kind.EMPTY)) :])
    return _above_history(lines)


def _above_history(lines: Sequence[Line]) -> list[Line]:
    """For a mail that begins with the person's own words, or with a quote made by hand."""
    cut = next((number for number, line in enumerate(lines) if line.kind in (*_ENDS_REPLY, Kind.ATTRIBUTION)), None)
    if cut is None:
        return _without_last_quotes(lines)
    above, below = _strip(lines[:cut]), lines[cut:]
    if below[0].kind in _ENDS_REPLY:
        return _without_last_quotes(above)
    history = below[_skip(below, (Kind.ATTRIBUTION, Kind.EMPTY)) :]
    if not history or history[0].kind is not Kind.QUOTE:
        return _without_last_quotes(above)
    answers = _answers(history)
    if not answers:
        return _without_last_quotes(above)
    gap = [Line("", "", Kind.EMPTY)]
    return [*above, *gap, *_without_last_quotes(answers)]


def _below_introduction(history: Sequence[Line]) -> list[Line]:
    """For a mail that begins with "… wrote:": the answer is below the quote, or between its parts."""
    if not history or history[0].kind is not Kind.QUOTE:
        return without_tail(_without_introductions(history))
    return _answers(history, alone=True)


def _answers(history: Sequence[Line], alone: bool = False) -> list[Line]:
    """What was written below or between the quotes of `history`, with the quotes where they are its context."""
    end = next((number for number, line in enumerate(history) if line.kind in _ENDS_REPLY), len(history))
    lines = without_tail(_joined_wraps(history[:end]))
    blocks = [kind for kind, _ in groupby(_block(line) for line in lines if line.kind not in _UNWRITTEN)]
    if not any(kind is Kind.TEXT for kind in blocks):
        return []
    interleaved = blocks.count(Kind.TEXT) > 1 or blocks[-1] is Kind.QUOTE
    written = [line for line in lines if line.kind in _CONTENT]
    if interleaved or (len(written) >= LONG_ANSWER and not alone):
        return _without_last_quotes(_without_introductions(lines))
    first = next(number for number, line in enumerate(lines) if line.kind in _CONTENT)
    return _without_introductions(lines[first:])


def _block(line: Line) -> Kind:
    return Kind.QUOTE if line.kind in (Kind.QUOTE, Kind.ATTRIBUTION) else Kind.TEXT


def _joined_wraps(lines: Sequence[Line]) -> list[Line]:
    """Marks the loose ends of long quoted lines, which some programs wrap without repeating the ">"."""
    marked = list(lines)
    for number in range(1, len(lines) - 1):
        before, line, after = marked[number - 1], lines[number], lines[number + 1]
        if line.kind is Kind.TEXT and before.kind is Kind.QUOTE and after.kind is Kind.QUOTE:
            loose = len(before.bare) > 60 and len(line.bare) < len(before.bare) and not line.bare[0].isupper()
            if loose:
                marked[number] = line._replace(kind=Kind.QUOTE)
    return marked


def _without_introductions(lines: Sequence[Line]) -> list[Line]:
    return [line for line in lines if line.kind is not Kind.ATTRIBUTION]


def _without_last_quotes(lines: Sequence[Line]) -> list[Line]:
    """A quote at the end answers nothing; it goes if there is anything else, and so does what hangs below it."""
    kept = without_tail(lines)
    if not any(line.kind in _CONTENT for line in kept):
        return kept
    if kept[-1].kind in _CONTENT:
        return kept
    while kept[-1].kind not in _CONTENT:
        kept.pop()
    return without_tail(kept)


def _quote_only(lines: Sequence[Line], depth: int) -> list[Line]:
    """A quote made by hand is the message, and so is a quoted forward; a quoted introduction says nothing new."""
    head = _strip(_read(_unquoted(lines[:4])))
    if head and head[0].kind is Kind.ATTRIBUTION:
        return []
    return _reply(_read(_unquoted(lines)), depth - 1) if _opens_forward(lines) else list(lines)


def _opens_forward(quoted: Sequence[Line]) -> bool:
    return any(is_forward_marker(line.bare.lstrip("> ")) for line in quoted[:3])


def _unquoted(lines: Sequence[Line]) -> str:
    return "\n".join(line.bare.removeprefix(">").removeprefix(" ") for line in lines)


def _skip(lines: Sequence[Line], kinds: tuple[Kind, ...]) -> int:
    return next((number for number, line in enumerate(lines) if line.kind not in kinds), len(lines))


def _strip(lines: Sequence[Line]) -> list[Line]:
    start = _skip(lines, (Kind.EMPTY,))
    end = len(lines)
    while end > start and lines[end - 1].kind is Kind.EMPTY:
        end -= 1
    return list(lines[start:end])
