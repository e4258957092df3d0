"""Keyed fingerprints of what was said in a conversation, so that quoted text is known however it comes back.

A fingerprint is a keyed hash of a short run of words: five of them, or ten characters where a script has no spaces.
Marks, wrapping, punctuation, case, accents and links do not count, so re-quoting and re-encoding change nothing.

What is kept is no text. Without the secret a fingerprint can neither be computed nor be compared with that of another
conversation; with it one can only ask whether a run of words that one has already was said there. They belong to the
conversation and expire with it.

Size: 6 bytes each, at most 2,000 per mail (12 KB; an ordinary mail has 1 KB) and 20,000 per side of a conversation
(120 KB), so that both sides fit into one DynamoDB item with room to spare. Beyond that the oldest are forgotten, and
the rules by language do what they can.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from itertools import accumulate

from webordinary.mail.vocabulary.matching import fold
from webordinary.mail.vocabulary.patterns import compiled_later

SIZE = 6
MOST_PER_MAIL = 2_000
MOST_PER_SIDE = 20_000
MOST_WORDS = 25_000
RUN_WEIGHT = 10
WORD_WEIGHT = 2

# Thai, Lao, Burmese, Khmer, kana and Chinese characters: every character counts as a word of its own.
_UNSPACED_RANGES = (
    *(("\u0e00", "\u0eff"), ("\u1000", "\u109f"), ("\u1780", "\u17ff"), ("\u3040", "\u30ff")),
    *(("\u3400", "\u4dbf"), ("\u4e00", "\u9fff"), ("\uf900", "\ufaff")),
)
_FIRST_UNSPACED = "\u0dff"
_UNSPACED = "".join(f"{first}-{last}" for first, last in _UNSPACED_RANGES)
# Programs rewrite and repeat links and addresses, so they are no words.
_LINK = compiled_later(
    r"<?(?:https?://|www\.|mailto:)[^\s<>]{1,2000}>?|[^\s<>]{1,100}@[^\s<>]{1,200}|\[cid:[^\]]{1,200}\]"
)
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")
# What becomes of every byte of an ASCII text: words in lower case, line breaks, and spaces for all else.
_ASCII_WORDS = bytes(ord(chr(byte).lower()) if chr(byte).isalnum() or byte == 10 else 32 for byte in range(256))
_SIGNS_OF_LINKS = ("@", "://", "www.", "mailto:", "[cid:")


def fingerprints_of(text: str, secret: bytes, thread_id: str) -> bytes:
    """The fingerprints of one mail, side by side. Empty for a mail of less than five words."""
    words: list[str] = []
    for found in words_by_line(unicodedata.normalize("NFC", text)):
        words += found
        if len(words) > MOST_WORDS:
            break
    hashes, _ = Hasher(secret, thread_id).runs(words, weights_of(words))
    return b"".join(list(dict.fromkeys(hashes))[:MOST_PER_MAIL])


def add_fingerprints(known: bytes, new: bytes) -> bytes:
    """The fingerprints of one side of a conversation after one more mail: each once, the newest last, bounded."""
    fresh = dict.fromkeys(split(new))
    old = [found for found in split(known) if found not in fresh]
    return b"".join([*old, *fresh][-MOST_PER_SIDE:])


def split(packed: bytes) -> list[bytes]:
    return [packed[start : start + SIZE] for start in range(0, len(packed) - SIZE + 1, SIZE)]


@cache
def _word() -> re.Pattern[str]:
    """A pattern of that many letters takes milliseconds to compile, and most mails do without it."""
    return re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")


def word_pattern(line: str) -> re.Pattern[str]:
    return _ASCII_WORD if line.isascii() else _word()


def without_links(line: str) -> str:
    """The line with spaces in place of its links, so that everything else stays where it is."""
    for sign in _SIGNS_OF_LINKS:
        if sign in line:
            return _LINK().sub(lambda link: " " * len(link[0]), line)
    return line


def words_by_line(text: str) -> list[list[str]]:
    """The words of every line of a text, as they are compared."""
    for sign in _SIGNS_OF_LINKS:
        if sign in text:
            text = "\n".join(map(without_links, text.split("\n")))
            break
    if text.isascii():
        return [line.split() for line in text.encode().translate(_ASCII_WORDS).decode().split("\n")]
    plain = fold(unicodedata.normalize("NFKC", text))
    find = word_pattern(plain).findall
    return [find(line) for line in plain.split("\n")]


def weights_of(words: Sequence[str]) -> list[int]:
    """How much each word counts towards a run."""
    if "".join(words).isascii():
        return [WORD_WEIGHT] * len(words)
    return [1 if len(word) == 1 and word > _FIRST_UNSPACED and _is_unspaced(word) else WORD_WEIGHT for word in words]


def _is_unspaced(letter: str) -> bool:
    for first, last in _UNSPACED_RANGES:  # noqa: SIM110 - called for every letter, and a generator costs more
        if first <= letter <= last:
            return True
    return False


class Hasher:
    """Computes the fingerprints of one conversation."""

    def __init__(self, secret: bytes, thread_id: str) -> None:
        key = hashlib.blake2b(thread_id.encode(), key=hashlib.sha256(secret).digest(), person=b"mail fingerprint")
        self._keyed = hashlib.blake2s(key=key.digest()[:32], digest_size=SIZE)
        self._keyed.update(b"\n")  # so that the block with the key is worked in once, and not in every copy

    def of(self, words: Sequence[str]) -> bytes:
        hashed = self._keyed.copy()
        hashed.update(" ".join(words).encode("utf-8", "replace"))
        return hashed.digest()

    def runs(self, words: Sequence[str], weights: Sequence[int]) -> tuple[list[bytes], list[int]]:
        """Per word the fingerprint of the run that begins there and where it ends, as long as enough words follow."""
        ends = _run_ends(weights)
        copy = self._keyed.copy
        text = " ".join(words).encode("utf-8", "replace")
        places = [0, *accumulate([len(word) + 1 for word in text.split(b" ")])]
        hashes: list[bytes] = []
        for start, end in zip(places, ends, strict=False):
            hashed = copy()
            hashed.update(text[start : places[end] - 1])
            hashes.append(hashed.digest())
        return hashes, ends


def _run_ends(weights: Sequence[int]) -> list[int]:
    """Where the run that begins at each word ends, as long as enough words follow."""
    count = len(weights)
    if sum(weights) == WORD_WEIGHT * count:  # words throughout
        length = RUN_WEIGHT // WORD_WEIGHT
        return list(range(length, count + 1))
    ends: list[int] = []
    end = weight = 0
    for start in range(count):
        while weight < RUN_WEIGHT and end < count:
            weight += weights[end]
            end += 1
        if weight < RUN_WEIGHT:
            break
        ends.append(end)
        weight -= weights[start]
    return ends
