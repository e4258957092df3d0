"""Compares words without case and accents."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from webordinary.mail.vocabulary.phrases import Phrases

# Combining marks; one pattern is faster than a category lookup for every letter.
_MARKS = re.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
    "\u093c\u094d\u09bc\u09cd\u0bcd\u0c4d\u0e38-\u0e3a\u0e48-\u0e4b\u3099\u309a]+"
)


def fold(text: str) -> str:
    """Lower case without accents."""
    lowered = text.casefold()
    if lowered.isascii():
        return lowered
    decomposed = unicodedata.normalize("NFD", lowered.replace("ł", "l").replace("ø", "o").replace("æ", "ae"))
    return _MARKS.sub("", decomposed)


def words_of(groups: Iterable[Phrases]) -> tuple[str, ...]:
    return tuple(word for group in groups for word in group.words)


def folded(groups: Iterable[Phrases]) -> frozenset[str]:
    return frozenset(fold(word) for word in words_of(groups))


def has_unspaced(text: str) -> bool:
    """Whether a text has kana or Chinese characters. A pattern for these ranges is slow to compile."""
    return not text.isascii() and any("\u3040" <= letter <= "\u9fff" for letter in text)
