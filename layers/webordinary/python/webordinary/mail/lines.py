"""Says of every line of a mail what it is: text, quote, delimiter, introduction of an earlier mail, and so on."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from typing import NamedTuple

from webordinary.mail.attribution import COLONS, DASHES, attributions, split_inside
from webordinary.mail.rules import ABOVE_WORDS, FORWARD_MARKERS, HEADER_FIELDS, ORIGINAL_MARKERS, REPLY_WORDS
from webordinary.mail.words import fold, folded

LONGEST_MARKER = 120
LONGEST_BARE_MARKER = 60  # without any dashes or the like around it
LONGEST_HEADER_BLOCK = 24
LONGEST_LABEL = 25
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
    ARMOUR = "armour"


# What stands above an earlier mail.
INTRODUCTIONS = (Kind.ATTRIBUTION, Kind.HEADER, Kind.ORIGINAL, Kind.FORWARD)


class Line(NamedTuple):
    raw: str
    bare: str
    kind: Kind
    number: int = -1  # where it stands in the whole text


# Made from a tuple of the right length without going through Python: there is one per line of every mail.
_line: Callable[[tuple[str, str, Kind, int]], Line] = partial(tuple.__new__, Line)

_FIELDS = {fold(word): field for field, rule in HEADER_FIELDS.items() for word in rule.words}
_ORIGINAL = folded(ORIGINAL_MARKERS)
_FORWARD = folded(FORWARD_MARKERS)
_REPLY_WORDS = tuple(folded(REPLY_WORDS))
_ABOVE_WORDS = tuple(folded(ABOVE_WORDS))
_DELIMITER_CHARACTERS = "_=*#~+\u1427\u2022." + DASHES
_DRAWN = frozenset("_=*~#[<|" + DASHES)
_LONE_BULLETS = frozenset("-*+#\u2022.\u2013")
_INITIALS = re.compile(r"[^\W\d_]{1,3}>")
_MARKER_EDGES = " \t_=*~#><:\uff1a|[]()" + DASHES
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u2060\ufeff\u00ad"))
_SPACES = dict.fromkeys(map(ord, "\u00a0\u202f\u2007\u3000\u2009"), " ")
_CLEANING = {**_INVISIBLE, **_SPACES}
_TIME = re.compile(r"\d{1,2}[:.]\d{2}|(?<!\d)(?:19|20)\d\d(?!\d)|\d\s?年")


def bare(line: str) -> str:
    """The line as rules see it: trimmed, without the invisible characters that mail programs sprinkle."""
    return line.strip() if line.isascii() else line.translate(_CLEANING).strip()


def read_lines(text: str, *, fresh: bool = False, sure: bool = False, language_rules: bool = True) -> list[Line]:
    """The lines of a text with their kinds. In a fresh mail only what is certain has a kind of its own.

    `sure` asks for more evidence than a text without headers can give. Without the rules by language, only quote marks,
    drawn lines and code are told from text.
    """
    raw = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    bares = [line.strip() if line.isascii() else bare(line) for line in raw]
    if not fresh and language_rules and ("20" in text or not text.isascii()):
        _split_introductions(raw, bares)
    kinds = kinds_of(bares, fresh=fresh, sure=sure) if language_rules else _plain_kinds(bares)
    if "-----BEGIN PGP" in text:
        _mark_armour(bares, kinds)
    return list(map(_line, zip(raw, bares, kinds, range(len(raw)), strict=True)))


def _split_introductions(raw: list[str], bares: list[str]) -> None:
    for number in range(len(bares) - 1, -1, -1):
        line = bares[number]
        if line[:1] in ("", ">") or "20" not in line or not (line[-1] in ":<\uff1a" or "@" in line):
            continue
        position = split_inside(line, bares[number + 1] if number + 1 < len(bares) else "")
        if position is not None:
            raw[number : number + 1] = [line[:position], line[position:]]
            bares[number : number + 1] = [line[:position].strip(), line[position:]]


def _plain_kinds(bares: Sequence[str]) -> list[Kind]:
    kinds = [_simple_kind(line, in_code) for line, in_code in zip(bares, _code_lines(bares), strict=True)]
    return [Kind.TEXT if kind in (Kind.ORIGINAL, Kind.FORWARD) else kind for kind in kinds]


def kinds_of(bares: Sequence[str], *, fresh: bool = False, sure: bool = False) -> list[Kind]:
    """One kind per line of `bares` (lines that went through `bare`)."""
    code = _code_lines(bares)
    kinds = [_simple_kind(line, in_code) for line, in_code in zip(bares, code, strict=True)]
    if fresh:
        _mark_headers(bares, kinds, fresh=True, sure=True)
        _keep_sure_markers(bares, kinds)
        return kinds
    for first, last in attributions(bares, code, sure=sure):
        kinds[first : last + 1] = [Kind.ATTRIBUTION] * (last + 1 - first)
    _mark_headers(bares, kinds, fresh=False, sure=sure)
    _mark_other_quotes(bares, kinds, introduced=not sure)
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
    if first == ">" or line.startswith("&gt;"):
        return Kind.QUOTE
    if first in _DELIMITER_CHARACTERS and not line.strip(_DELIMITER_CHARACTERS + " "):
        return Kind.TEXT if line in _LONE_BULLETS else Kind.DELIMITER
    return _marker_kind(line) if len(line) <= LONGEST_MARKER else Kind.TEXT


def _marker_kind(line: str) -> Kind:
    drawn = line[0] in _DRAWN
    edges = drawn or line[-1] in ":\uff1a-_*"
    if not edges and (len(line) > LONGEST_BARE_MARKER or not line.casefold().startswith(_REPLY_WORDS)):
        return Kind.TEXT
    core = fold(line.strip(_MARKER_EDGES))
    if drawn and core in _ORIGINAL:
        return Kind.ORIGINAL
    if edges and (core in _FORWARD or core.startswith("forwarded by ")):
        return Kind.FORWARD
    # Drawn, it may begin with "Please"; as a bare sentence it must begin with the reply.
    if (drawn or core.startswith(_REPLY_WORDS)) and _asks_for_reply_above(core):
        return Kind.ORIGINAL
    return Kind.TEXT


def _asks_for_reply_above(core: str) -> bool:
    return any(words in core for words in _ABOVE_WORDS) and any(word in core for word in _REPLY_WORDS)


def is_forward_marker(line: str) -> bool:
    return 0 < len(line) <= LONGEST_MARKER and _marker_kind(line) is Kind.FORWARD


def header_field(line: str) -> str | None:
    """The kind of header ("from", "date", …) that a line like "*Gesendet:* Montag" stands for."""
    head = line[:40]
    if ":" not in head and "\uff1a" not in head:
        return None
    name = head.replace("\uff1a", ":").partition(":")[0]
    return _FIELDS.get(fold(name.strip("*_ \t")))


def _mark_headers(bares: Sequence[str], kinds: list[Kind], *, fresh: bool, sure: bool) -> None:
    fields = [header_field(line) if ":" in line or "\uff1a" in line else None for line in bares]
    tries = MOST_HEADER_BLOCKS
    free_from = 0
    for number, line in enumerate(bares):
        if number < free_from or kinds[number] is not Kind.TEXT or not tries:
            continue
        if fields[number] is None and ("@" not in line or not _is_foreign_label(line)):
            continue
        tries -= 1
        end = _header_block(bares, kinds, fields, number, fresh=fresh) or _foreign_block(bares, kinds, number)
        if end is not None:
            kinds[number:end] = [Kind.HEADER] * (end - number)
            _mark_plain_marker(bares, kinds, number, drawn=sure)
            free_from = end


def _mark_plain_marker(bares: Sequence[str], kinds: list[Kind], block: int, *, drawn: bool) -> None:
    """ "Original Message" without any dashes is a marker only right above a header block, and so is a drawn line."""
    above = next((number for number in range(block - 1, max(-1, block - 4), -1) if bares[number]), None)
    if above is None:
        return
    drawn = drawn and kinds[above] is Kind.DELIMITER and (above == block - 1 or not bares[above].strip("_"))
    if drawn or fold(bares[above][:LONGEST_MARKER].strip(_MARKER_EDGES)) in _ORIGINAL:
        kinds[above] = Kind.ORIGINAL


def _header_block(
    bares: Sequence[str], kinds: Sequence[Kind], line_fields: Sequence[str | None], start: int, *, fresh: bool
) -> int | None:
    """The end of the header block that begins at `start`, or None.

    Two fields are too few unless the sender has an address: "From: 9:00 / To: 17:00" are opening hours. Without an
    address there must be a subject ("From: Berlin / To: Rome / Date: 12 May" is a trip), and that does not count in a
    fresh mail, nor below a line that announces content.
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
    if sender_has_address:
        enough = len(known) >= 2
    else:
        begins = line_fields[start] in ("from", "date") and "subject" in known
        enough = len(known) >= 3 and begins and not fresh and not _is_announced(bares, start)
    return end if enough and "from" in known and known & {"date", "subject"} else None


