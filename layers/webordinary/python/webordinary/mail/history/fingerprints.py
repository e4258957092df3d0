"""Keyed fingerprints of the mails of a thread, which identify quoted text in any program and language.

A fingerprint is a keyed hash of a shingle: five consecutive words, or ten characters in a script without spaces. Quote
marks, wrapping, punctuation, case, accents and links are ignored, so re-quoting and re-encoding do not change it.

No text is stored. Without the secret, a fingerprint can be neither computed nor compared with one of another thread;
with it, one can only check whether a given shingle occurred in the thread. Fingerprints expire with their thread.

Size: 6 bytes each, at most 2,000 per mail (12 KB; an ordinary mail has 1 KB) and 20,000 per side of a thread (120 KB),
so that both sides fit into one DynamoDB item. Beyond that the oldest are dropped.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from itertools import accumulate

from webordinary.mail.vocabulary.matching import fold
from webordinary.mail.vocabulary.patterns import lazy_pattern

SIZE = 6
MOST_PER_MAIL = 2_000
MOST_PER_SIDE = 20_000
MOST_WORDS = 25_000
SHINGLE_WEIGHT = 10
WORD_WEIGHT = 2

# Thai, Lao, Burmese, Khmer, kana and Chinese characters: every character counts as a word.
_UNSPACED_RANGES = (
    *(("\u0e00", "\u0eff"), ("\u1000", "\u109f"), ("\u1780", "\u17ff"), ("\u3040", "\u30ff")),
    *(("\u3400", "\u4dbf"), ("\u4e00", "\u9fff"), ("\uf900", "\ufaff")),
)
_FIRST_UNSPACED = "\u0dff"
_UNSPACED = "".join(f"{first}-{last}" for first, last in _UNSPACED_RANGES)
# Programs rewrite and repeat links and addresses, so they are ignored.
_LINK = lazy_pattern(
    r"<?(?:https?://|www\.|mailto:)[^\s<>]{1,2000}>?|[^\s<>]{1,100}@[^\s<>]{1,200}|\[cid:[^\]]{1,200}\]"
)
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")
# Translation table for ASCII text: words in lower case, line breaks kept, everything else a space.
_ASCII_WORDS = bytes(ord(chr(byte).lower()) if chr(byte).isalnum() or byte == 10 else 32 for byte in range(256))
_LINK_HINTS = ("@", "://", "www.", "mailto:", "[cid:")


def fingerprints_of(text: str, secret: bytes, thread_id: str) -> bytes:
    """The concatenated fingerprints of one mail. Empty for a mail of fewer than five words."""
    words: list[str] = []
    for found in words_by_line(unicodedata.normalize("NFC", text)):
        words += found
        if len(words) > MOST_WORDS:
            break
    hashes, _ = Hasher(secret, thread_id).shingles(words, weights_of(words))
    return b"".join(list(dict.fromkeys(hashes))[:MOST_PER_MAIL])


def add_fingerprints(known: bytes, new: bytes) -> bytes:
    """Adds a mail to the fingerprints of one side of a thread: unique, newest last, up to the limit."""
    fresh = dict.fromkeys(unpack(new))
    old = [found for found in unpack(known) if found not in fresh]
    return b"".join([*old, *fresh][-MOST_PER_SIDE:])


def unpack(packed: bytes) -> list[bytes]:
    return [packed[start : start + SIZE] for start in range(0, len(packed) - SIZE + 1, SIZE)]


@cache
def _word() -> re.Pattern[str]:
    """Compiled on first use: it takes milliseconds, and most mails do not need it."""
    return re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")


def word_pattern(line: str) -> re.Pattern[str]:
    return _ASCII_WORD if line.isascii() else _word()


def without_links(line: str) -> str:
    """Replaces links by spaces, so that all other positions stay the same."""
    for hint in _LINK_HINTS:
        if hint in line:
            return _LINK().sub(lambda link: " " * len(link[0]), line)
    return line


def words_by_line(text: str) -> list[list[str]]:
    """The words of every line of a text, normalised for comparison."""
    for hint in _LINK_HINTS:
        if hint in text:
            text = "\n".join(map(without_links, text.split("\n")))
            break
    if text.isascii():
        return [line.split() for line in text.encode().translate(_ASCII_WORDS).decode().split("\n")]
    plain = fold(unicodedata.normalize("NFKC", text))
    find = word_pattern(plain).findall
    return [find(line) for line in plain.split("\n")]


def weights_of(words: Sequence[str]) -> list[int]:
    """The weight of each word in a shingle."""
    if "".join(words).isascii():
        return [WORD_WEIGHT] * len(words)
    return [1 if len(word) == 1 and word > _FIRST_UNSPACED and _is_unspaced(word) else WORD_WEIGHT for word in words]


def _is_unspaced(letter: str) -> bool:
    for first, last in _UNSPACED_RANGES:  # noqa: SIM110 - called for every letter, and a generator costs more
        if first <= letter <= last:
            return True
    return False


class Hasher:
    """Computes the fingerprints of one thread."""

    def __init__(self, secret: bytes, thread_id: str) -> None:
        key = hashlib.blake2b(thread_id.encode(), key=hashlib.sha256(secret).digest(), person=b"mail fingerprint")
        self._keyed = hashlib.blake2s(key=key.digest()[:32], digest_size=SIZE)
        self._keyed.update(b"\n")  # hashes the key block once instead of in every copy

    def fingerprint(self, words: Sequence[str]) -> bytes:
        hashed = self._keyed.copy()
        hashed.update(" ".join(words).encode("utf-8", "replace"))
        return hashed.digest()

    def shingles(self, words: Sequence[str], weights: Sequence[int]) -> tuple[list[bytes], list[int]]:
        """Per word, the fingerprint and the end of the shingle that begins there, while enough words follow."""
        ends = _shingle_ends(weights)
        copy = self._keyed.copy
        text = " ".join(words).encode("utf-8", "replace")
        offsets = [0, *accumulate([len(word) + 1 for word in text.split(b" ")])]
        hashes: list[bytes] = []
        for start, end in zip(offsets, ends, strict=False):
            hashed = copy()
            hashed.update(text[start : offsets[end] - 1])
            hashes.append(hashed.digest())
        return hashes, ends


def _shingle_ends(weights: Sequence[int]) -> list[int]:
    """The end of the shingle that begins at each word, while enough words follow."""
    count = len(weights)
    if sum(weights) == WORD_WEIGHT * count:  # no unspaced script
        length = SHINGLE_WEIGHT // WORD_WEIGHT
        return list(range(length, count + 1))
    ends: list[int] = []
    end = weight = 0
    for start in range(count):
        while weight < SHINGLE_WEIGHT and end < count:
            weight += weights[end]
            end += 1
        if weight < SHINGLE_WEIGHT:
            break
        ends.append(end)
        weight -= weights[start]
    return ends
