"""Marks what is known from earlier mails in a new one.

Known words become quotes, with "> " before them where a program left that out, and what stands right above them and
holds a date or an address becomes their introduction. From there on the same rules apply as to any other mail: answers
between quotes stay together with what they answer, and so on. No language is involved.

People repeat themselves: they send a request again, or copy a sentence to refer to it. So words count as history only
where something else says so as well: quote marks, an introduction above, or that they are ours and nothing new is on
the same line. In doubt they are new.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from webordinary.mail.history.fingerprints import RUN_WEIGHT, without_links, word_pattern
from webordinary.mail.lines.introductions import introduction_above, introduction_at
from webordinary.mail.lines.kinds import ATTRIBUTION, CODE, QUOTE, TEXT, Line

if TYPE_CHECKING:
    from webordinary.mail.history.known_text import KnownText, Run, Words

LONG_RUN = 16  # eight words, which two people hardly write alike
SHORT_GAP = 3  # words that an encoding may have damaged
MOST_GAPS = 500
MOST_REACHES = 5_000
MOST_INTRODUCTIONS = 500
FARTHEST_LINE = 12


class Marking:
    """One pass over one mail."""

    def __init__(self, known: KnownText, lines: list[Line], words: Words, runs: Sequence[Run]) -> None:
        self._known = known
        self._lines = lines
        self._words = words
        self._old = bytearray(len(words.all))
        self._reaches = MOST_REACHES
        self._looks = MOST_INTRODUCTIONS
        self._between: dict[int, bool] = {}  # per gap, by where it begins, whether it was put between known words
        self._introductions: set[int] = set()
        self._marked_words = " ".join(
            word for word, line in zip(words.all, words.line, strict=True) if lines[line].kind is QUOTE
        )
        self._accept(runs)

    def marked(self) -> tuple[list[Line], bool]:
        if not any(self._old):
            return self._lines, False
        self._fill_gaps()
        old_lines = self._old_lines()
        result: list[Line] = []
        for number, line in enumerate(self._lines):
            if number in self._introductions:
                result.append(line._replace(kind=ATTRIBUTION))
            elif number in self._words.first and line.kind is not CODE:
                result.extend(self._pieces(number, line))
            else:
                result.append(_quoted(line) if number in old_lines and line.bare else line)
        return [Line(line.raw, line.bare, line.kind, number) for number, line in enumerate(result)], True

    def _accept(self, runs: Sequence[Run]) -> None:
        started = False
        for run in map(self._trimmed, runs):
            if run.end <= run.start:
                continue
            first = self._words.line[run.start]
            is_marked = self._lines[first].kind is QUOTE
            introduction = self._introduction(first)
            if not (is_marked or introduction or self._is_history(run, started)):
                continue
            if not is_marked and not introduction and self._is_said_again(run):
                continue
            started = True
            self._introductions.update(introduction)
            self._old[run.start : run.end] = b"\x01" * (run.end - run.start)
            self._reach_on(run)

    def _introduction(self, first: int) -> set[int]:
        if self._looks <= 0:
            return set()
        self._looks -= 1
        return introduction_above(self._lines, first) or introduction_at(self._lines, first)

    def _trimmed(self, run: Run) -> Run:
        """Without the few words at either end that only happen to stand on a line of new ones."""
        start, end = run.start, run.end
        line = self._words.line[start]
        if self._words.first[line] < start and self._lines[line].kind is not QUOTE:
            stop = self._words.stop[line]
            if stop < end and self._weight(start, stop) < RUN_WEIGHT:
                start = stop
        line = self._words.line[end - 1]
        if self._words.stop[line] > end and self._lines[line].kind is not QUOTE:
            stop = self._words.first[line]
            if stop > start and self._weight(stop, end) < RUN_WEIGHT:
                end = stop
        return run._replace(start=start, end=end)

    def _weight(self, start: int, end: int) -> int:
        return sum(self._words.weight[start:end])

    def _reach_on(self, run: Run) -> None:
        """Finds what goes on below an answer, even if it is too short to be known without what stands above."""
        end = run.end
        before = list(range(max(run.start, run.end - RUN_WEIGHT), run.end))
        lines = 0
        while lines < FARTHEST_LINE and end < len(self._words.all) and self._reaches > 0:
            self._reaches -= 1
            line = self._words.line[end]
            start, stop = self._words.first[line], self._words.stop[line]
            if start < end:  # the rest of the line on which the known words ended
                end = stop
            elif all(self._old[start:stop]):
                return
            elif self._known.goes_on(self._words, before, start, stop):
                self._old[start:stop] = b"\x01" * (stop - start)
                before = [*before, *range(start, stop)][-RUN_WEIGHT:]
                end, lines = stop, 0
            else:
                end, lines = stop, lines + 1

    def _is_history(self, run: Run, started: bool) -> bool:
        """Without quote marks and introduction: whole lines below the history's beginning, or long ones of ours."""
        first, last = self._words.line[run.start], self._words.line[run.end - 1]
        whole = self._words.first[first] == run.start and self._words.stop[last] == run.end
        if started:
            return whole or run.weight >= LONG_RUN
        return whole and run.ours and run.weight >= LONG_RUN and run.start > 0

    def _is_said_again(self, run: Run) -> bool:
        return " ".join(self._words.all[run.start : run.end]) in self._marked_words

    def _fill_gaps(self) -> None:
        """A gap between known words is new where it was put between them, otherwise damage if it is small or marked."""
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
            apart = self._words.first[number] >= start and self._words.stop[number] <= end
            marked = self._lines[number].kind is QUOTE
            if not apart and (marked or end - start <= SHORT_GAP):
                self._old[position] = 1

    def _old_lines(self) -> set[int]:
        """Lines without words, such as links, that stand between known lines."""
        known = {number: bool(self._old[stop - 1]) for number, stop in self._words.stop.items()}
        found: set[int] = set()
        pending: list[int] = []
        before = False
        for number, line in enumerate(self._lines):
            if number in known:
                if before and self._old[self._words.first[number]]:
                    found.update(pending)
                pending, before = [], known[number]
            elif line.bare:
                pending.append(number)
        return found

    def _pieces(self, number: int, line: Line) -> list[Line]:
        """The line, cut where known and new words meet."""
        first, stop = self._words.first[number], self._words.stop[number]
        states = self._old[first:stop]
        if not any(states):
            return [_unquoted(line) if line.kind is QUOTE and self._is_put_between(first, stop) else line]
        if all(states):
            return [_quoted(line)]
        places = [(match.start(), match.end()) for match in word_pattern(line.bare).finditer(without_links(line.bare))]
        if len(places) != len(states):  # letters that are compared as several words
            return [_quoted(line) if line.kind is QUOTE else line]
        if line.kind is QUOTE and not self._is_certain(states, first, line.bare, places):
            return [line]
        pieces: list[Line] = []
        start = position = 0
        for old, group in groupby(states):
            position += len(list(group))
            end = places[position][0] if position < len(places) else len(line.bare)
            text = line.bare[start:end].strip()
            text = text if old else text.lstrip("> ")
            piece = Line(text, text, TEXT)
            pieces.append(_quoted(piece) if old else piece)
            start = end
        return pieces

    def _is_put_between(self, first: int, stop: int) -> bool:
        """Whether a line that a program marked as quoted was written between two known ones."""
        start = self._old.rfind(1, 0, first) + 1
        if start not in self._between:
            end = self._old.find(1, stop)
            self._between[start] = start > 0 and end >= 0 and self._known.follows(self._words, start, end)
        return self._between[start]

    def _is_certain(self, states: Sequence[int], first: int, text: str, places: Sequence[tuple[int, int]]) -> bool:
        """New words on a line with quote marks: behind the end of a known sentence, or put between known words."""
        if not states[0]:
            return False
        switch = next(position for position, state in enumerate(states) if not state)
        behind = text[places[switch - 1][1] :][:2].strip("\"')\u201d\u00bb ")
        if behind[:1] in (".", "?", "!", ":", "\u3002", "\uff1f", "\uff01"):
            return True
        end = self._old.find(1, first + switch)
        return end >= 0 and self._known.follows(self._words, first + switch, end)


def _quoted(line: Line) -> Line:
    if line.kind is QUOTE or line.bare.startswith(">"):
        return line._replace(kind=QUOTE)
    return line._replace(raw=f"> {line.bare}", bare=f"> {line.bare}", kind=QUOTE)


def _unquoted(line: Line) -> Line:
    text = line.bare.lstrip("> ")
    return line._replace(raw=text, bare=text, kind=TEXT)
