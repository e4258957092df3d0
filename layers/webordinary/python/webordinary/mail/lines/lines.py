"""Classifies every line of a mail: text, quote, delimiter, introduction of an earlier mail, and so on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial

from webordinary.mail.lines.attribution import DASHES, find_attributions, find_inline_attribution
from webordinary.mail.lines.header_blocks import (
    LONGEST_MARKER,
    MARKER_EDGES,
    header_field,
    mark_header_blocks,
    original_markers,
)
from webordinary.mail.lines.kinds import (
    ARMOUR,
    ATTRIBUTION,
    CODE,
    DELIMITER,
    EMPTY,
    FORWARD,
    HEADER,
    ORIGINAL,
    QUOTE,
    TEXT,
    Line,
    LineKind,
)
from webordinary.mail.vocabulary.matching import fold, folded
from webordinary.mail.vocabulary.patterns import lazy_pattern
from webordinary.mail.vocabulary.phrases import ABOVE_WORDS, FORWARD_MARKERS, REPLY_WORDS
from webordinary.text.marks import has_marks, without_marks

LONGEST_BARE_MARKER = 60  # without dashes or similar around it


# Builds a Line without the Python-level constructor, because there is one per line of every mail.
_line: Callable[[tuple[str, str, LineKind, int]], Line] = partial(tuple.__new__, Line)

_REPLY_WORDS = tuple(folded(REPLY_WORDS))
_DELIMITER_CHARACTERS = "_=*#~+\u1427\u2022." + DASHES
_SEPARATOR_STARTS = frozenset("_=*~#[<|" + DASHES)
_LONE_BULLETS = frozenset("-*+#\u2022.\u2013")
_INITIALS = lazy_pattern(r"[^\W\d_]{1,3}>")
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u2060\ufeff\u00ad"))
_SPACES = dict.fromkeys(map(ord, "\u00a0\u202f\u2007\u3000\u2009"), " ")
_CLEANING = {**_INVISIBLE, **_SPACES}
_CLEANED = tuple(map(chr, _CLEANING))


@cache
def _forward_markers() -> frozenset[str]:
    return folded(FORWARD_MARKERS)


@cache
def _above_words() -> frozenset[str]:
    return folded(ABOVE_WORDS)


def _trim_lines(text: str, lines: Sequence[str]) -> list[str]:
    """Strips space and the invisible characters that mail programs insert."""
    if text.isascii() or True not in [character in text for character in _CLEANED]:
        return [line.strip() for line in lines]
    return [line.strip() if line.isascii() else line.translate(_CLEANING).strip() for line in lines]


def classify_lines(text: str, *, fresh: bool = False, strict: bool = False, language_rules: bool = True) -> list[Line]:
    """The lines of a text with their kinds. In a fresh mail, only certain cases get a kind other than text.

    `strict` requires more evidence than a text without headers can give. Without `language_rules`, only quote marks,
    separator lines and code are recognised.
    """
    raw = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if has_marks(text):  # they are written out later, and say nothing about a line
        text = without_marks(text)
        trimmed = _trim_lines(text, [without_marks(line) for line in raw])
    else:
        trimmed = _trim_lines(text, raw)
    if not fresh and language_rules and ("20" in text or not text.isascii()):
        _split_attributions(raw, trimmed)
    kinds = line_kinds(trimmed, fresh=fresh, strict=strict) if language_rules else _plain_kinds(trimmed)
    if "-----BEGIN PGP" in text:
        _mark_armour(trimmed, kinds)
    return list(map(_line, zip(raw, trimmed, kinds, range(len(raw)), strict=True)))


def _split_attributions(raw: list[str], trimmed: list[str]) -> None:
    for number in range(len(trimmed) - 1, -1, -1):
        line = trimmed[number]
        if line[:1] in ("", ">") or "20" not in line or not (line[-1] in ":<\uff1a" or "@" in line):
            continue
        position = find_inline_attribution(line, trimmed[number + 1] if number + 1 < len(trimmed) else "")
        if position is not None:
            raw[number : number + 1] = [line[:position], line[position:]]
            trimmed[number : number + 1] = [line[:position].strip(), line[position:]]


def _plain_kinds(trimmed: Sequence[str]) -> list[LineKind]:
    kinds = _simple_kinds(trimmed, _code_lines(trimmed))
    return [TEXT if kind in (ORIGINAL, FORWARD) else kind for kind in kinds]


def line_kinds(trimmed: Sequence[str], *, fresh: bool = False, strict: bool = False) -> list[LineKind]:
    """One kind per trimmed line."""
    code = _code_lines(trimmed)
    kinds = _simple_kinds(trimmed, code)
    if fresh:
        mark_header_blocks(trimmed, kinds, fresh=True, strict=True)
        _keep_certain_markers(trimmed, kinds)
        return kinds
    for first, last in find_attributions(trimmed, code, strict=strict):
        kinds[first : last + 1] = [ATTRIBUTION] * (last + 1 - first)
    mark_header_blocks(trimmed, kinds, fresh=False, strict=strict)
    _mark_other_quotes(trimmed, kinds, introduced=not strict)
    return kinds


def _code_lines(trimmed: Sequence[str]) -> list[bool]:
    """Lines between two code fences are code, including the fences. An unclosed fence is an ordinary line."""
    inside = [False] * len(trimmed)
    opened: int | None = None
    for number in [number for number, line in enumerate(trimmed) if line[:3] == "```"]:
        if opened is None:
            opened = number
        else:
            inside[opened : number + 1] = [True] * (number + 1 - opened)
            opened = None
    return inside


def _simple_kinds(trimmed: Sequence[str], code: Sequence[bool]) -> list[LineKind]:
    kinds = [_simple_kind(line) if line else EMPTY for line in trimmed]
    return [CODE if inside else kind for kind, inside in zip(kinds, code, strict=True)] if True in code else kinds


def _simple_kind(line: str) -> LineKind:
    first = line[0]
    if first == ">" or (first == "&" and line.startswith("&gt;")):
        return QUOTE
    if first in _DELIMITER_CHARACTERS and not line.strip(_DELIMITER_CHARACTERS + " "):
        return TEXT if line in _LONE_BULLETS else DELIMITER
    return _marker_kind(line) if len(line) <= LONGEST_MARKER else TEXT


def _marker_kind(line: str) -> LineKind:
    decorated = line[0] in _SEPARATOR_STARTS
    edges = decorated or line[-1] in ":\uff1a-_*"
    if not edges and (len(line) > LONGEST_BARE_MARKER or not line.casefold().startswith(_REPLY_WORDS)):
        return TEXT
    core = fold(line.strip(MARKER_EDGES))
    if decorated and core in original_markers():
        return ORIGINAL
    if edges and (core in _forward_markers() or core.startswith("forwarded by ")):
        return FORWARD
    # With a separator around it, it may begin with "Please"; a plain sentence must begin with the reply word.
    if (decorated or core.startswith(_REPLY_WORDS)) and _asks_for_reply_above(core):
        return ORIGINAL
    return TEXT


def _asks_for_reply_above(core: str) -> bool:
    return any(words in core for words in _above_words()) and any(word in core for word in _REPLY_WORDS)


def is_forward_marker(line: str) -> bool:
    return 0 < len(line) <= LONGEST_MARKER and _marker_kind(line) is FORWARD


def _keep_certain_markers(trimmed: Sequence[str], kinds: list[LineKind]) -> None:
    """In a fresh mail a marker counts only directly above a header block, quoted or not."""
    for number, kind in enumerate(kinds):
        if kind is ORIGINAL or kind is FORWARD:
            below = [position for position in range(number + 1, min(number + 5, len(trimmed))) if trimmed[position]]
            headed = any(
                kinds[position] is HEADER or header_field(trimmed[position].lstrip("> ")) for position in below[:2]
            )
            kinds[number] = FORWARD if headed else TEXT


def _mark_other_quotes(trimmed: Sequence[str], kinds: list[LineKind], *, introduced: bool) -> None:
    """Some programs quote with "|" or with initials ("AB>").

    "|" also begins a table row, so it counts only directly below an attribution. Initials also begin an entry in a list
    of questions, so they count only somewhere below one.
    """
    if not introduced and ATTRIBUTION not in kinds:
        return
    quoting = False
    for number, kind in enumerate(kinds):
        if kind is ATTRIBUTION:
            introduced = quoting = True
        elif (kind is TEXT and quoting and trimmed[number].startswith("|")) or (
            kind is TEXT and introduced and ">" in trimmed[number][1:4] and _INITIALS().match(trimmed[number])
        ):
            kinds[number] = QUOTE
        elif kind is not EMPTY:
            quoting = False


def _mark_armour(trimmed: Sequence[str], kinds: list[LineKind]) -> None:
    """The lines that inline PGP puts around a text: the header with its hash, and the signature block."""
    inside = False
    for number, line in enumerate(trimmed):
        if line == "-----BEGIN PGP SIGNED MESSAGE-----":
            end = next((at for at in range(number, min(number + 6, len(trimmed))) if not trimmed[at]), number + 1)
            kinds[number:end] = [ARMOUR] * (end - number)
        inside = inside or line in ("-----BEGIN PGP SIGNATURE-----", "-----BEGIN PGP PUBLIC KEY BLOCK-----")
        if inside:
            kinds[number] = ARMOUR
        if line.startswith("-----END PGP"):
            inside = False
