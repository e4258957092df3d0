"""Comparing words that people type in a hurry."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from webordinary.mail.rules import Rule


def fold(text: str) -> str:
    """Lower case without accents."""
    lowered = text.casefold()
    if lowered.isascii():
        return lowered
    decomposed = unicodedata.normalize("NFD", lowered.replace("ł", "l").replace("ø", "o").replace("æ", "ae"))
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def words_of(rules: Iterable[Rule]) -> tuple[str, ...]:
    return tuple(word for rule in rules for word in rule.words)


def folded(rules: Iterable[Rule]) -> frozenset[str]:
    return frozenset(fold(word) for word in words_of(rules))
