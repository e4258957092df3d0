"""Finds what a person wrote in a text that also contains earlier mails, in linear time.

Room `lines` classifies every line; this module decides which lines stay:

- A fresh mail has no history. Only a forward, which has a header block with an address, is separated.
- Text above an introduction, a header block or a marker stays; the earlier mail below it is removed.
- A mail that begins with an introduction is answered below it. A mail that begins with a forward *is* the forward.
- Inline answers stay, with the quotes that they answer. An unanswered quote is removed.
- Quotes above all history, and quotes that a line introduces, were written by hand and stay.
- Code between fences is not changed.

Removed text stays available: see `history` and `forwarded_part`; `explain_lines` names the rule for each line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile
from typing import TYPE_CHECKING

from webordinary.mail.closing.signatures import GAP, Cuts, strip_tail
from webordinary.mail.context import Context, Turn
from webordinary.mail.lines.attribution import LONGEST_LINE, MOST_LINES, has_address_or_time
from webordinary.mail.lines.header_blocks import header_field
from webordinary.mail.lines.kinds import (
    ARMOUR,
    ATTRIBUTION,
    DELIMITER,
    EMPTY,
    FORWARD,
    HEADER,
    ORIGINAL,
    QUOTE,
    TEXT,
    Line,
    LineKind,
)
from webordinary.mail.lines.lines import classify_lines
from webordinary.mail.lines.passages import (
    CONTENT,
    block_kind,
    drop_attributions,
    ends_in_quote,
    has_quoted_forward_marker,
    introduces_last_quote,
    join_lines,
    mark_wrapped_quotes,
    skip_kinds,
    split_quoted_forward,
    starts_forward,
    unquote,
    unquote_lines,
)
from webordinary.text.marks import pictures_in

if TYPE_CHECKING:
    from webordinary.mail.history.known_text import KnownText

# An answer of at least this many lines keeps the quote above it as context.
LONG_ANSWER = 5
DEEPEST_FORWARD = 5
UNKNOWN_CONTEXT = Context()

_ENDS_REPLY = (ORIGINAL, FORWARD, HEADER)
_ENDS_OWN_WORDS = (*_ENDS_REPLY, ATTRIBUTION)
_WRITTEN = (*CONTENT, QUOTE)
_UNWRITTEN = (EMPTY, DELIMITER)
_ABOVE_EARLIER = (*_ENDS_REPLY, *_UNWRITTEN)
_BARE_QUOTE = (QUOTE, EMPTY)
_BARE_HISTORY = (*_BARE_QUOTE, ATTRIBUTION)
_INTRODUCTION = (ATTRIBUTION, EMPTY)
_BLOCK = (HEADER, EMPTY)
_RULES = {
    QUOTE: "quoted history",
    ATTRIBUTION: "introduction of an earlier mail",
    HEADER: "header block of an earlier mail",
    ORIGINAL: "marker above an earlier mail",
    FORWARD: "marker above a forwarded mail",
    DELIMITER: "separator line",
    ARMOUR: "PGP armour",
}
_EMPTY_LINES = re.compile(r"\n{3,}")
FORWARDED = "forwarded mail"
EARLIER = "text of an earlier mail"
_EARLIER = frozenset((*_RULES.values(), EARLIER))
_HISTORY = frozenset((QUOTE, ATTRIBUTION, HEADER, ORIGINAL, FORWARD))


def visible_reply(text: str) -> str:
    """What the person wrote, without quoted history and signature. Empty if nothing is new."""
    return SplitText(text).visible_reply()


class SplitText:
    """A text split into the reply, the forwarded part and the history."""

    def __init__(
        self,
        text: str,
        context: Context = UNKNOWN_CONTEXT,
        known: KnownText | None = None,
        *,
        language_rules: bool = True,
        without_history: bool = False,
    ) -> None:
        """`without_history`: the history is removed already, so that a quote at the end is the person's own."""
        self._context = context
        self._without_history = without_history
        self._language_rules = language_rules
        self._cuts = Cuts()
        self._forwarded: list[Line] = []
        self.is_forward = False  # whether the reply is another mail, forwarded or earlier, without words of the person
        self.has_known_text = False  # from earlier mails of the thread
        self._kept: list[Line] = []
        if not text:  # a mail with only HTML
            self._lines = [GAP._replace(number=0)]
            return
        self._lines = classify_lines(
            text, fresh=context.turn is Turn.FRESH, strict=context.has_headers, language_rules=language_rules
        )
        if known is not None and context.turn is not Turn.FRESH:
            self._lines, self.has_known_text = known.mark(self._lines)
        self._kept = self._with_pictures(self._strip(self._read()))

    def visible_reply(self) -> str:
        return join_lines(self._kept)

    def forwarded_part(self) -> str:
        """The forwarded message below the person's own words, without its header block; or an empty string."""
        return join_lines(self._forwarded).strip("\n")

    def history(self) -> str:
        """The removed earlier mails, without the person's own signature."""
        cut = self._cut_lines()
        if not any(line.kind in _HISTORY for line in cut):
            return ""
        return join_lines(self._strip([line for line in cut if line.kind is EMPTY or self._rule(line) in _EARLIER]))

    def removed(self) -> str:
        """The other removed lines: what the rules took for a signature or a footer."""
        if not self._cuts:
            return ""
        return "\n".join(line.raw.rstrip() for line in self._cut_lines() if line.trimmed and line.number in self._cuts)

    def _cut_lines(self) -> list[Line]:
        shown = {line.number for line in (*self._kept, *self._forwarded)}
        return [line for line in self._lines if line.number not in shown]

    def _with_pictures(self, kept: list[Line]) -> list[Line]:
        """With the pictures directly above and below the kept lines. Pictures alone are lines without words."""
        if not kept or not 0 <= kept[0].number <= kept[-1].number < len(self._lines):
            return kept
        first, last = kept[0].number, kept[-1].number
        above = takewhile(lambda line: line.kind is EMPTY, reversed(self._lines[:first]))
        below = takewhile(lambda line: line.kind is EMPTY, self._lines[last + 1 :])
        before, after = list(above)[::-1], list(below)
        return [
            *(before if any(pictures_in(line.raw) for line in before) else ()),
            *kept,
            *(after if any(pictures_in(line.raw) for line in after) else ()),
        ]

    def with_history(self) -> str:
        """What the person wrote and the earlier mails below it, without what introduces them."""
        kept = {line.number for line in self._kept}
        lines = [
            line
            for line in self._lines
            if line.number in kept or (line.kind not in _ENDS_OWN_WORDS and line.number not in self._cuts)
        ]
        return _EMPTY_LINES.sub("\n\n", join_lines(self._strip(lines)))

    def has_inline_answers(self) -> bool:
        """Whether text was written between two quotes, which then belong to the answer."""
        kinds = [line.kind for line in self._lines if line.kind in _WRITTEN]
        blocks = [quote for quote, _ in groupby(kinds, key=lambda kind: kind is QUOTE)]
        return blocks.count(True) > 1

    def explain_lines(self) -> Iterator[tuple[str, str]]:
        """Every line with the rule that removed it, or an empty string if the line is kept."""
        kept = {line.number for line in self._kept}
        forwarded = {line.number for line in self._forwarded}
        for line in self._lines:
            rule = FORWARDED if line.number in forwarded else self._rule(line)
            yield line.raw, "" if line.number in kept or line.kind is EMPTY else rule

    def _rule(self, line: Line) -> str:
        return self._cuts.get(line.number) or _RULES.get(line.kind, EARLIER)

    def _read(self) -> list[Line]:
        lines = [line for line in self._lines if line.kind is not ARMOUR]
        start = self._forward_start(lines) if self._context.has_headers else None
        if start is None:
            if self._context.turn is Turn.FRESH:
                return self._strip_tail(lines)
            return self._reply(lines, DEEPEST_FORWARD)
        above = lines[:start]
        enclosed, after = split_quoted_forward(lines[start:])
        chain = self._forwarded_lines(enclosed)
        forwarded = [line for line in chain if line.kind not in _ENDS_REPLY]
        if not any(line.kind in _WRITTEN for line in (*above, *after)):  # the forward is the message
            end = next((number for number, line in enumerate(chain) if line.kind in _ENDS_REPLY), len(chain))
            self._forwarded = [line for line in chain[end:] if line.kind not in _ENDS_REPLY]
            self.is_forward = True
            return self._strip_tail(chain[:end])
        own = self._own_words(above)
        own = [*own, GAP, *self._strip_tail(after)] if after else own
        if not any(line.kind is not EMPTY for line in own):
            self.is_forward = True
            return forwarded
        self._forwarded = forwarded
        return own

    def _own_words(self, above: Sequence[Line]) -> list[Line]:
        keep = self._context.turn is not Turn.ANSWER
        return self._strip_tail(above) if keep else self._drop_last_quotes(self._strip(above), strict=True)

    def _forward_start(self, lines: Sequence[Line]) -> int | None:
        """Where a forwarded mail begins. Below the history of a reply, a forward is part of that history."""
        answer = self._context.turn is Turn.ANSWER
        quoted = False
        for number, line in enumerate(lines):
            kind = line.kind
            if kind is TEXT or kind is EMPTY:
                quoted = quoted and kind is EMPTY
            elif kind is QUOTE:
                if not quoted and has_quoted_forward_marker(lines[number : number + 3]):
                    return number
                quoted = True
            elif kind is FORWARD:
                return number
            elif kind is HEADER or kind is ORIGINAL:
                return None if answer or self._is_from_us(lines[number : number + 6]) else number
            elif kind is ATTRIBUTION and answer:
                return None
        return None

    def _is_from_us(self, header: Sequence[Line]) -> bool:
        first = next((line.trimmed.lower() for line in header if "@" in line.trimmed), "")
        return any(address in first for address in self._context.own_addresses)

    def _forwarded_lines(self, lines: Sequence[Line]) -> list[Line]:
        """The forwarded mail without its header block. The mails below it are forwarded too."""
        if any(line.kind is QUOTE for line in lines[:6]) and starts_forward(lines):
            lines = unquote_lines(lines)
        body = skip_kinds(lines, _ABOVE_EARLIER)
        return list(lines[body:])

    def _reply(self, lines: Sequence[Line], depth: int) -> list[Line]:
        lines = self._strip(lines)
        if not lines or depth == 0:
            return self._strip_tail(lines)
        if skip_kinds(lines, _BARE_QUOTE) == len(lines):
            return self._quote_only(lines, depth)
        opening = lines[0].kind
        if opening in _ENDS_REPLY:
            self.is_forward = True
            body = skip_kinds(lines, _ABOVE_EARLIER)
            return self._reply(lines[body:], depth - 1) if body < len(lines) else []
        if opening is ATTRIBUTION:
            return self._below_introduction(lines[skip_kinds(lines, _INTRODUCTION) :])
        return self._above_history(lines)

    def _above_history(self, lines: Sequence[Line]) -> list[Line]:
        """For a mail that begins with the person's own words, or with a quote written by hand."""
        cut = _next_of(_ENDS_OWN_WORDS, lines, 0)
        if cut is not None and (end := self._own_introduction(lines, cut)) is not None:
            own = [line._replace(kind=TEXT if line.trimmed else EMPTY) for line in lines[cut:end]]
            lines = [*lines[:cut], *own, *lines[end:]]
            cut = _next_of(_ENDS_OWN_WORDS, lines, end)
        if cut is None:
            return self._drop_last_quotes(lines, strict=self._without_history)
        above, below = self._strip(lines[:cut]), lines[cut:]
        if below[0].kind in _ENDS_REPLY:
            return self._drop_last_quotes(above, strict=True)
        history = below[skip_kinds(below, _INTRODUCTION) :]
        if not history or history[0].kind is not QUOTE:
            return self._drop_last_quotes(above, strict=True)
        answers = self._answers(history)
        if not answers:
            return self._drop_last_quotes(above, strict=True)
        return [*above, GAP, *self._drop_last_quotes(answers)]

    def _own_introduction(self, lines: Sequence[Line], start: int) -> int | None:
        """Where an introduction ends that the person wrote; None if a program wrote it.

        "On 3 March the paper wrote: / > …" or a mail to be sent by the site: "From: Shop … / Subject: Your order / …".
        """
        if lines[start].kind not in (ATTRIBUTION, HEADER) or not self._context.has_headers:
            return None
        end = start + skip_kinds(lines[start:], _BLOCK if lines[start].kind is HEADER else _INTRODUCTION)
        if _is_of_program(lines[start:end]) or not (self._without_history or self._has_history_below(lines[end:])):
            return None
        return end

    def _has_history_below(self, quoted: Sequence[Line]) -> bool:
        """Whether below are words of the person, and below these what a program writes above the history."""
        text = _next_of(CONTENT, quoted, 0)
        history = None if text is None else _next_of((*_ENDS_OWN_WORDS, QUOTE), quoted, text)
        if history is None:
            return False
        below = quoted[history : history + MOST_LINES]
        return _is_of_program(below) and (below[0].kind is not QUOTE or self._begins_with_introduction(below))

    def _below_introduction(self, history: Sequence[Line]) -> list[Line]:
        """For a mail that begins with "… wrote:". The answer is below the quote, or between its parts."""
        if not history or history[0].kind is not QUOTE:
            self.is_forward = True
            end = next((number for number, line in enumerate(history) if line.kind in _ENDS_REPLY), len(history))
            end = end if self._context.has_headers else len(history)
            return self._strip_tail(drop_attributions(history[:end]))
        return self._answers(history, alone=True)

    def _answers(self, history: Sequence[Line], alone: bool = False) -> list[Line]:
        """The text below or between the quotes of `history`, with those quotes that are its context."""
        if skip_kinds(history, _BARE_HISTORY) == len(history):
            return []
        end = next((number for number, line in enumerate(history) if line.kind in _ENDS_REPLY), len(history))
        lines = self._strip_tail(mark_wrapped_quotes(history[:end]))
        blocks = [kind for kind, _ in groupby(block_kind(line) for line in lines if line.kind not in _UNWRITTEN)]
        if not any(kind is TEXT for kind in blocks):
            return []
        interleaved = blocks.count(TEXT) > 1 or blocks[-1] is QUOTE
        written = [line for line in lines if line.kind in CONTENT]
        if interleaved or (len(written) >= LONG_ANSWER and not alone):
            return self._drop_last_quotes(drop_attributions(lines))
        first = next(number for number, line in enumerate(lines) if line.kind in CONTENT)
        return drop_attributions(lines[first:])

    def _drop_last_quotes(self, lines: Sequence[Line], *, strict: bool = False) -> list[Line]:
        """Removes an unanswered quote at the end, and what follows it, if there is other text.

        With headers, a quote stays if the text introduces it ("replace / > old / with / > new") or, with `strict`,
        because the history begins further below: the person wrote it.
        """
        kept = self._strip_tail(lines)
        if not kept or kept[-1].kind in CONTENT or not any(line.kind in CONTENT for line in kept):
            return kept
        if self._context.has_headers and (strict or not ends_in_quote(kept) or introduces_last_quote(kept)):
            return kept
        while kept[-1].kind not in CONTENT:
            kept.pop()
        return self._strip_tail(kept)

    def _quote_only(self, lines: Sequence[Line], depth: int) -> list[Line]:
        """A quote written by hand or a quoted forward is the message. A quoted attribution is history."""
        if self._begins_with_introduction(lines):
            return []
        if not has_quoted_forward_marker(lines):
            return list(lines)
        return self._reply(unquote_lines(lines), depth - 1)

    def _begins_with_introduction(self, quoted: Sequence[Line]) -> bool:
        head = self._strip(classify_lines(unquote(quoted[:4])))
        return bool(head) and head[0].kind is ATTRIBUTION

    def _strip_tail(self, lines: Sequence[Line]) -> list[Line]:
        return strip_tail(lines, self._context, self._cuts) if self._language_rules else list(lines)

    @staticmethod
    def _strip(lines: Sequence[Line]) -> list[Line]:
        start, end = 0, len(lines)
        while start < end and lines[start].kind is EMPTY:
            start += 1
        while end > start and lines[end - 1].kind is EMPTY:
            end -= 1
        return list(lines[start:end])


def _next_of(kinds: tuple[LineKind, ...], lines: Sequence[Line], start: int) -> int | None:
    for number in range(start, len(lines)):
        if lines[number].kind in kinds:
            return number
    return None


def _is_of_program(lines: Sequence[Line]) -> bool:
    """Whether a header block has a date, or an introduction an address or a time, as those that programs write."""
    if lines[0].kind is HEADER:
        return any(header_field(line.trimmed) == "date" for line in lines)
    return any(has_address_or_time(line.trimmed[:LONGEST_LINE]) for line in lines)
