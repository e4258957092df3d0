"""Marks the known text in a new mail as quotes.

Known words become quotes, with "> " added where a program left it out. A line directly above them with a date or an
address becomes their introduction. Then the same rules apply as for any other mail: inline answers stay together with
the quotes that they answer, and so on. This works in any language.

People repeat themselves: they send a request again, or copy a sentence to refer to it. So known words count as history
only with further evidence: quote marks, an introduction above, or text of ours with nothing new on the same line. In
doubt they are new.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from webordinary.mail.history.fingerprints import SHINGLE_WEIGHT, without_links, word_pattern
from webordinary.mail.lines.introductions import introduction_above, introduction_at
from webordinary.mail.lines.kinds import ATTRIBUTION, CODE, QUOTE, TEXT, Line

if TYPE_CHECKING:
    from webordinary.mail.history.known_text import IndexedWords, KnownSpan, KnownText

LONG_SPAN = 16  # eight words, which two people rarely write alike
SHORT_GAP = 3  # words that re-encoding may have damaged
MOST_GAPS = 500
MOST_EXTENSIONS = 5_000
MOST_INTRODUCTIONS = 500
FARTHEST_LINE = 12


class KnownTextMarker:
    """Marks the lines of one mail."""

    def __init__(self, known: KnownText, lines: list[Line], words: IndexedWords, spans: Sequence[KnownSpan]) -> None:
        self._known = known
        self._lines = lines
        self._words = words
        self._old = bytearray(len(words.all))
        self._extension_budget = MOST_EXTENSIONS
        self._introduction_budget = MOST_INTRODUCTIONS
        self._inserted: dict[int, bool] = {}  # by start of a gap: whether it was written between known words
        self._introductions: set[int] = set()
        self._quoted_words = " ".join(
            word for word, line in zip(words.all, words.line, strict=True) if lines[line].kind is QUOTE
        )
        self._accept_spans(spans)

    def mark(self) -> tuple[list[Line], bool]:
        if not any(self._old):
            return self._lines, False
        self._fill_gaps()
        old_lines = self._old_lines()
        result: list[Line] = []
        for number, line in enumerate(self._lines):
            if number in self._introductions:
                result.append(line._replace(kind=ATTRIBUTION))
            elif number in self._words.first and line.kind is not CODE:
                result.extend(self._split_line(number, line))
            else:
                result.append(_as_quote(line) if number in old_lines and line.trimmed else line)
        return [Line(line.raw, line.trimmed, line.kind, number) for number, line in enumerate(result)], True

    def _accept_spans(self, spans: Sequence[KnownSpan]) -> None:
        has_started = False
        for span in map(self._trim_span, spans):
            if span.end <= span.start:
                continue
            first = self._words.line[span.start]
            is_quoted = self._lines[first].kind is QUOTE
            introduction = self._introduction(first)
            if not (is_quoted or introduction or self._is_history(span, has_started)):
                continue
            if not is_quoted and not introduction and self._is_repeated(span):
                continue
            has_started = True
            self._introductions.update(introduction)
            self._old[span.start : span.end] = b"\x01" * (span.end - span.start)
            self._extend(span)

    def _introduction(self, first: int) -> set[int]:
        if self._introduction_budget <= 0:
            return set()
        self._introduction_budget -= 1
        return introduction_above(self._lines, first) or introduction_at(self._lines, first)

    def _trim_span(self, span: KnownSpan) -> KnownSpan:
        """Drops the few words at either end that are on a line of new words by chance."""
        start, end = span.start, span.end
        line = self._words.line[start]
        if self._words.first[line] < start and self._lines[line].kind is not QUOTE:
            stop = self._words.stop[line]
            if stop < end and self._weight(start, stop) < SHINGLE_WEIGHT:
                start = stop
        line = self._words.line[end - 1]
        if self._words.stop[line] > end and self._lines[line].kind is not QUOTE:
            stop = self._words.first[line]
            if stop > start and self._weight(stop, end) < SHINGLE_WEIGHT:
                end = stop
        return span._replace(start=start, end=end)

    def _weight(self, start: int, end: int) -> int:
        return sum(self._words.weight[start:end])

    def _extend(self, span: KnownSpan) -> None:
        """Finds known lines further below, even if they are too short for a shingle without the words above."""
        end = span.end
        before = list(range(max(span.start, span.end - SHINGLE_WEIGHT), span.end))
        lines = 0
        while lines < FARTHEST_LINE and end < len(self._words.all) and self._extension_budget > 0:
            self._extension_budget -= 1
            line = self._words.line[end]
            start, stop = self._words.first[line], self._words.stop[line]
            if start < end:  # the rest of the line where the span ended
                end = stop
            elif all(self._old[start:stop]):
                return
            elif self._known.continues(self._words, before, start, stop):
                self._old[start:stop] = b"\x01" * (stop - start)
                before = [*before, *range(start, stop)][-SHINGLE_WEIGHT:]
                end, lines = stop, 0
            else:
                end, lines = stop, lines + 1

    def _is_history(self, span: KnownSpan, has_started: bool) -> bool:
        """Without quote marks and introduction: whole lines below the start of the history, or long text of ours."""
        first, last = self._words.line[span.start], self._words.line[span.end - 1]
        whole = self._words.first[first] == span.start and self._words.stop[last] == span.end
        if has_started:
            return whole or span.weight >= LONG_SPAN
        return whole and span.ours and span.weight >= LONG_SPAN and span.start > 0

    def _is_repeated(self, span: KnownSpan) -> bool:
        return " ".join(self._words.all[span.start : span.end]) in self._quoted_words

    def _fill_gaps(self) -> None:
        """Fills gaps between known words that are small or quoted: damage, unless they were written in between."""
        gaps = 0
        position = 0
        spans = [(bool(old), len(list(group))) for old, group in groupby(self._old)]
        for order, (old, length) in enumerate(spans):
            between = 0 < order < len(spans) - 1
            if not old and between and gaps < MOST_GAPS:
                gaps += 1
                self._fill(position, position + length)
            position += length

    def _fill(self, start: int, end: int) -> None:
        if self._known.follows(self._words, start, end):
            return
        for position in range(start, end):
            number = self._words.line[position]
            on_separate_line = self._words.first[number] >= start and self._words.stop[number] <= end
            quoted = self._lines[number].kind is QUOTE
            if not on_separate_line and (quoted or end - start <= SHORT_GAP):
                self._old[position] = 1

    def _old_lines(self) -> set[int]:
        """Lines without words, such as links, between known lines."""
        known = {number: bool(self._old[stop - 1]) for number, stop in self._words.stop.items()}
        found: set[int] = set()
        pending: list[int] = []
        before = False
        for number, line in enumerate(self._lines):
            if number in known:
                if before and self._old[self._words.first[number]]:
                    found.update(pending)
                pending, before = [], known[number]
            elif line.trimmed:
                pending.append(number)
        return found

    def _split_line(self, number: int, line: Line) -> list[Line]:
        """Splits the line where known and new words meet."""
        first, stop = self._words.first[number], self._words.stop[number]
        states = self._old[first:stop]
        if not any(states):
            return [_as_text(line) if line.kind is QUOTE and self._is_inserted(first, stop) else line]
        if all(states):
            return [_as_quote(line)]
        offsets = [
            (match.start(), match.end()) for match in word_pattern(line.trimmed).finditer(without_links(line.trimmed))
        ]
        if len(offsets) != len(states):  # characters that are compared as several words
            return [_as_quote(line) if line.kind is QUOTE else line]
        if line.kind is QUOTE and not self._is_certain_answer(states, first, line.trimmed, offsets):
            return [line]
        pieces: list[Line] = []
        start = position = 0
        for old, group in groupby(states):
            position += len(list(group))
            end = offsets[position][0] if position < len(offsets) else len(line.trimmed)
            text = line.trimmed[start:end].strip()
            text = text if old else text.lstrip("> ")
            piece = Line(text, text, TEXT)
            pieces.append(_as_quote(piece) if old else piece)
            start = end
        return pieces

    def _is_inserted(self, first: int, stop: int) -> bool:
        """Whether a line with quote marks was written between two known ones."""
        start = self._old.rfind(1, 0, first) + 1
        if start not in self._inserted:
            end = self._old.find(1, stop)
            self._inserted[start] = start > 0 and end >= 0 and self._known.follows(self._words, start, end)
        return self._inserted[start]

    def _is_certain_answer(
        self, states: Sequence[int], first: int, text: str, offsets: Sequence[tuple[int, int]]
    ) -> bool:
        """Whether new words on a quoted line follow the end of a known sentence or were written between known words."""
        if not states[0]:
            return False
        switch = next(position for position, state in enumerate(states) if not state)
        rest = text[offsets[switch - 1][1] :][:2].strip("\"')\u201d\u00bb ")
        if rest[:1] in (".", "?", "!", ":", "\u3002", "\uff1f", "\uff01"):
            return True
        end = self._old.find(1, first + switch)
        return end >= 0 and self._known.follows(self._words, first + switch, end)


def _as_quote(line: Line) -> Line:
    if line.kind is QUOTE or line.trimmed.startswith(">"):
        return line._replace(kind=QUOTE)
    return line._replace(raw=f"> {line.trimmed}", trimmed=f"> {line.trimmed}", kind=QUOTE)


def _as_text(line: Line) -> Line:
    text = line.trimmed.lstrip("> ")
    return line._replace(raw=text, trimmed=text, kind=TEXT)
