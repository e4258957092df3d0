"""Finds attribution lines: "On Monday, 3 March 2025 at 10:12, Anna <anna@example.com> wrote:".

Programs wrap and translate these lines, so there is no pattern per program. A few adjacent lines are joined and scored
by what they contain: an opening, a date, an address, a verb, a colon at the end. Every search is limited to a few
hundred characters, which keeps the time linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from webordinary.mail.vocabulary.matching import words_of
from webordinary.mail.vocabulary.patterns import lazy_pattern
from webordinary.mail.vocabulary.phrases import ATTRIBUTION_OPENINGS, QUOTING_OPENINGS, WROTE, WROTE_UNSPACED, Phrases

LONGEST_LINE = 300
LONGEST_SPAN = 600
MOST_LINES = 7
FARTHEST_ABOVE = 12  # empty lines, some of which programs add, do not separate a line from its introduction
MOST_CANDIDATES = 500  # a mail with more possible attributions is not a real thread
DASHES = "-\u2010\u2011\u2013\u2014\u2015\u2500\u2501"
COLONS = (":", "\uff1a")  # the second is the full-width form
_DECORATION = " \t*_\u200e\u200f\u202a\u202c\ufeff" + DASHES


def _any_of(groups: Iterable[Phrases]) -> str:
    words = set(words_of(groups))
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def _by_first_letter(words: Iterable[str]) -> str:
    """A pattern for whole words, grouped by first letter so that a search can skip to those letters."""
    ends: dict[str, list[str]] = {}
    for word in sorted(set(words), key=len, reverse=True):
        ends.setdefault(word[0], []).append(re.escape(word[1:]))
    return "|".join(rf"{letter}(?<!\w{letter})(?:{'|'.join(rest)})(?!\w)" for letter, rest in ends.items())


@cache
def _verb() -> re.Pattern[str]:
    return re.compile(rf"{_by_first_letter(words_of(WROTE))}|{_any_of(WROTE_UNSPACED)}")


@cache
def _ascii_verb() -> re.Pattern[str]:
    return re.compile(_by_first_letter([word for word in words_of(WROTE) if word.isascii()]))


def _find_verb(text: str) -> re.Match[str] | None:
    """Searches in lower case, because a case-insensitive pattern cannot skip to the first letters of its words."""
    lowered = text.lower()
    return (_ascii_verb() if lowered.isascii() else _verb()).search(lowered)


@cache
def _opening() -> re.Pattern[str]:
    return re.compile(rf"(?:{_any_of(ATTRIBUTION_OPENINGS)})(?=[\s\d,]|$)|[在於于]\s?\d", re.IGNORECASE)


@cache
def _quoting() -> re.Pattern[str]:
    return re.compile(rf"(?:{_any_of(QUOTING_OPENINGS)})\s", re.IGNORECASE)


_LAST_WORDS = frozenset(word.rsplit(None, 1)[-1] for rule in WROTE for word in rule.words)
_UNSPACED_ENDS = tuple(word for rule in WROTE_UNSPACED for word in rule.words)
_LAST_CHARACTERS = frozenset(word[-1] for word in (*_LAST_WORDS, *_UNSPACED_ENDS)) | {*COLONS, *_DECORATION}
_LAST_CHARACTERS |= {character.upper() for character in _LAST_CHARACTERS}
_DATE = lazy_pattern(
    r"\d{1,2}[:.h]\d{2}|(?<!\d)(?:19|20)\d\d(?!\d)|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d\s?[年월日]"
    r"|\d{1,2}\.?\s[^\W\d]{3}|[^\W\d]{3}\.?\s\d{1,2}(?!\d)"
)
_CLOCK = lazy_pattern(r"(?<!\d)\d{1,2}[:.h]\d{2}(?![\d.])|\d{4}[-/]\d\d?[-/]\d\d?|(?<!\d)\d\d?[./-]\d\d?[./-]\d\d")
_DATED = lazy_pattern(r"(?<!\d)\d{1,2}:\d{2}|(?<!\d)(?:19|20)\d\d(?!\d)|\d\s?年")
_BRACKETED = lazy_pattern(r"[<(\[]\s?(?:mailto:)?[^\s<>()@]{1,100}@[^\s<>()@]{1,100}\s?[>)\]]")
_ITEM = re.compile(r"[-+*\u2013\u2022] ")
_EVIDENCE = re.compile(r"[\d@<]|&lt;")
_STARTS_WITH_DATE = lazy_pattern(r"(?:[^\W\d]{2,12}[.,،]*,?\s(?:den\s)?)?\d{1,4}[-./年,:\s]")
_GMAIL_NUMERIC_DATE = lazy_pattern(r"\d{4}[-/]\d{1,2}[-/]\d{1,2}\s(?:.{0,20}GMT[+-]\d|[^<]{0,100}<[^<>\s]{3,100}>$)")
# "Blue. On Mon, Nov 9, 2026 at 10:15 AM": a capitalised opening directly before a date, inside a line.
_INSIDE = lazy_pattern(
    r"(?<=\s)(?:On|Am|Le|El|Il|Em|Op|Den|Dnia|W dniu|Dne|Pe)\s"
    r"(?=(?:[^\W\d]{2,12}[.,]{0,2}\s){0,2}(?:de\s)?\d{1,4}\D)"
)


def find_attributions(lines: Sequence[str], skip: Sequence[bool], *, strict: bool = False) -> list[tuple[int, int]]:
    """The (first, last) line numbers of every attribution, in order. Lines with True in `skip` are code.

    With `strict`, a line without an address needs other evidence.
    """
    spans: list[tuple[int, int]] = []
    free_from = 0
    candidates = MOST_CANDIDATES
    for number, line in enumerate(lines):
        if skip[number] or not line or len(line) > LONGEST_LINE:
            continue
        if "@" in line and ":" in line and _has_text_after_colon(line):
            spans.append((number, number))
            free_from = number + 1
        elif candidates and _may_end_attribution(line):
            candidates -= 1
            start = _find_start(lines, skip, number, free_from, strict)
            if start is not None:
                spans.append((start, number))
                free_from = number + 1
    dated = [number for number, line in enumerate(lines) if line[:1].isdigit()]
    if not dated:
        return spans
    covered = {number for first, last in spans for number in range(first, last + 1)}
    spans.extend(
        (number, number)
        for number in dated
        if number not in covered and not skip[number] and _GMAIL_NUMERIC_DATE().match(lines[number][:LONGEST_LINE])
    )
    return sorted(spans)


def find_inline_attribution(line: str, below: str) -> int | None:
    """Where an attribution begins inside a line, after the person's last words; None if there is none.

    Some phones put no line break between the two. `below` is the next line, in case the attribution is wrapped.
    """
    if len(line) > LONGEST_LINE or "20" not in line:
        return None
    for match in _INSIDE().finditer(line):
        rest = line[match.start() :]
        for joined in (rest, f"{rest} {below[:LONGEST_LINE]}"):
            text = joined.strip(_DECORATION)
            if _may_end_attribution(text) and _BRACKETED().search(text) and _strength(text) == 2:
                return match.start()
    return None


def _may_end_attribution(line: str) -> bool:
    if line[-1] not in _LAST_CHARACTERS:
        return False
    tail = line[-60:].rstrip(_DECORATION)
    if not tail:
        return False
    if tail[-1] in COLONS:
        return True
    return tail.rsplit(None, 1)[-1].casefold() in _LAST_WORDS or tail.endswith(_UNSPACED_ENDS)


def _has_text_after_colon(line: str) -> bool:
    """Some programs put the earlier mail on the same line: "On … Anna <anna@example.com> wrote: Hello"."""
    verb = _find_verb(line)
    if verb is None or line[verb.end() : verb.end() + 2].strip() != ":":
        return False
    return line[verb.end() + 1 :].strip(_DECORATION + ":") != "" and _strength(line[: verb.end() + 1]) == 2


def _find_start(lines: Sequence[str], skip: Sequence[bool], end: int, free_from: int, strict: bool) -> int | None:
    """The first line of the attribution that ends on line `end`, or None if it is an ordinary sentence.

    The nearest line that completes a dated attribution wins over one that only has an address, so that
    "On … 2025, Anna / <anna@example.com> / wrote:" is found as a whole.
    """
    weak: int | None = None
    joined = ""
    for number in range(end, max(free_from, end - MOST_LINES) - 1, -1):
        line = lines[number]
        if skip[number] or len(line) > LONGEST_LINE:
            break
        if not line:
            if joined.startswith("<"):  # some mobile programs put an empty line between name and address
                continue
            break
        if line[0] == ">" and not (number == end and _closes_address(lines, end)):
            break
        joined = f"{line} {joined}" if joined else line
        if len(joined) > LONGEST_SPAN:
            break
        strength = _strength(joined) if _EVIDENCE.search(joined) else 0
        if strength == 2 and strict and not _has_address(joined):
            strength = 2 if _is_certain_without_address(lines, number, end, joined) else 0
        if strength == 2:
            return number
        if strength == 1 and weak is None:
            weak = number
        if _ITEM.match(line):
            break
    if weak is not None:
        return _with_wrapped_name(lines, weak, free_from)
    return end if _introduces_quote(lines, end, strict) else None


def _closes_address(lines: Sequence[str], number: int) -> bool:
    """A line like "> wrote:" is not a quote if the line before has an open angle bracket."""
    if len(lines[number]) > 30:
        return False
    before = " ".join(lines[max(0, number - 2) : number])[-LONGEST_LINE:]
    return before.count("<") > before.count(">")


def _has_address(text: str) -> bool:
    return "@" in text or ("<" in text and ">" in text) or "&lt;" in text


def has_address_or_time(text: str) -> bool:
    return _has_address(text) or _CLOCK().search(text) is not None


def _is_certain_without_address(lines: Sequence[str], start: int, end: int, joined: str) -> bool:
    """ "On Friday, 6 November 2026, Ana wrote:" may be from a guest book: requires a quote below or a time of day.

    A line above that ends in a colon introduces content, so the line is content.
    """
    if _has_quote_below(lines, end):
        return True
    above = next(
        (lines[number] for number in range(start - 1, max(-1, start - FARTHEST_ABOVE), -1) if lines[number]), ""
    )
    return above[-1:] not in COLONS and _CLOCK().search(joined) is not None and _ends_in_name(joined)


def _ends_in_name(joined: str) -> bool:
    """Whether nothing but a name follows the verb: "… schrieb Anna:", not "… schreibt der Chor an die Wand:"."""
    text = joined.strip(_DECORATION)
    verb = _find_verb(text)
    rest = text[verb.end() :].strip(" :\uff1a") if verb is not None else ""
    return not rest or _is_name(rest)


def _strength(joined: str) -> int:
    """2 for a dated attribution, 1 for one with only an address, 0 for other text."""
    text = joined.strip(_DECORATION)
    colon = text[-1:] in COLONS
    verb = _find_verb(text)
    address = _has_address(text)
    may_lack_verb = colon and address and _ITEM.match(joined) is None  # "- 8 May 2026: Anna <…> joined:" is a list
    date = _DATE().search(text)
    early_date = date is not None and date.start() < 45
    opening = _opening().match(text) is not None or _STARTS_WITH_DATE().match(text) is not None
    if opening and early_date and (verb or may_lack_verb):
        return 2
    if verb is None:
        return 2 if may_lack_verb and (_quoting().match(text) or _is_in_unlisted_language(text)) else 0
    rest = text[verb.end() :].strip(" :\uff1a-")
    named_before = verb.start() > 0 and len(text[: verb.start()].split()) <= 12
    if rest:
        dated_after = date is not None and date.end() > verb.end() and (address or date.start() - verb.end() <= 8)
        return 1 if colon and named_before and dated_after else 0
    return 1 if address and named_before else 0


def _is_in_unlisted_language(text: str) -> bool:
    """A date, an address in brackets, a colon and little else: an attribution in a language without phrases."""
    return len(text) < 200 and _DATED().search(text) is not None and _BRACKETED().search(text) is not None


def _with_wrapped_name(lines: Sequence[str], start: int, free_from: int) -> int:
    if not lines[start].startswith("<") or start - 1 < free_from:
        return start
    name = lines[start - 1]
    alone = start < 2 or not lines[start - 2]
    return start - 1 if alone and 0 < len(name) < 60 and len(name.split()) <= 5 and name[-1] not in ".!?:;" else start


def _introduces_quote(lines: Sequence[str], end: int, strict: bool) -> bool:
    """ "Anna wrote:" has no date, "* Anna <anna@example.com> [3 May]:" has no verb: requires a quote directly below.

    With `strict` and without a date, a name must precede the verb: "what the newspaper wrote:" is a request.
    """
    line = lines[end]
    if line[0] == ">" or len(line.split()) > 12 or not _has_quote_below(lines, end):
        return False
    dated = _DATE().search(line) is not None
    if "@" in line and dated:
        return True
    verb = _find_verb(line)
    return verb is not None and (not strict or dated or "@" in line or _is_name(line[: verb.start()]))


def _is_name(text: str) -> bool:
    words = text.strip(_DECORATION + ",").split()
    return 0 < len(words) <= 5 and not any(word[0].islower() and len(word) > 3 for word in words)


def _has_quote_below(lines: Sequence[str], end: int) -> bool:
    below = next((lines[number] for number in range(end + 1, min(end + 4, len(lines))) if lines[number]), "")
    return below.startswith(">")
