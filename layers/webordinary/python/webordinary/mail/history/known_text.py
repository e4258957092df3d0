"""What is known of a conversation from its earlier mails, and where a new mail says the same.

`marking` makes use of it; the fingerprints themselves are in `fingerprints`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from unicodedata import is_normalized, normalize

from webordinary.mail.history.fingerprints import (
    MOST_WORDS,
    RUN_WEIGHT,
    WORD_WEIGHT,
    Hasher,
    split,
    weights_of,
    words_by_line,
)
from webordinary.mail.lines.kinds import CODE, INTRODUCTIONS, Line

FEWEST_WORDS = RUN_WEIGHT // WORD_WEIGHT  # of a run


class Words:
    """The words of some lines: each one, how much it counts, and on which line it stands."""

    def __init__(self, lines: Sequence[Line], text: str) -> None:
        """`text` is what stands on the lines."""
        self.all: list[str] = []
        self.line: list[int] = []
        self.first: dict[int, int] = {}  # per line with words, its first one
        self.stop: dict[int, int] = {}  # and the one behind its last
        stop = 0
        for number, found in enumerate(words_by_line(text)):
            if not found or lines[number].kind is CODE:
                continue
            self.first[number] = stop
            stop += len(found)
            self.stop[number] = stop
            self.all += found
            self.line += [number] * len(found)
            if stop >= MOST_WORDS:
                break
        self.weight = weights_of(self.all)


class Run(NamedTuple):
    """Known words in a row, from word `start` to before word `end`."""

    start: int
    end: int
    weight: int
    ours: bool


class KnownText:
    """The fingerprints of the mails of one conversation: those that we sent, and those that we received."""

    def __init__(
        self, secret: bytes, thread_id: str, *, sent: Iterable[bytes] = (), received: Iterable[bytes] = ()
    ) -> None:
        self._hasher = Hasher(secret, thread_id)
        self._sent = frozenset(found for packed in sent for found in split(packed))
        self._known = self._sent.union(found for packed in received for found in split(packed))

    def mark(self, lines: list[Line]) -> tuple[list[Line], bool]:
        """The lines with everything known marked as quotes, and whether there was anything."""
        text = "\n".join([line.bare for line in lines])
        composed = lines
        if not text.isascii() and not is_normalized("NFC", text):
            text = normalize("NFC", text)
            composed = [line._replace(bare=bare) for line, bare in zip(lines, text.split("\n"), strict=True)]
        words = Words(composed, text)
        runs = self._runs(words) if len(words.all) >= FEWEST_WORDS else []
        if not runs:
            return lines, False
        if _is_found_anyway(composed, words, runs):
            return lines, True
        from webordinary.mail.history.marking import Marking

        return Marking(self, composed, words, runs).marked()

    def _runs(self, words: Words) -> list[Run]:
        hashes, ends = self._hasher.runs(words.all, words.weight)
        if self._known.isdisjoint(hashes):
            return []
        runs = []
        ours = _spans(hashes, ends, self._sent)
        passed = 0
        for start, end in _spans(hashes, ends, self._known):
            count = 0
            while passed < len(ours) and ours[passed][1] <= end:  # what is ours is known, so it lies in one of these
                count += ours[passed][1] - ours[passed][0]
                passed += 1
            runs.append(Run(start, end, sum(words.weight[start:end]), count * 2 > end - start))
        return runs

    def follows(self, words: Words, before: int, after: int) -> bool:
        """Whether the words from `after` on are known to follow those that end before `before`."""
        weight = 0
        for start in range(before - 1, max(-1, before - RUN_WEIGHT), -1):
            weight += words.weight[start]
            if weight >= RUN_WEIGHT:
                break
            end, total = after, weight
            while total < RUN_WEIGHT and end < len(words.all):
                total += words.weight[end]
                end += 1
            run = [*words.all[start:before], *words.all[after:end]]
            if total >= RUN_WEIGHT and self._hasher.of(run) in self._known:
                return True
        return False

    def goes_on(self, words: Words, before: Sequence[int], start: int, stop: int) -> bool:
        """Whether all words from `start` to before `stop` are known to follow the words at the places `before`."""
        places = list(before)
        for place in range(start, stop):
            places.append(place)
            first, weight = len(places), 0
            while weight < RUN_WEIGHT and first > 0:
                first -= 1
                weight += words.weight[places[first]]
            run = places[first:]
            if weight - words.weight[place] >= RUN_WEIGHT:
                continue  # with characters and words mixed, no run ends exactly here
            if weight < RUN_WEIGHT or self._hasher.of([words.all[number] for number in run]) not in self._known:
                return False
        return True


def _spans(hashes: Sequence[bytes], ends: Sequence[int], known: frozenset[bytes]) -> list[tuple[int, int]]:
    """From which word to before which one the known runs cover the text without a gap."""
    spans: list[tuple[int, int]] = []
    first = last = 0
    for start, found in enumerate(hashes):
        if found not in known:
            continue
        if start > last or last == 0:
            if last:
                spans.append((first, last))
            first = start
        last = ends[start]
    return [*spans, (first, last)] if last else spans


def _is_found_anyway(lines: Sequence[Line], words: Words, runs: Sequence[Run]) -> bool:
    """Whether everything known stands below an introduction that was recognised, with nothing new among it."""
    run = runs[0]
    first = words.line[run.start]
    if len(runs) > 1 or run.end < len(words.all) or run.start != words.first[first]:
        return False
    above = next((line for line in reversed(lines[max(0, first - 3) : first]) if line.bare), None)
    return above is not None and above.kind in INTRODUCTIONS
