"""Finds the sites that a text names, for senders who may edit several."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from webordinary.mail.commands.finder import is_pleasantry, split_clauses
from webordinary.mail.vocabulary.matching import fold


def sites_named(text: str, names: Mapping[str, Iterable[str]]) -> set[str]:
    """The keys of `names` of which the text has a name. A name inside a longer name does not count."""
    found, _ = _take_names(text, names)
    return found


def names_only(text: str, names: Mapping[str, Iterable[str]]) -> bool:
    """Whether the text says nothing except names of sites and courtesy."""
    found, rest = _take_names(text, names)
    return bool(found) and all(is_pleasantry(clause) for clause in split_clauses(rest))


def _take_names(text: str, names: Mapping[str, Iterable[str]]) -> tuple[set[str], str]:
    rest, found = fold(text), set()
    named = sorted(((fold(name), key) for key, given in names.items() for name in given if name), key=_longest_first)
    for name, key in named:
        # A hyphen or a dot before a letter continues a name: "bakery-two", "bakery.example.com".
        rest, number = re.subn(rf"(?<![\w.-]){re.escape(name)}(?!\w|[.-]\w)", "\n", rest)
        if number:
            found.add(key)
    return found, rest


def _longest_first(named: tuple[str, str]) -> int:
    return -len(named[0])
