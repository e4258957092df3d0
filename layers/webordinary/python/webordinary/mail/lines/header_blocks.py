"""Finds the header block that Outlook and others put above an earlier mail: "From: … / Sent: … / Subject: …"."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from webordinary.mail.lines.attribution import COLONS, DASHES, FARTHEST_ABOVE
from webordinary.mail.lines.kinds import ATTRIBUTION, DELIMITER, EMPTY, HEADER, ORIGINAL, TEXT, LineKind
from webordinary.mail.vocabulary.matching import fold, folded
from webordinary.mail.vocabulary.patterns import lazy_pattern
from webordinary.mail.vocabulary.phrases import HEADER_FIELDS, ORIGINAL_MARKERS

LONGEST_MARKER = 120
LONGEST_HEADER_BLOCK = 24
LONGEST_LABEL = 25
MOST_HEADER_BLOCKS = 1000
MARKER_EDGES = " \t_=*~#><:\uff1a|[]()" + DASHES
_TIME = lazy_pattern(r"\d{1,2}[:.]\d{2}|(?<!\d)(?:19|20)\d\d(?!\d)|\d\s?年")


@cache
def original_markers() -> frozenset[str]:
    return folded(ORIGINAL_MARKERS)


@cache
def _fields() -> dict[str, str]:
    return {fold(word): field for field, group in HEADER_FIELDS.items() for word in group.words}


def header_field(line: str) -> str | None:
    """The field ("from", "date", …) of a line like "*Gesendet:* Montag", or None."""
    head = line[:40]
    if ":" not in head and "\uff1a" not in head:
        return None
    name = head.replace("\uff1a", ":").partition(":")[0]
    return _fields().get(fold(name.strip("*_ \t")))


def mark_header_blocks(trimmed: Sequence[str], kinds: list[LineKind], *, fresh: bool, strict: bool) -> None:
    fields = [header_field(line) if ":" in line or "\uff1a" in line else None for line in trimmed]
    tries = MOST_HEADER_BLOCKS
    free_from = 0
    for number, line in enumerate(trimmed):
        if number < free_from or kinds[number] is not TEXT or not tries:
            continue
        if fields[number] is None and ("@" not in line or not _is_non_ascii_label(line)):
            continue
        tries -= 1
        end = _header_block(trimmed, kinds, fields, number, fresh=fresh) or _block_in_unlisted_language(
            trimmed, kinds, number
        )
        if end is not None:
            kinds[number:end] = [HEADER] * (end - number)
            _mark_marker_above(trimmed, kinds, number, separator=strict)
            free_from = end


def _mark_marker_above(trimmed: Sequence[str], kinds: list[LineKind], block: int, *, separator: bool) -> None:
    """ "Original Message" without dashes is a marker only directly above a header block, and so is a separator line."""
    above = next((number for number in range(block - 1, max(-1, block - 4), -1) if trimmed[number]), None)
    if above is None:
        return
    separator = separator and kinds[above] is DELIMITER and (above == block - 1 or not trimmed[above].strip("_"))
    if separator or fold(trimmed[above][:LONGEST_MARKER].strip(MARKER_EDGES)) in original_markers():
        kinds[above] = ORIGINAL


def _header_block(
    trimmed: Sequence[str], kinds: Sequence[LineKind], line_fields: Sequence[str | None], start: int, *, fresh: bool
) -> int | None:
    """The end of the header block that begins at `start`, or None.

    Two fields are enough only if the sender has an address: "From: 9:00 / To: 17:00" are opening hours. Without an
    address a subject is required ("From: Berlin / To: Rome / Date: 12 May" is a trip), the sender is named and the
    date is one, and the block does not count in a fresh mail or below a line that introduces content.
    """
    if line_fields[start] == "other":
        return None
    fields: set[str] = set()
    end = start
    sender_has_address = False
    is_filled = True
    wrapped = 0
    for number in range(start, min(start + LONGEST_HEADER_BLOCK, len(trimmed))):
        if kinds[number] not in (TEXT, EMPTY, ATTRIBUTION):
            break
        field = line_fields[number]
        if field is not None and _begins_next_block(field, fields, trimmed, start, number):
            break
        if field is not None:
            fields.add(field)
            sender_has_address |= field == "from" and "@" in trimmed[number]
            is_filled = is_filled and _is_filled(field, trimmed, number)
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
        enough = len(known) >= 3 and begins and is_filled and not fresh and not _is_announced(trimmed, start)
    return end if enough and "from" in known and known & {"date", "subject"} else None


def _begins_next_block(field: str, fields: set[str], trimmed: Sequence[str], start: int, number: int) -> bool:
    """Whether a field is the first of another block: a second sender, or a sender or date below the first gap."""
    if field not in ("from", "date"):
        return False
    is_below_gap = number - start > 1 and not trimmed[number - 1] and all(trimmed[start : number - 1])
    return (field == "from" and "from" in fields) or (is_below_gap and "from" not in fields)


def _is_filled(field: str, trimmed: Sequence[str], number: int) -> bool:
    """Whether a sender has a name and a date has a time or a year; the value may be on the next line."""
    value = trimmed[number].replace("\uff1a", ":").partition(":")[2].strip("*_ \t")
    if not value:
        value = next(iter(trimmed[number + 1 : number + 2]), "")
    if field == "date":
        return _TIME().search(value) is not None
    return field != "from" or (value != "" and header_field(value) is None)


def _is_announced(trimmed: Sequence[str], start: int) -> bool:
    """Whether the paragraph of line `start` follows a line that ends in a colon."""
    first = start
    while (
        first > 0
        and trimmed[first - 1]
        and trimmed[first - 1][-1] not in COLONS
        and start - first < LONGEST_HEADER_BLOCK
    ):
        first -= 1
    above = next(
        (trimmed[number] for number in range(first - 1, max(-1, first - FARTHEST_ABOVE), -1) if trimmed[number]), ""
    )
    return above[-1:] in COLONS


def _is_non_ascii_label(line: str) -> bool:
    return not line.isascii() and ":" in line[:LONGEST_LABEL].replace("\uff1a", ":")


def _block_in_unlisted_language(trimmed: Sequence[str], kinds: Sequence[LineKind], start: int) -> int | None:
    """A header block in a language without phrases: three or more labels in a row, two addresses, one date."""
    end = start
    while end < min(start + 8, len(trimmed)) and kinds[end] is TEXT:
        label, colon, value = trimmed[end].replace("\uff1a", ":").partition(":")
        if not colon or len(label) > LONGEST_LABEL or not value.strip() or any(letter.isdigit() for letter in label):
            break
        end += 1
    block = trimmed[start:end]
    addresses = sum("@" in line for line in block)
    dated = any(_TIME().search(line.partition(":")[2]) for line in block)
    return end if end - start >= 3 and addresses >= 2 and dated else None
