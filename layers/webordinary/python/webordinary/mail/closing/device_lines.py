"""Recognises the line that a phone or mail program adds below a message."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from webordinary.mail.lines.attribution import DASHES
from webordinary.mail.vocabulary.matching import words_of
from webordinary.mail.vocabulary.patterns import lazy_pattern

LONGEST_DEVICE_LINE = 160
LONGEST_VERB_LAST = 45
MOST_WORDS = 12


_LAST_WORDS = ("mobile", "phone", "iphone", "ipad", "cell", "tablet")
_EDGES = " \t<>()*_.!|[]" + DASHES


_LINK = lazy_pattern(r"\(?<?https?://[^\s>)]{1,400}>?\)?")
_NUMBER = lazy_pattern(r":\s?[+(]?\d|\d{5}")
_OUTLOOK = lazy_pattern(r"\boutlook\b.{0,20}\b(?:ios|android)\b|\b(?:ios|android)\b.{0,20}\boutlook\b")
_ENDS_FROM_DEVICE = lazy_pattern(rf"\sfrom (?:my )?(?:{'|'.join(_LAST_WORDS)})$")


class _Edges(NamedTuple):
    """How a device line begins or ends."""

    openings: tuple[str, ...]
    endings: tuple[str, ...]
    beginnings: frozenset[str]  # the first two letters of the openings
    last_letters: frozenset[str]


class _DeviceWords(NamedTuple):
    """The words that a device line must contain."""

    sent_from: tuple[str, ...]
    sent_with: tuple[str, ...]
    sent_last: tuple[str, ...]
    device: re.Pattern[str]
    brand: re.Pattern[str]
    possessives: frozenset[str]
    apologies: tuple[str, ...]


@cache
def _edges() -> _Edges:
    from webordinary.mail.closing import device_phrases

    openings = words_of((*device_phrases.SENT_FROM, *device_phrases.SENT_WITH))
    endings = (*words_of(device_phrases.SENT_LAST), *_LAST_WORDS)
    return _Edges(
        openings,
        endings,
        frozenset(word[:2] for word in openings),
        frozenset(word[-1] for word in endings),
    )


@cache
def _words() -> _DeviceWords:
    from webordinary.mail.closing import device_phrases

    def pattern(words: tuple[str, ...]) -> re.Pattern[str]:
        return re.compile(rf"(?<![a-zà-ÿ])(?:{'|'.join(map(re.escape, words))})(?![a-z])")

    return _DeviceWords(
        words_of(device_phrases.SENT_FROM),
        words_of(device_phrases.SENT_WITH),
        words_of(device_phrases.SENT_LAST),
        pattern(device_phrases.BRANDS.words + device_phrases.DEVICES.words),
        pattern(device_phrases.BRANDS.words),
        frozenset(device_phrases.POSSESSIVES.words),
        device_phrases.APOLOGIES.words,
    )


def is_device_line(line: str, *, strict: bool = True) -> bool:
    """Whether a line is like "Sent from my phone", and not like "Sent from our kitchen to your table".

    Without `strict`, the beginning of the line decides.
    """
    if len(line) > LONGEST_DEVICE_LINE or line[-1] in ":?":
        return False
    edges = _edges()
    text = (_LINK().sub("", line) if "http" in line else line).casefold()
    text = text.replace("[", "").replace("]", "").strip(_EDGES)
    opens = text[:2] in edges.beginnings or text[:1] in edges.beginnings
    ends = text[-1:] in edges.last_letters
    if not (
        (opens and text.startswith(edges.openings)) or (ends and text.endswith(edges.endings)) or "outlook" in text
    ):
        return False
    count = len(text.split())
    if count > MOST_WORDS + 8 or _NUMBER().search(text):
        return False
    if count <= 8 and "outlook" in text and _OUTLOOK().search(text):
        return True
    if not strict and text.startswith(_words().sent_from):
        return not _continues(text)
    return _is_sent_from(text, count) and not _continues(text)


def _is_sent_from(text: str, count: int) -> bool:
    words = _words()
    device = words.device.search(text) is not None
    if text.startswith(words.sent_from):
        return device or _has_owner(text, words)
    if not device:
        return False
    if text.startswith(words.sent_with) and count <= 8:
        # "Sent by phone or fax" is content: these beginnings require a brand or "my".
        return (
            words.brand.search(text) is not None
            or any(word in words.possessives for word in text.split()[:4])
            or (count == 3 and text.startswith("sent"))
        )
    if count <= 9 and len(text) <= LONGEST_VERB_LAST and text.endswith(words.sent_last) and words.brand.search(text):
        return True
    return count <= 5 and _ENDS_FROM_DEVICE().search(text) is not None


def _has_owner(text: str, words: _DeviceWords) -> bool:
    """ "Sent from my Zune", but not "Sent from Berlin with love"."""
    opening = max((word for word in words.sent_from if text.startswith(word)), key=len)
    rest = text[len(opening) :].split()
    return 0 < len(rest) <= 6 and rest[0] in words.possessives


def _continues(text: str) -> bool:
    head, comma, rest = text.replace(". ", ", ").partition(", ")
    if comma and not any(word in rest for word in _words().apologies):
        return True
    return len(head.split()) > MOST_WORDS
