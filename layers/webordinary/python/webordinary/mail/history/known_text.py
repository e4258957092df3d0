"""Finds text of earlier mails of a thread in a new mail, by fingerprint. `marking` marks what is found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from unicodedata import is_normalized, normalize

from webordinary.mail.history.fingerprints import (
    MOST_WORDS,
    SHINGLE_WEIGHT,
    WORD_WEIGHT,
    Hasher,
    unpack,
    weights_of,
    words_by_line,
)
from webordinary.mail.lines.kinds import CODE, INTRODUCTIONS, Line

FEWEST_WORDS = SHINGLE_WEIGHT // WORD_WEIGHT  # of a shingle


class IndexedWords:
    """The words of some lines, with the weight and the line number of each."""

    def __init__(self, lines: Sequence[Line], text: str) -> None:
        """`text` is the joined trimmed text of the lines."""
        self.all: list[str] = []
        self.line: list[int] = []
        self.first: dict[int, int] = {}  # per line with words, the index of its first word
        self.stop: dict[int, int] = {}  # and the index after its last word
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


class KnownSpan(NamedTuple):
    """Consecutive known words: from index `start` up to `end`. `ours`: most of them are from our mails."""

    start: int
    end: int
    weight: int
    ours: bool


class KnownText:
    """The fingerprints of the sent and received mails of one thread."""

    def __init__(
        self, secret: bytes, thread_id: str, *, sent: Iterable[bytes] = (), received: Iterable[bytes] = ()
    ) -> None:
        self._hasher = Hasher(secret, thread_id)
        self._sent = frozenset(found for packed in sent for found in unpack(packed))
        self._known = self._sent.union(found for packed in received for found in unpack(packed))

    def mark(self, lines: list[Line]) -> tuple[list[Line], bool]:
        """The lines with all known text marked as quotes, and whether there was any."""
        text = "\n".join([line.trimmed for line in lines])
        composed = lines
        if not text.isascii() and not is_normalized("NFC", text):
            text = normalize("NFC", text)
            composed = [line._replace(trimmed=trimmed) for line, trimmed in zip(lines, text.split("\n"), strict=True)]
        words = IndexedWords(composed, text)
        spans = self._find_spans(words) if len(words.all) >= FEWEST_WORDS else []
        if not spans:
            return lines, False
        if _is_below_introduction(composed, words, spans):
            return lines, True
        from webordinary.mail.history.marking import KnownTextMarker

        return KnownTextMarker(self, composed, words, spans).mark()

    def _find_spans(self, words: IndexedWords) -> list[KnownSpan]:
        hashes, ends = self._hasher.shingles(words.all, words.weight)
        if self._known.isdisjoint(hashes):
            return []
        spans = []
        ours = _covered(hashes, ends, self._sent)
        counted = 0
        for start, end in _covered(hashes, ends, self._known):
            count = 0
            # Our text is known, so it lies within one of these spans.
            while counted < len(ours) and ours[counted][1] <= end:
                count += ours[counted][1] - ours[counted][0]
                counted += 1
            spans.append(KnownSpan(start, end, sum(words.weight[start:end]), count * 2 > end - start))
        return spans

    def follows(self, words: IndexedWords, before: int, after: int) -> bool:
        """Whether the words from `after` are known to follow directly on the words up to `before`."""
        weight = 0
        for start in range(before - 1, max(-1, before - SHINGLE_WEIGHT), -1):
            weight += words.weight[start]
            if weight >= SHINGLE_WEIGHT:
                break
            end, total = after, weight
            while total < SHINGLE_WEIGHT and end < len(words.all):
                total += words.weight[end]
                end += 1
            shingle = [*words.all[start:before], *words.all[after:end]]
            if total >= SHINGLE_WEIGHT and self._hasher.fingerprint(shingle) in self._known:
                return True
        return False

    def continues(self, words: IndexedWords, before: Sequence[int], start: int, stop: int) -> bool:
        """Whether all words from `start` up to `stop` are known to follow the words at the indexes `before`."""
        indexes = list(before)
        for index in range(start, stop):
            indexes.append(index)
            first, weight = len(indexes), 0
            while weight < SHINGLE_WEIGHT and first > 0:
                first -= 1
                weight += words.weight[indexes[first]]
            shingle = [words.all[number] for number in indexes[first:]]
            if weight - words.weight[index] >= SHINGLE_WEIGHT:
                continue  # with characters and words mixed, no shingle ends exactly here
            if weight < SHINGLE_WEIGHT or self._hasher.fingerprint(shingle) not in self._known:
                return False
        return True


def _covered(hashes: Sequence[bytes], ends: Sequence[int], known: frozenset[bytes]) -> list[tuple[int, int]]:
    """The (start, end) word indexes that known shingles cover without a gap."""
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


def _is_below_introduction(lines: Sequence[Line], words: IndexedWords, spans: Sequence[KnownSpan]) -> bool:
    """Whether all known text is one span at the end, directly below an introduction that the rules found."""
    span = spans[0]
    first = words.line[span.start]
    if len(spans) > 1 or span.end < len(words.all) or span.start != words.first[first]:
        return False
    above = next((line for line in reversed(lines[max(0, first - 3) : first]) if line.trimmed), None)
    return above is not None and above.kind in INTRODUCTIONS