def _is_announced(bares: Sequence[str], start: int) -> bool:
    """Whether the paragraph that `start` stands in follows a line that ends in a colon."""
    first = start
    while (
        first > 0 and bares[first - 1] and bares[first - 1][-1] not in COLONS and start - first < LONGEST_HEADER_BLOCK
    ):
        first -= 1
    above = next((bares[number] for number in range(first - 1, max(-1, first - 4), -1) if bares[number]), "")
    return above[-1:] in COLONS


def _is_foreign_label(line: str) -> bool:
    return not line.isascii() and ":" in line[:LONGEST_LABEL].replace("\uff1a", ":")


def _foreign_block(bares: Sequence[str], kinds: Sequence[Kind], start: int) -> int | None:
    """A header block in a language without a rule: three or more labels in a row, two addresses, one date."""
    end = start
    while end < min(start + 8, len(bares)) and kinds[end] is Kind.TEXT:
        label, colon, value = bares[end].replace("\uff1a", ":").partition(":")
        if not colon or len(label) > LONGEST_LABEL or not value.strip() or any(letter.isdigit() for letter in label):
            break
        end += 1
    block = bares[start:end]
    addresses = sum("@" in line for line in block)
    dated = any(_TIME.search(line.partition(":")[2]) for line in block)
    return end if end - start >= 3 and addresses >= 2 and dated else None


