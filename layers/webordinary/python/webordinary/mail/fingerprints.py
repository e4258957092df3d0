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
from typing import NamedTuple

SIZE = 6
MOST_PER_MAIL = 2_000
MOST_PER_SIDE = 20_000
MOST_TOKENS = 25_000
RUN_WEIGHT = 10
WORD_WEIGHT = 2
LONGEST_TOKEN = 100

# Thai, Lao, Burmese, Khmer, kana and Chinese characters: every character counts as a token of its own.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+")
# Programs rewrite and repeat links and addresses, so they are no words.
_LINK = re.compile(r"<?(?:https?://|www\.|mailto:)[^\s<>]{1,2000}>?|[^\s<>]{1,100}@[^\s<>]{1,200}|\[cid:[^\]]{1,200}\]")


class Token(NamedTuple):
    word: bytes
    weight: int
    line: int
    start: int
    end: int


def fingerprints(text: str, secret: bytes, thread_id: str) -> bytes:
    """The fingerprints of one mail, side by side. Empty for a mail of less than five words."""
    lines = unicodedata.normalize("NFC", text).split("\n")
    seen = dict.fromkeys(Hasher(secret, thread_id).runs(tokens_of(lines)))
    return b"".join(found for found in list(seen)[: MOST_PER_MAIL + 1] if found)[: MOST_PER_MAIL * SIZE]


def add(known: bytes, new: bytes) -> bytes:
    """The fingerprints of one side of a conversation after one more mail: each once, the newest last, bounded."""
    fresh = dict.fromkeys(split(new))
    old = [found for found in split(known) if found not in fresh]
    return b"".join([*old, *fresh][-MOST_PER_SIDE:])


def split(packed: bytes) -> list[bytes]:
    return [packed[start : start + SIZE] for start in range(0, len(packed) - SIZE + 1, SIZE)]


def tokens_of(lines: Sequence[str]) -> list[Token]:
    """The words of some lines with the place where each stands."""
    found: list[Token] = []
    for number, line in enumerate(lines):
        if not line:
            continue
        if "@" in line or "://" in line or "www." in line or "[cid" in line or "mailto:" in line:
            line = _LINK.sub(lambda link: " " * len(link[0]), line)
        for match in _TOKEN.finditer(line):
            word = match[0]
            weight = 1 if word > "\u0dff" and len(word) == 1 and _TOKEN_IS_CHARACTER.match(word) else WORD_WEIGHT
            found.append(Token(_plain(word), weight, number, match.start(), match.end()))
        if len(found) >= MOST_TOKENS:
            break
    return found


_TOKEN_IS_CHARACTER = re.compile(rf"[{_UNSPACED}]$")


def _plain(word: str) -> bytes:
    word = word[:LONGEST_TOKEN]
    if word.isascii():
        return word.lower().encode()
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter)).encode()


class Hasher:
    """Computes the fingerprints of one conversation."""

    def __init__(self, secret: bytes, thread_id: str) -> None:
        key = hashlib.blake2b(thread_id.encode(), key=hashlib.sha256(secret).digest(), person=b"mail fingerprint")
        self._keyed = hashlib.blake2b(key=key.digest()[:32], digest_size=SIZE)

    def of(self, words: Sequence[bytes]) -> bytes:
        hashed = self._keyed.copy()
        hashed.update(b" ".join(words))
        return hashed.digest()

    def runs(self, tokens: Sequence[Token]) -> list[bytes]:
        """One fingerprint per token: of the run that begins there. Empty where too little follows."""
        words = [token.word for token in tokens]
        ends = run_ends(tokens)
        keyed = self._keyed
        found: list[bytes] = []
        for start, end in enumerate(ends):
            if end == 0:
                found.append(b"")
                continue
            hashed = keyed.copy()
            hashed.update(b" ".join(words[start:end]))
            found.append(hashed.digest())
        return found


def run_ends(tokens: Sequence[Token]) -> list[int]:
    """Where the run that begins at each token ends; 0 where the text ends first."""
    ends: list[int] = []
    end = weight = 0
    for token in tokens:
        while weight < RUN_WEIGHT and end < len(tokens):
            weight += tokens[end].weight
            end += 1
        ends.append(end if weight >= RUN_WEIGHT else 0)
        weight -= token.weight
    return ends
