"""Comparing words that people type in a hurry."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from webordinary.mail.vocabulary.phrases import Rule

# Accents, vowel points and the like; one pattern is faster than asking for the class of every letter.
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


def words_of(rules: Iterable[Rule]) -> tuple[str, ...]:
    return tuple(word for rule in rules for word in rule.words)


def folded(rules: Iterable[Rule]) -> frozenset[str]:
    return frozenset(fold(word) for word in words_of(rules))


def has_unspaced(text: str) -> bool:
    """Whether kana or Chinese characters are in a text. A pattern of that many letters takes longer to compile."""
    return not text.isascii() and any("\u3040" <= letter <= "\u9fff" for letter in text)