def _keep_sure_markers(bares: Sequence[str], kinds: list[Kind]) -> None:
    """In a fresh mail a marker counts only with a header block right below it, quoted or not."""
    for number, kind in enumerate(kinds):
        if kind is Kind.ORIGINAL or kind is Kind.FORWARD:
            below = [position for position in range(number + 1, min(number + 5, len(bares))) if bares[position]]
            headed = any(
                kinds[position] is Kind.HEADER or header_field(bares[position].lstrip("> ")) for position in below[:2]
            )
            kinds[number] = Kind.FORWARD if headed else Kind.TEXT


def _mark_other_quotes(bares: Sequence[str], kinds: list[Kind], *, introduced: bool) -> None:
    """Some programs quote with "|" or with initials ("AB>").

    Elsewhere the first begins a table, so it counts only right below an introduction; the second begins an entry in a
    list of questions, so it counts only somewhere below one.
    """
    quoting = False
    for number, kind in enumerate(kinds):
        if kind is Kind.ATTRIBUTION:
            introduced = quoting = True
        elif (kind is Kind.TEXT and quoting and bares[number].startswith("|")) or (
            kind is Kind.TEXT and introduced and _INITIALS.match(bares[number])
        ):
            kinds[number] = Kind.QUOTE
        elif kind is not Kind.EMPTY:
            quoting = False


def _mark_armour(bares: Sequence[str], kinds: list[Kind]) -> None:
    """The lines that inline PGP puts around a text: the head with its hash, and the signature block."""
    inside = False
    for number, line in enumerate(bares):
        if line == "-----BEGIN PGP SIGNED MESSAGE-----":
            end = next((at for at in range(number, min(number + 6, len(bares))) if not bares[at]), number + 1)
            kinds[number:end] = [Kind.ARMOUR] * (end - number)
        inside = inside or line in ("-----BEGIN PGP SIGNATURE-----", "-----BEGIN PGP PUBLIC KEY BLOCK-----")
        if inside:
            kinds[number] = Kind.ARMOUR
        if line.startswith("-----END PGP"):
            inside = False
