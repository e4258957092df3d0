"""Marks inside a text for what the words alone do not show: struck out, coloured, highlighted, a picture.

A mark is one private character. The rules for lines ignore marks; `render` writes them out at the end. Every piece of
marked text has its own start and end, so that any selection of lines is complete.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

COLOURS = (
    *("", "red", "orange", "yellow", "green", "turquoise", "blue", "purple", "pink", "brown", "grey", "white"),
    "black",
)
MOST_PICTURES = 1000
_BASE = 0x100000
_PICTURE = 0x101000
_ANY = re.compile("[\U00100000-\U0010fffd]")
_MARKED = re.compile("[\U00100001-\U00100fff][^\U00100000]*\U00100000")
_PIECES = re.compile("[\U00100000-\U0010fffd]|[^\U00100000-\U0010fffd]+")
_WRITTEN = re.compile(r"(?:\[picture: [^\]]*\]|[\s|>*\u2022-]|(?:\d{1,4}|[a-zA-Z])[.)](?= |$))*")


class Look(NamedTuple):
    """How a piece of text looks, as far as it can mean something."""

    struck: bool = False
    colour: str = ""
    highlight: str = ""


PLAIN = Look()
END = chr(_BASE)


def start_of(look: Look) -> str:
    return chr(_BASE + look.struck + (COLOURS.index(look.colour) << 1) + (COLOURS.index(look.highlight) << 5))


def picture_mark(number: int) -> str:
    return chr(_PICTURE + number)


def has_marks(text: str) -> bool:
    return not text.isascii() and _ANY.search(text) is not None


def without_marks(text: str) -> str:
    return text if text.isascii() else _ANY.sub("", text)


def pictures_in(text: str) -> set[int]:
    """The numbers of the pictures in a text."""
    if text.isascii():
        return set()
    return {ord(mark) - _PICTURE for mark in _ANY.findall(text) if ord(mark) >= _PICTURE}


def looks_in(text: str) -> set[Look]:
    """All looks of the words in a text."""
    if text.isascii():
        return {PLAIN} if text.strip() else set()
    return {look for line in text.split("\n") for look, words in _runs(line, ()) if words.strip("> ")}


def render(text: str, pictures: Sequence[str] = (), *, with_colours: bool = True) -> str:
    """The text with its marks written out. `pictures` has the label of each picture; one without a label is left out.

    A colour is marked only if the text has another colour too.
    """
    if not has_marks(text):
        return text
    if _has_one_colour(text):
        return without_marks(text)
    lines = [list(_runs(line, pictures)) for line in text.split("\n")]
    used = [(look, _size(look, words)) for line in lines for look, words in line]
    base = Look(
        colour=_base(Counter(dict.fromkeys(COLOURS, 0)), [(look.colour, size) for look, size in used]),
        highlight=_base(Counter(dict.fromkeys(COLOURS, 0)), [(look.highlight, size) for look, size in used]),
    )
    return "\n".join("".join(_rendered(line, base, with_colours=with_colours)) for line in lines)


def _has_one_colour(text: str) -> bool:
    """Whether all words have the same colour, and nothing else about them is special: true of most coloured mails."""
    used = set(_ANY.findall(text)) - {END}
    if len(used) != 1 or (code := ord(next(iter(used))) - _BASE) >= _PICTURE - _BASE or code & 1:
        return False
    return not _MARKED.sub("", text).strip()


def _size(look: Look, words: str) -> int:
    """The number of letters, without what the reader of the HTML wrote: separators, numbers of a list, pictures."""
    return 0 if look == PLAIN and _WRITTEN.fullmatch(words) else len("".join(words.split()))


def _base(sizes: Counter[str], used: Sequence[tuple[str, int]]) -> str:
    for colour, size in used:
        sizes[colour] += size
    return "" if sizes[""] else sizes.most_common(1)[0][0]


def _runs(line: str, pictures: Sequence[str]) -> Iterator[tuple[Look, str]]:
    """Consecutive pieces of one look. White space between two pieces of the same look belongs to them."""
    if line.isascii():
        yield PLAIN, line
        return
    look, text = PLAIN, ""
    current = PLAIN
    space = ""
    for piece in _PIECES.findall(line):
        code = ord(piece[0])
        if _BASE <= code < _PICTURE:
            current = _look_of(code - _BASE)
            continue
        if code >= _PICTURE:
            number = code - _PICTURE
            piece = f"[picture: {pictures[number]}]" if number < len(pictures) and pictures[number] else ""
        if not piece.strip():
            space += piece
            continue
        shown = PLAIN if code >= _PICTURE else current
        if shown != look:
            if text:
                yield look, text
            if space:
                yield PLAIN, space
            look, text = shown, piece
        else:
            text += space + piece
        space = ""
    if text:
        yield look, text
    if space:
        yield PLAIN, space


def _look_of(code: int) -> Look:
    colour, highlight = (code >> 1) & 15, (code >> 5) & 15
    if max(colour, highlight) >= len(COLOURS):
        return PLAIN
    return Look(bool(code & 1), COLOURS[colour], COLOURS[highlight])


def _rendered(runs: Sequence[tuple[Look, str]], base: Look, *, with_colours: bool) -> Iterator[str]:
    for look, text in runs:
        words = text.strip()
        if look == PLAIN or not words:
            yield text
            continue
        start = text[: len(text) - len(text.lstrip())]
        end = text[len(text.rstrip()) :]
        if look.struck:
            words = f"~~{words}~~"
        if with_colours:
            labels = []
            if look.colour and look.colour != base.colour:
                labels.append(look.colour)
            if look.highlight and look.highlight != base.highlight:
                labels.append(f"highlighted {look.highlight}")
            if labels:
                words = f"[{', '.join(labels)}: {words}]"
        yield start + words + end
