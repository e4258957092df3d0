"""Finds a closing: "Kind regards", a name, and the signature lines below it.

Neither a closing nor a name is enough alone: "Good / Better / Best" is a list, and a name may be content.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from webordinary.mail.closing.footer_phrases import CONTINUATION_WORDS
from webordinary.mail.context import Context, Turn
from webordinary.mail.lines.attribution import COLONS, DASHES, FARTHEST_ABOVE
from webordinary.mail.lines.kinds import DELIMITER, EMPTY, TEXT, Line
from webordinary.mail.vocabulary.matching import fold, has_unspaced, words_of
from webordinary.mail.vocabulary.patterns import lazy_pattern
from webordinary.text.marks import pictures_in

LONGEST_SIGNATURE = 14
LONGEST_SIGNATURE_LINE = 120
MOST_SMALL_WORDS = 2
LONGEST_LETTER = 80
LONGEST_CLOSING = 60
MOST_SALUTATION_WORDS = 6

_SIGNATURE_KINDS = (TEXT, DELIMITER)
_TITLES = frozenset(("dr", "prof", "mr", "mrs", "ms", "herr", "frau", "mme", "sr", "sra", "ing", "mag"))
_CONTINUATION_WORDS = frozenset(CONTINUATION_WORDS.words)
_CLOSING_EDGES = " ,.!;*:\uff0c\u3001\u3002" + DASHES
_CONTACT = lazy_pattern(
    r"@|https?:|www\.|\d{4,}|\d[\d\s()/.-]{5,}|\s[|\u00b7\u2022]\s|(?:tel|fax|mob|phone|telefon)\.?\s?[:+\d(]",
    re.IGNORECASE,
)
# "Fax: remove it" asks for something; "Fax: office 030 1234567" is a contact detail.
_LABEL_WITHOUT_NUMBER = lazy_pattern(
    r"(?<!\w)(?:tel|tél|fax|mob|phone|handy|cell)[^\W\d_]{0,8}\.?\s?[:\uff1a]\s?[^\W\d_][^\d,;|/@+(]{0,40}(?:[,;|/]|$)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
_ADDS_TO_REQUEST = re.compile(r"(?:[^\W\d_]+ ){1,4}[^\W\d_]+[:\uff1a] ?\S|https?://[^\s/]+/\S+$")
_JOINED = re.compile(r" ?,? (?:und|and|et|y|e|en|i|och|og|&) |, ")
_STATES = re.compile(r"[:\uff1a\d]")
_COMMAS = (",", "\uff0c", "\u3001", "\u060c")
_STRAIGHT_QUOTES = ('"',)
_OPENING_QUOTES = "\"'\u201c\u201e\u201f\u00ab\u00bb\u2018\u201a\u300c\u300e"
# Each closing quotation mark with the marks that open it in some language.
_CLOSING_QUOTES = {
    "\u201d": "\u201c\u201e",
    "\u201c": "\u201e",
    "\u00bb": "\u00ab",
    "\u00ab": "\u00bb",
    "\u2019": "\u2018\u201a",
    "\u300d": "\u300c",
    "\u300f": "\u300e",
}


class Tail(NamedTuple):
    start: int
    rule: str


class _Closings(NamedTuple):
    certain: frozenset[str]
    short: frozenset[str]
    thanks: frozenset[str]
    every: frozenset[str]


def is_announced(lines: Sequence[Line], start: int) -> bool:
    """Whether the line above ends in a colon or in mid-sentence, so that this line is content."""
    for number in range(start - 1, max(0, start - FARTHEST_ABOVE) - 1, -1):
        above = lines[number]
        if above.kind is not EMPTY:
            break
        if pictures_in(above.raw):  # which is what was announced
            return False
    else:
        return False
    if above.kind is not TEXT:
        return False
    return above.trimmed[-1] in COLONS or (
        above.trimmed[-1].islower() and above.trimmed.rsplit(None, 1)[-1] in _CONTINUATION_WORDS
    )


def is_sentence(text: str) -> bool:
    if text[-1:] in ".!?":
        return len(text.split()) > 4
    return has_unspaced(text) and text.rstrip("\u3002\uff01\uff1f").endswith(_sentence_ends())


@cache
def _sentence_ends() -> tuple[str, ...]:
    from webordinary.mail.closing.closing_phrases import SENTENCE_ENDS

    return words_of(SENTENCE_ENDS)


@cache
def _closings() -> _Closings:
    from webordinary.mail.closing.closing_phrases import CLOSINGS, FAMILIAR_CLOSINGS, SHORT_CLOSINGS, THANKS
    from webordinary.mail.vocabulary.matching import folded

    certain, short, thanks = folded(CLOSINGS), folded(SHORT_CLOSINGS), folded(THANKS)
    return _Closings(certain, short, thanks, every=certain | short | thanks | folded(FAMILIAR_CLOSINGS))


def find_closing(lines: Sequence[Line], context: Context) -> Tail | None:
    """ "Kind regards" with a name below it, and only signature lines after that."""
    highest, longest = (LONGEST_SIGNATURE + 4, LONGEST_SIGNATURE_LINE) if context.has_headers else (8, 60)
    for number in range(len(lines) - 1, max(-1, len(lines) - highest), -1):
        line = lines[number]
        if line.kind is EMPTY:
            continue
        if line.kind not in _SIGNATURE_KINDS or len(line.trimmed) > longest:
            return None
        alone = number == 0 and context.turn is not Turn.FORWARD
        if len(line.trimmed) <= 60 and not alone and _is_closing(lines, number, context):
            return Tail(number, "closing and name")
    return None


def is_closing(line: str) -> bool:
    return _closing_in(line) in _closings().every


def _closing_in(line: str) -> str:
    """The words of a line; of two closings, such as "Vielen Dank und viele Grüße", the one that is more certain."""
    words, closings = fold(line.strip(_CLOSING_EDGES)), _closings()
    both = _JOINED.split(words) if len(words) <= LONGEST_CLOSING and words not in closings.every else ()
    if len(both) == 2 and closings.every.issuperset(both):
        return next((closing for closing in both if closing in closings.certain), both[1])
    return words


def _is_closing(lines: Sequence[Line], number: int, context: Context) -> bool:
    line = lines[number].trimmed
    closings = _closings()
    words = _closing_in(line)
    if number == len(lines) - 1:
        return bool(context.names) and _is_closing_with_name(words, context, closings)
    if words not in closings.every or not _is_separate(lines, number, context):
        return False
    below = lines[number + 1 :]
    if context.has_headers and (_is_inside_quotation(lines[number:]) or _ends_letter(lines, number)):
        return False
    written = [other for other in below if other.kind is not EMPTY]
    if not context.has_headers:  # text after a gap may be more than a name
        formal = words in closings.certain or words in closings.short
        return formal and below[0].kind is TEXT and len(written) <= 5
    name = written[0].trimmed
    if is_signed_by_sender(name, context):
        full = len(context.names.intersection(_WORD.findall(fold(name)))) >= 2
        return (words not in closings.thanks or full) and are_signature_lines(below, known_writer=True)
    if words not in closings.certain and not (words in closings.short and line[-1] in ",\uff0c"):
        return False
    if _is_below_announcement(lines, number):
        return False
    if len(written) > 5 and not any(map(has_contact, written)):
        return False
    return is_name(name) and are_signature_lines(below, known_writer=False)


def _is_inside_quotation(lines: Sequence[Line]) -> bool:
    """Whether these lines close a quotation that was opened above them."""
    text = "\n".join(line.trimmed for line in lines)
    last = text.rstrip(" .!?\n")[-1:]
    if last in _STRAIGHT_QUOTES:
        return text.count(last) % 2 == 1
    return last in _CLOSING_QUOTES and not any(opening in text for opening in _CLOSING_QUOTES[last])


def _ends_letter(lines: Sequence[Line], number: int) -> bool:
    """Whether a closing ends a letter that the mail contains: "Put this on the page: / Dear guests, / …".

    The first closing below such a salutation, or below "as a letter from me:", belongs to the letter. Below words of
    the person, a salutation with a comma needs no colon above it.
    """
    first = max(0, number - LONGEST_LETTER)
    written = [at for at in range(first, number) if lines[at].trimmed]
    letter = next(
        (below for above, below in pairwise(written) if _begins_letter(lines, above, below)),
        None,
    )
    if letter is None:
        return False
    return not any(is_closing(lines[at].trimmed) for at in written if at > letter)


def _begins_letter(lines: Sequence[Line], above: int, below: int) -> bool:
    line = lines[below].trimmed
    if lines[above].trimmed[-1] in COLONS:
        return _is_salutation(line) or _announces_letter(lines[above].trimmed)
    if line[-1] not in _COMMAS or below - above == 1 or _is_salutation(lines[above].trimmed):
        return False
    return _is_salutation(line) and not is_closing(line)


def _is_below_announcement(lines: Sequence[Line], number: int) -> bool:
    """Whether an unfinished line above says that content follows, which may end with its own closing."""
    above = [line.trimmed[-LONGEST_SIGNATURE_LINE:] for line in lines[max(0, number - LONGEST_LETTER) : number]]
    text = fold("\n".join(line for line in above if line[-1:].isalnum() or has_unspaced(line)))
    return any(phrase in text for phrase in _announcements())


@cache
def _announcements() -> tuple[str, ...]:
    from webordinary.mail.closing.closing_phrases import AS_FOLLOWS

    return words_of(AS_FOLLOWS)


@cache
def _letters() -> tuple[str, ...]:
    from webordinary.mail.closing.closing_phrases import LETTERS

    return tuple(fold(word) for word in words_of(LETTERS))


def _announces_letter(line: str) -> bool:
    text = fold(line[-LONGEST_SIGNATURE_LINE:])
    return any(word in text for word in _letters())


def _is_salutation(line: str) -> bool:
    """ "Dear guests,": a few words and a comma; possibly the start of a quotation."""
    words = line.lstrip(_OPENING_QUOTES).split()
    ends = line[-1] in "!:\uff01\uff1a" or line[-1] in _COMMAS
    return ends and 0 < len(words) <= MOST_SALUTATION_WORDS and words[0][0].isalpha()


def _is_closing_with_name(words: str, context: Context, closings: _Closings) -> bool:
    """ "Best, Tom" on one line, if the sender is called Tom."""
    head, _, last = words.replace(",", " ").rpartition(" ")
    closing = " ".join(head.split())
    return last in context.names and any(closing in group for group in closings[:3])


def _is_separate(lines: Sequence[Line], number: int, context: Context) -> bool:
    """Whether a closing begins a paragraph or follows a sentence; inside a list it is an item."""
    if number == 0:
        return True
    if is_announced(lines, number):
        return False
    above = lines[number - 1]
    return (
        not context.has_headers
        or above.kind is not TEXT
        or above.trimmed[-1] in ".!?)\u3002\u2026:;\"'\u201d"
        or len(above.trimmed) > 30
    )


def is_signed_by_sender(line: str, context: Context) -> bool:
    """Whether a line begins with the sender's name, possibly after a title or an initial, and has little else."""
    words = _WORD.findall(line)
    if not 0 < len(words) <= 6 or line[-1] in "?!:" or any(word.islower() and len(word) > 3 for word in words):
        return False
    first = fold(words[0])
    if len(words) > 1 and (len(first) == 1 or first in _TITLES):
        first = fold(words[1])
    return first in context.names


