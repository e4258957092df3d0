"""Finds what is known from earlier mails of a conversation in a new one, by fingerprints.

Known words become quotes, with "> " before them where a program left that out, and what stands right above them and
holds a date or an address becomes their introduction. From there on the same rules apply as to any other mail: answers
between quotes stay together with what they answer, and so on. No language is involved.

People repeat themselves: they send a request again, or copy a sentence to refer to it. So words count as history only
where something else says so as well: quote marks, an introduction above, or that they are ours and nothing new is on
the same line. In doubt they are new.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple
from unicodedata import normalize

from webordinary.mail.fingerprints import RUN_WEIGHT, Hasher, Token, run_ends, split, tokens_of
from webordinary.mail.introductions import introduction_above, introduction_at
from webordinary.mail.lines import Kind, Line

LONG_RUN = 16  # eight words, which two people hardly write alike
SHORT_GAP = 3  # words that an encoding may have damaged
MOST_GAPS = 500
MOST_REACHES = 5_000
FARTHEST_LINE = 12


class Run(NamedTuple):
    """Known words in a row, from token `start` to before token `end`."""

    start: int
    end: int
    weight: int
    ours: bool


class KnownText:
    """What is known of one conversation: fingerprints of the mails that we sent and of those that we received."""

    def __init__(
        self, secret: bytes, thread_id: str, *, sent: Iterable[bytes] = (), received: Iterable[bytes] = ()
    ) -> None:
        self._hasher = Hasher(secret, thread_id)
        self._sent = frozenset(found for packed in sent for found in split(packed))
        self._known = self._sent.union(found for packed in received for found in split(packed))

    def mark(self, lines: Sequence[Line]) -> tuple[list[Line], bool]:
        """The lines with everything known marked as quotes, and whether there was anything."""
        if not self._known:
            return list(lines), False
        composed = [line if line.bare.isascii() else line._replace(bare=normalize("NFC", line.bare)) for line in lines]
        tokens = tokens_of(["" if line.kind is Kind.CODE else line.bare for line in composed])
        runs = self._runs(tokens)
        if not runs:
            return list(lines), False
        return _Marking(self, composed, tokens, runs).marked()

    def _runs(self, tokens: Sequence[Token]) -> list[Run]:
        covered = bytearray(len(tokens))  # 1 for words of the conversation, 2 for words of ours
        for start, (found, end) in enumerate(zip(self._hasher.runs(tokens), run_ends(tokens), strict=True)):
            if found in self._known:
                mark = 2 if found in self._sent else 1
                for position in range(start, end):
                    covered[position] |= mark
        runs = []
        position = 0
        for known, group in groupby(covered, key=bool):
            marks = bytes(group)
            if known:
                weight = sum(token.weight for token in tokens[position : position + len(marks)])
                runs.append(
                    Run(position, position + len(marks), weight, sum(mark > 1 for mark in marks) * 2 > len(marks))
                )
            position += len(marks)
        return runs

    def follows(self, tokens: Sequence[Token], before: int, after: int) -> bool:
        """Whether the words from `after` on are known to follow those that end before `before`."""
        weight = 0
        for start in range(before - 1, max(-1, before - RUN_WEIGHT), -1):
            weight += tokens[start].weight
            if weight >= RUN_WEIGHT:
                break
            words = [token.word for token in tokens[start:before]]
            end, total = after, weight
            while total < RUN_WEIGHT and end < len(tokens):
                words.append(tokens[end].word)
                total += tokens[end].weight
                end += 1
            if total >= RUN_WEIGHT and self._hasher.of(words) in self._known:
                return True
        return False

    def is_next(self, words: Sequence[Token], token: Token) -> bool:
        """Whether one more word is known to follow; `words` are the known ones before it."""
        weight = token.weight
        start = len(words)
        while weight < RUN_WEIGHT and start > 0:
            start -= 1
            weight += words[start].weight
        run = [word.word for word in words[start:]]
        return weight >= RUN_WEIGHT and self._hasher.of([*run, token.word]) in self._known


class _Marking:
    """One pass over one mail."""

    def __init__(self, known: KnownText, lines: list[Line], tokens: Sequence[Token], runs: Sequence[Run]) -> None:
        self._known = known
        self._lines = lines
        self._tokens = tokens
        self._old = bytearray(len(tokens))
        self._reaches = MOST_REACHES
        self._introductions: set[int] = set()
        self._first_token: dict[int, int] = {}
        self._last_token: dict[int, int] = {}
        for position, token in enumerate(tokens):
            self._first_token.setdefault(token.line, position)
            self._last_token[token.line] = position
        self._marked_words = b" ".join(token.word for token in tokens if lines[token.line].kind is Kind.QUOTE)
        self._accept(runs)

    def marked(self) -> tuple[list[Line], bool]:
        if not any(self._old):
            return self._lines, False
        self._fill_gaps()
        old_lines = self._old_lines()
        result: list[Line] = []
        for number, line in enumerate(self._lines):
            if number in self._introductions:
                result.append(line._replace(kind=Kind.ATTRIBUTION))
            elif number in self._first_token and line.kind is not Kind.CODE:
                result.extend(self._pieces(number, line))
            else:
                result.append(_quoted(line) if number in old_lines and line.bare else line)
        return [line._replace(number=number) for number, line in enumerate(result)], True

    def _accept(self, runs: Sequence[Run]) -> None:
        started = False
        for run in map(self._trimmed, runs):
            if run.end <= run.start:
                continue
            first = self._tokens[run.start].line
            is_marked = self._lines[first].kind is Kind.QUOTE
            introduction = introduction_above(self._lines, first) or introduction_at(self._lines, first)
            if not (is_marked or introduction or self._is_history(run, started)):
                continue
            if not is_marked and not introduction and self._is_said_again(run):
                continue
            started = True
            self._introductions.update(introduction)
            self._old[run.start : run.end] = b"\x01" * (run.end - run.start)
            self._reach_on(run)

    def _trimmed(self, run: Run) -> Run:
        """Without the few words at either end that only happen to stand on a line of new ones."""
        start, end = run.start, run.end
        line = self._tokens[start].line
        if self._first_token[line] < start and self._lines[line].kind is not Kind.QUOTE:
            stop = self._last_token[line] + 1
            if stop < end and self._weight(start, stop) < RUN_WEIGHT:
                start = stop
        line = self._tokens[end - 1].line
        if self._last_token[line] >= end and self._lines[line].kind is not Kind.QUOTE:
            stop = self._first_token[line]
            if stop > start and self._weight(stop, end) < RUN_WEIGHT:
                end = stop
        return run._replace(start=start, end=end)

    def _weight(self, start: int, end: int) -> int:
        return sum(token.weight for token in self._tokens[start:end])

    def _reach_on(self, run: Run) -> None:
        """Finds what goes on below an answer, even if it is too short to be known without what stands above."""
        end = run.end
        context = list(self._tokens[max(run.start, run.end - RUN_WEIGHT) : run.end])
        lines = 0
        while lines < FARTHEST_LINE and end < len(self._tokens) and self._reaches > 0:
            self._reaches -= 1
            line = self._tokens[end].line
            start, stop = self._first_token[line], self._last_token[line] + 1
            if start < end:  # the rest of the line on which the known words ended
                end = stop
            elif all(self._old[start:stop]):
                return
            elif self._goes_on(context, start, stop):
                self._old[start:stop] = b"\x01" * (stop - start)
                context = [*context, *self._tokens[start:stop]][-RUN_WEIGHT:]
                end, lines = stop, 0
            else:
                end, lines = stop, lines + 1

    def _goes_on(self, context: Sequence[Token], start: int, stop: int) -> bool:
        words = list(context)
        for token in self._tokens[start:stop]:
            if not self._known.is_next(words, token):
                return False
            words.append(token)
        return True

    def _is_history(self, run: Run, started: bool) -> bool:
        """Without quote marks and introduction: whole lines below the history's beginning, or long ones of ours."""
        first, last = self._tokens[run.start].line, self._tokens[run.end - 1].line
        whole = self._first_token[first] == run.start and self._last_token[last] == run.end - 1
        if started:
            return whole or run.weight >= LONG_RUN
        return whole and run.ours and run.weight >= LONG_RUN and run.start > 0

    def _is_said_again(self, run: Run) -> bool:
        return b" ".join(token.word for token in self._tokens[run.start : run.end]) in self._marked_words

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
        if self._known.follows(self._tokens, start, end):
            return
        for position in range(start, end):
            number = self._tokens[position].line
            apart = self._first_token[number] >= start and self._last_token[number] < end
            marked = self._lines[number].kind is Kind.QUOTE
            if not apart and (marked or end - start <= SHORT_GAP):
                self._old[position] = 1

    def _old_lines(self) -> set[int]:
        """Lines without words, such as links, that stand between known lines."""
        known = {number: bool(self._old[position]) for number, position in self._last_token.items()}
        found: set[int] = set()
        pending: list[int] = []
        before = False
        for number, line in enumerate(self._lines):
            if number in known:
                if before and self._old[self._first_token[number]]:
                    found.update(pending)
                pending, before = [], known[number]
            elif line.bare:
                pending.append(number)
        return found

    def _pieces(self, number: int, line: Line) -> list[Line]:
        """The line, cut where known and new words meet."""
        first, last = self._first_token[number], self._last_token[number]
        states = self._old[first : last + 1]
        if not any(states):
            return [line] if line.kind is not Kind.QUOTE or not self._is_put_between(first, last) else [_unquoted(line)]
        if all(states):
            return [_quoted(line)]
        if line.kind is Kind.QUOTE and not self._is_certain(states, first):
            return [line]
        pieces: list[Line] = []
        start = 0
        position = first
        for old, group in groupby(states):
            position += len(list(group))
            end = self._tokens[position].start if position <= last else len(line.bare)
            text = line.bare[start:end].strip()
            piece = Line(text.lstrip("> ") if not old else text, text.lstrip("> ") if not old else text, Kind.TEXT)
            pieces.append(_quoted(piece) if old else piece)
            start = end
        return pieces

    def _is_put_between(self, first: int, last: int) -> bool:
        """Whether a line that a program marked as quoted was written between two known ones."""
        start, end = first, last + 1
        while start > 0 and not self._old[start - 1]:
            start -= 1
        while end < len(self._old) and not self._old[end]:
            end += 1
        return start > 0 and end < len(self._old) and self._known.follows(self._tokens, start, end)

    def _is_certain(self, states: Sequence[int], first: int) -> bool:
        """New words on a line with quote marks: behind the end of a known sentence, or put between known words."""
        switch = next(position for position, state in enumerate(states) if state != states[0]) + first
        if states[0]:
            token = self._tokens[switch - 1]
            behind = self._lines[token.line].bare[token.end : token.end + 2].strip("\"')\u201d\u00bb ")
            if behind[:1] in (".", "?", "!", ":", "\u3002", "\uff1f", "\uff01"):
                return True
        end = switch
        while end < len(self._old) and not self._old[end]:
            end += 1
        return bool(states[0]) and end < len(self._old) and self._known.follows(self._tokens, switch, end)


def _quoted(line: Line) -> Line:
    if line.kind is Kind.QUOTE or line.bare.startswith(">"):
        return line._replace(kind=Kind.QUOTE)
    return line._replace(raw=f"> {line.bare}", bare=f"> {line.bare}", kind=Kind.QUOTE)


def _unquoted(line: Line) -> Line:
    text = line.bare.lstrip("> ")
    return line._replace(raw=text, bare=text, kind=Kind.TEXT)
