"""Recognises the line that a phone or a mail program writes below a message."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from webordinary.mail.lines.attribution import DASHES
from webordinary.mail.vocabulary.matching import words_of
from webordinary.mail.vocabulary.patterns import compiled_later

LONGEST_DEVICE_LINE = 160
LONGEST_VERB_LAST = 45
MOST_WORDS = 12


_LAST_WORDS = ("mobile", "phone", "iphone", "ipad", "cell", "tablet")
_EDGES = " \t<>()*_.!|[]" + DASHES


_LINK = compiled_later(r"\(?<?https?://[^\s>)]{1,400}>?\)?")
_NUMBER = compiled_later(r":\s?[+(]?\d|\d{5}")
_OUTLOOK = compiled_later(r"\boutlook\b.{0,20}\b(?:ios|android)\b|\b(?:ios|android)\b.{0,20}\boutlook\b")
_ENDS_FROM_DEVICE = compiled_later(rf"\sfrom (?:my )?(?:{'|'.join(_LAST_WORDS)})$")


class _Edges(NamedTuple):
    """What such a line begins or ends with."""

    openings: tuple[str, ...]
    endings: tuple[str, ...]
    beginnings: frozenset[str]  # the first two letters of the openings
    last_letters: frozenset[str]


class _Words(NamedTuple):
    """What decides about a line that begins or ends so."""

    sent_from: tuple[str, ...]
    somehow: tuple[str, ...]
    at_the_end: tuple[str, ...]
    device: re.Pattern[str]
    brand: re.Pattern[str]
    mine: frozenset[str]
    apologies: tuple[str, ...]


@cache
def _edges() -> _Edges:
    from webordinary.mail.closing import device_phrases

    openings = words_of((*device_phrases.SENT_FROM, *device_phrases.SENT_SOMEHOW))
    endings = (*words_of(device_phrases.SENT_AT_THE_END), *_LAST_WORDS)
    return _Edges(
        openings,
        endings,
        frozenset(word[:2] for word in openings),
        frozenset(word[-1] for word in endings),
    )


@cache
def _words() -> _Words:
    from webordinary.mail.closing import device_phrases

    def pattern(words: tuple[str, ...]) -> re.Pattern[str]:
        return re.compile(rf"(?<![a-zà-ÿ])(?:{'|'.join(map(re.escape, words))})(?![a-z])")

    return _Words(
        words_of(device_phrases.SENT_FROM),
        words_of(device_phrases.SENT_SOMEHOW),
        words_of(device_phrases.SENT_AT_THE_END),
        pattern(device_phrases.BRANDS.words + device_phrases.DEVICES.words),
        pattern(device_phrases.BRANDS.words),
        frozenset(device_phrases.MINE.words),
        device_phrases.APOLOGIES.words,
    )


def is_device_line(line: str, *, sure: bool = True) -> bool:
    """Whether a line is like "Sent from my phone" — and not like "Sent from our kitchen to your table".

    Without being `sure`, its beginning is enough.
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
    if not sure and text.startswith(_words().sent_from):
        return not _goes_on(text)
    return _is_sent_from(text, count) and not _goes_on(text)


def _is_sent_from(text: str, count: int) -> bool:
    words = _words()
    device = words.device.search(text) is not None
    if text.startswith(words.sent_from):
        return device or _is_somebodys(text, words)
    if not device:
        return False
    if text.startswith(words.somehow) and count <= 8:
        # "Sent by phone or fax" is content: these beginnings take the name of a program or "my".
        return (
            words.brand.search(text) is not None
            or any(word in words.mine for word in text.split()[:4])
            or (count == 3 and text.startswith("sent"))
        )
    if count <= 9 and len(text) <= LONGEST_VERB_LAST and text.endswith(words.at_the_end) and words.brand.search(text):
        return True
    return count <= 5 and _ENDS_FROM_DEVICE().search(text) is not None


def _is_somebodys(text: str, words: _Words) -> bool:
    """ "Sent from my Zune", but not "Sent from Berlin with love": somebody's."""
    opening = max((word for word in words.sent_from if text.startswith(word)), key=len)
    behind = text[len(opening) :].split()
    return 0 < len(behind) <= 6 and behind[0] in words.mine


def _goes_on(text: str) -> bool:
    head, comma, rest = text.replace(". ", ", ").partition(", ")
    if comma and not any(word in rest for word in _words().apologies):
        return True
    return len(head.split()) > MOST_WORDS
