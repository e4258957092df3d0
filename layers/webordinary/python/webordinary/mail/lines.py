"""Says of every line of a mail what it is: text, quote, delimiter, introduction of an earlier mail, and so on."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from enum import StrEnum

from webordinary.mail.attribution import DASHES, attributions
from webordinary.mail.rules import FORWARD_MARKERS, HEADER_FIELDS, ORIGINAL_MARKERS, REPLY_ABOVE_MARKERS, Rule

LONGEST_MARKER = 120
LONGEST_BARE_MARKER = 60  # without any dashes or the like around it
LONGEST_HEADER_BLOCK = 24
MOST_HEADER_BLOCKS = 1000


class Kind(StrEnum):
    TEXT = "text"
    EMPTY = "empty"
    CODE = "code"
    QUOTE = "quote"
    DELIMITER = "delimiter"
    ATTRIBUTION = "attribution"
    ORIGINAL = "original"
    FORWARD = "forward"
    HEADER = "header"


def fold(text: str) -> str:
    """Lower case without accents, for comparing words that people type in a hurry."""
    lowered = text.casefold()
    if lowered.isascii():
        return lowered
    decomposed = unicodedata.normalize("NFD", lowered.replace("ł", "l").replace("ø", "o").replace("æ", "ae"))
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def _folded(rules: Iterable[Rule]) -> frozenset[str]:
    return frozenset(fold(word) for rule in rules for word in rule.words)


_FIELDS = {fold(word): field for field, rule in HEADER_FIELDS.items() for word in rule.words}
_ORIGINAL = _folded(ORIGINAL_MARKERS)
_FORWARD = _folded(FORWARD_MARKERS)
_REPLY_ABOVE = tuple(_folded(REPLY_ABOVE_MARKERS))
_DELIMITER_CHARACTERS = "_=*#~+\u1427\u2022." + DASHES
_DRAWN = frozenset("_=*~#[<|" + DASHES)
_LONE_BULLETS = frozenset("-*+#\u2022.\u2013")
_INITIALS = re.compile(r"[^\W\d_]{1,3}>")
_MARKER_EDGES = " \t_=*~#><:\uff1a|[]()" + DASHES
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u2060\ufeff\u00ad"))
_SPACES = dict.fromkeys(map(ord, "\u00a0\u202f\u2007\u3000\u2009"), " ")
_CLEANING = {**_INVISIBLE, **_SPACES}


def bare(line: str) -> str:
    """The line as rules see it: trimmed, without the invisible characters that mail programs sprinkle."""
    return line.strip() if line.isascii() else line.translate(_CLEANING).strip()


def kinds_of(bares: Sequence[str]) -> list[Kind]:
    """One kind per line of `bares` (lines that went through `bare`)."""
    code = _code_lines(bares)
    kinds = [_simple_kind(line, in_code) for line, in_code in zip(bares, code, strict=True)]
    for first, last in attributions(bares, code):
        kinds[first : last + 1] = [Kind.ATTRIBUTION] * (last + 1 - first)
    _mark_headers(bares, kinds)
    _mark_pipes(bares, kinds)
    return kinds


def _code_lines(bares: Sequence[str]) -> list[bool]:
    """Lines between two fences are code, fences included. A fence that never closes is just a line."""
    inside = [False] * len(bares)
    opened: int | None = None
    for number, line in enumerate(bares):
        if line.startswith("```"):
            if opened is None:
                opened = number
            else:
                inside[opened : number + 1] = [True] * (number + 1 - opened)
                opened = None
    return inside


def _simple_kind(line: str, in_code: bool) -> Kind:
    if in_code:
        return Kind.CODE
    if not line:
        return Kind.EMPTY
    first = line[0]
    if first == ">" or line.startswith("&gt;") or (line[1:4].find(">") >= 0 and _INITIALS.match(line)):
        return Kind.QUOTE
    if first in _DELIMITER_CHARACTERS and not line.strip(_DELIMITER_CHARACTERS + " "):
        return Kind.TEXT if line in _LONE_BULLETS else Kind.DELIMITER
    return _marker_kind(line) if len(line) <= LONGEST_MARKER else Kind.TEXT


def _marker_kind(line: str) -> Kind:
    edges = line[0] in _DRAWN or line[-1] in ":\uff1a-_*"
    if not edges and len(line) > LONGEST_BARE_MARKER:
        return Kind.TEXT
    core = fold(line.strip(_MARKER_EDGES))
    if edges and core in _ORIGINAL:
        return Kind.ORIGINAL
    if edges and (core in _FORWARD or core.startswith("forwarded by ")):
        return Kind.FORWARD
    if any(marker in core for marker in _REPLY_ABOVE):
        return Kind.ORIGINAL
    return Kind.TEXT


def is_forward_marker(line: str) -> bool:
    return 0 < len(line) <= LONGEST_MARKER and _marker_kind(line) is Kind.FORWARD


def header_field(line: str) -> str | None:
    """The kind of header ("from", "date", …) that a line like "*Gesendet:* Montag" stands for."""
    head = line[:40]
    if ":" not in head and "\uff1a" not in head:
        return None
    name = head.replace("\uff1a", ":").partition(":")[0]
    return _FIELDS.get(fold(name.strip("*_ \t")))


def _mark_headers(bares: Sequence[str], kinds: list[Kind]) -> None:
    fields = [header_field(line) if kinds[number] is not Kind.QUOTE else None for number, line in enumerate(bares)]
    tries = MOST_HEADER_BLOCKS
    number = 0
    while number < len(bares) and tries:
        end = None
        if fields[number] is not None and kinds[number] is Kind.TEXT:
            tries -= 1
            end = _header_block(bares, kinds, fields, number)
        if end is None:
            number += 1
            continue
        kinds[number:end] = [Kind.HEADER] * (end - number)
        _mark_plain_marker(bares, kinds, number)
        number = end


def _mark_plain_marker(bares: Sequence[str], kinds: list[Kind], block: int) -> None:
    """ "Original Message" without any dashes is a marker only right above a header block."""
    above = next((number for number in range(block - 1, max(-1, block - 4), -1) if bares[number]), None)
    if above is not None and fold(bares[above][:LONGEST_MARKER].strip(_MARKER_EDGES)) in _ORIGINAL:
        kinds[above] = Kind.ORIGINAL


def _header_block(
    bares: Sequence[str], kinds: Sequence[Kind], line_fields: Sequence[str | None], start: int
) -> int | None:
    """The end of the header block that begins at `start`, or None.

    Two fields are too few unless the sender has an address: "From: 9:00 / To: 17:00" are opening hours.
    """
    if line_fields[start] == "other":
        return None
    fields: set[str] = set()
    end = start
    sender_has_address = False
    wrapped = 0
    for number in range(start, min(start + LONGEST_HEADER_BLOCK, len(bares))):
        if kinds[number] not in (Kind.TEXT, Kind.EMPTY, Kind.ATTRIBUTION):
            break
        field = line_fields[number]
        if field is not None:
            fields.add(field)
            sender_has_address |= field == "from" and "@" in bares[number]
            end = number + 1
            wrapped = 0
        else:
            wrapped += 1
            if wrapped > 2:
                break
    known = fields - {"other"}
    enough = len(known) >= 3 or (len(known) == 2 and sender_has_address)
    return end if enough and "from" in known and known & {"date", "subject"} else None


def _mark_pipes(bares: Sequence[str], kinds: list[Kind]) -> None:
    """Some programs quote with "|". Elsewhere that begins a table, so it counts only below an introduction."""
    quoting = False
    for number, kind in enumerate(kinds):
        if kind is Kind.ATTRIBUTION:
            quoting = True
        elif kind is Kind.TEXT and quoting and bares[number].startswith("|"):
            kinds[number] = Kind.QUOTE
        elif kind is not Kind.EMPTY:
            quoting = False