def is_name(line: str) -> bool:
    words = line.split()
    return (
        len(words) <= 6
        and line[-1] not in "?!:;"
        and line.lstrip("*_~/(\u2013\u2014- ")[:1].isalpha()
        and not is_sentence(line)
        and not any(word[:1].islower() and len(word) > 3 for word in words)
    )


def has_contact(line: Line) -> bool:
    return _CONTACT().search(line.trimmed) is not None


def are_signature_lines(lines: Sequence[Line], *, known_writer: bool) -> bool:
    """Whether the lines below a closing are name and title, then only contact details and names.

    "Fax: remove" is a part of the request. "Photo 1: top" or "Monday 8-12" below a gap is one if no line is a contact
    detail. So is a last line alone: "New phone: 030 1234567", or the link to a page.
    """
    if len(lines) > 2 and not lines[-2].trimmed and _ADDS_TO_REQUEST.match(lines[-1].trimmed):
        return False
    paragraph = 0
    no_contacts = not any(map(has_contact, lines))
    for number, line in enumerate(lines):
        if not line.trimmed:
            paragraph += number > 0
            continue
        if paragraph and no_contacts and _STATES.search(line.trimmed):
            return False
        if _LABEL_WITHOUT_NUMBER().search(line.trimmed):
            return False
        words = line.trimmed.split()
        if is_sentence(line.trimmed) or (line.trimmed[-1] in "?!" and len(words) > 2):
            return False
        small = sum(word[:1].islower() for word in words)
        if line.kind is DELIMITER or (has_contact(line) and small <= MOST_SMALL_WORDS):
            continue
        if paragraph and small * 2 > len(words):
            return False
        if len(words) > (10 if known_writer else 8):
            return False
    return True
