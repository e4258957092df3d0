"""Says of every line of a mail what it is: text, quote, delimiter, introduction of an earlier mail, and so on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial

from webordinary.mail.lines.attribution import DASHES, attributions, split_inside
from webordinary.mail.lines.header_blocks import LONGEST_MARKER, MARKER_EDGES, header_field, mark_headers, originals
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
    Kind,
    Line,
)
from webordinary.mail.vocabulary.matching import fold, folded
from webordinary.mail.vocabulary.patterns import compiled_later
from webordinary.mail.vocabulary.phrases import ABOVE_WORDS, FORWARD_MARKERS, REPLY_WORDS

LONGEST_BARE_MARKER = 60  # without any dashes or the like around it


# Made from a tuple of the right length without going through Python: there is one per line of every mail.
_line: Callable[[tuple[str, str, Kind, int]], Line] = partial(tuple.__new__, Line)

_REPLY_WORDS = tuple(folded(REPLY_WORDS))
_DELIMITER_CHARACTERS = "_=*#~+\u1427\u2022." + DASHES
_DRAWN = frozenset("_=*~#[<|" + DASHES)
_LONE_BULLETS = frozenset("-*+#\u2022.\u2013")
_INITIALS = compiled_later(r"[^\W\d_]{1,3}>")
_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u2060\ufeff\u00ad"))
_SPACES = dict.fromkeys(map(ord, "\u00a0\u202f\u2007\u3000\u2009"), " ")
_CLEANING = {**_INVISIBLE, **_SPACES}
_CLEANED = tuple(map(chr, _CLEANING))


@cache
def _forwards() -> frozenset[str]:
    return folded(FORWARD_MARKERS)


@cache
def _above_words() -> frozenset[str]:
    return folded(ABOVE_WORDS)


def _bares(text: str, lines: Sequence[str]) -> list[str]:
    """The lines of a text as rules see them: trimmed, without the invisible characters that mail programs sprinkle."""
    if text.isascii() or True not in [character in text for character in _CLEANED]:
        return [line.strip() for line in lines]
    return [line.strip() if line.isascii() else line.translate(_CLEANING).strip() for line in lines]


def read_lines(text: str, *, fresh: bool = False, sure: bool = False, language_rules: bool = True) -> list[Line]:
    """The lines of a text with their kinds. In a fresh mail only what is certain has a kind of its own.

    `sure` asks for more evidence than a text without headers can give. Without the rules by language, only quote marks,
    drawn lines and code are told from text.
    """
    raw = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    bares = _bares(text, raw)
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
    kinds = _simple_kinds(bares, _code_lines(bares))
    return [TEXT if kind in (ORIGINAL, FORWARD) else kind for kind in kinds]


def kinds_of(bares: Sequence[str], *, fresh: bool = False, sure: bool = False) -> list[Kind]:
    """One kind per line of `bares` (lines as rules see them)."""
    code = _code_lines(bares)
    kinds = _simple_kinds(bares, code)
    if fresh:
        mark_headers(bares, kinds, fresh=True, sure=True)
        _keep_sure_markers(bares, kinds)
        return kinds
    for first, last in attributions(bares, code, sure=sure):
        kinds[first : last + 1] = [ATTRIBUTION] * (last + 1 - first)
    mark_headers(bares, kinds, fresh=False, sure=sure)
    _mark_other_quotes(bares, kinds, introduced=not sure)
    return kinds


def _code_lines(bares: Sequence[str]) -> list[bool]:
    """Lines between two fences are code, fences included. A fence that never closes is just a line."""
    inside = [False] * len(bares)
    opened: int | None = None
    for number in [number for number, line in enumerate(bares) if line[:3] == "```"]:
        if opened is None:
            opened = number
        else:
            inside[opened : number + 1] = [True] * (number + 1 - opened)
            opened = None
    return inside


def _simple_kinds(bares: Sequence[str], code: Sequence[bool]) -> list[Kind]:
    kinds = [_simple_kind(line) if line else EMPTY for line in bares]
    return [CODE if inside else kind for kind, inside in zip(kinds, code, strict=True)] if True in code else kinds


def _simple_kind(line: str) -> Kind:
    first = line[0]
    if first == ">" or (first == "&" and line.startswith("&gt;")):
        return QUOTE
    if first in _DELIMITER_CHARACTERS and not line.strip(_DELIMITER_CHARACTERS + " "):
        return TEXT if line in _LONE_BULLETS else DELIMITER
    return _marker_kind(line) if len(line) <= LONGEST_MARKER else TEXT


def _marker_kind(line: str) -> Kind:
    drawn = line[0] in _DRAWN
    edges = drawn or line[-1] in ":\uff1a-_*"
    if not edges and (len(line) > LONGEST_BARE_MARKER or not line.casefold().startswith(_REPLY_WORDS)):
        return TEXT
    core = fold(line.strip(MARKER_EDGES))
    if drawn and core in originals():
        return ORIGINAL
    if edges and (core in _forwards() or core.startswith("forwarded by ")):
        return FORWARD
    # Drawn, it may begin with "Please"; as a bare sentence it must begin with the reply.
    if (drawn or core.startswith(_REPLY_WORDS)) and _asks_for_reply_above(core):
        return ORIGINAL
    return TEXT


def _asks_for_reply_above(core: str) -> bool:
    return any(words in core for words in _above_words()) and any(word in core for word in _REPLY_WORDS)


def is_forward_marker(line: str) -> bool:
    return 0 < len(line) <= LONGEST_MARKER and _marker_kind(line) is FORWARD


def _keep_sure_markers(bares: Sequence[str], kinds: list[Kind]) -> None:
    """In a fresh mail a marker counts only with a header block right below it, quoted or not."""
    for number, kind in enumerate(kinds):
        if kind is ORIGINAL or kind is FORWARD:
            below = [position for position in range(number + 1, min(number + 5, len(bares))) if bares[position]]
            headed = any(
                kinds[position] is HEADER or header_field(bares[position].lstrip("> ")) for position in below[:2]
            )
            kinds[number] = FORWARD if headed else TEXT


def _mark_other_quotes(bares: Sequence[str], kinds: list[Kind], *, introduced: bool) -> None:
    """Some programs quote with "|" or with initials ("AB>").

    Elsewhere the first begins a table, so it counts only right below an introduction; the second begins an entry in a
    list of questions, so it counts only somewhere below one.
    """
    if not introduced and ATTRIBUTION not in kinds:
        return
    quoting = False
    for number, kind in enumerate(kinds):
        if kind is ATTRIBUTION:
            introduced = quoting = True
        elif (kind is TEXT and quoting and bares[number].startswith("|")) or (
            kind is TEXT and introduced and ">" in bares[number][1:4] and _INITIALS().match(bares[number])
        ):
            kinds[number] = QUOTE
        elif kind is not EMPTY:
            quoting = False


def _mark_armour(bares: Sequence[str], kinds: list[Kind]) -> None:
    """The lines that inline PGP puts around a text: the head with its hash, and the signature block."""
    inside = False
    for number, line in enumerate(bares):
        if line == "-----BEGIN PGP SIGNED MESSAGE-----":
            end = next((at for at in range(number, min(number + 6, len(bares))) if not bares[at]), number + 1)
            kinds[number:end] = [ARMOUR] * (end - number)
        inside = inside or line in ("-----BEGIN PGP SIGNATURE-----", "-----BEGIN PGP PUBLIC KEY BLOCK-----")
        if inside:
            kinds[number] = ARMOUR
        if line.startswith("-----END PGP"):
            inside = False
