"""Parses the addresses in a From, To or Cc header, valid or not, in one pass."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from webordinary.mail.mime.decoding import clean, decode_header

LONGEST_LIST = 16 * 1024
MOST_ADDRESSES = 200
_PIECES = re.compile(r'\\.|[()<>,;:"\\]|[^()<>,;:"\\]+', re.DOTALL)


class ParsedAddress(NamedTuple):
    name: str
    address: str


@lru_cache(maxsize=64)  # the From header of a mail is parsed several times
def parse_addresses(value: str) -> tuple[ParsedAddress, ...]:
    """All addresses in a header as it was sent. An entry without an address is skipped.

    Encoded words are decoded last and only in names: decoded earlier, they could smuggle in an address.
    """
    found: list[ParsedAddress] = []
    for name, inner in _split_list(value[:LONGEST_LIST]):
        address = _address(inner if inner is not None else name)
        if address:
            found.append(ParsedAddress(_plain(name) if inner is not None else "", address))
        if len(found) >= MOST_ADDRESSES:
            break
    return tuple(found)


def _split_list(value: str) -> list[tuple[str, str | None]]:
    """Per list entry: the text outside angle brackets, and the text inside them or None. Comments are dropped."""
    pieces: list[tuple[str, str | None]] = []
    words: list[str] = []
    inner: list[str] | None = None
    in_brackets = quoted = False
    comments = 0
    for piece in _PIECES.findall(value + ","):
        if piece == '"' and not comments:
            quoted = not quoted
        elif not quoted:
            if piece == "(":
                comments += 1
            elif piece == ")" and comments:
                comments -= 1
                continue
            elif piece == "<" and not in_brackets and not comments:
                in_brackets, inner = True, []
                continue
            elif piece == ">" and in_brackets:
                in_brackets = False
                continue
            elif piece in (",", ";") and not in_brackets and not comments:
                pieces.append(("".join(words), None if inner is None else "".join(inner)))
                words, inner = [], None
                continue
            elif piece == ":" and not in_brackets and inner is None and not comments:
                words = []  # the name of a group
                continue
        if not comments:
            (inner if in_brackets and inner is not None else words).append(piece[-1] if piece[0] == "\\" else piece)
    if words or inner:  # a quote or bracket was never closed
        pieces.append(("".join(words), None if inner is None else "".join(inner)))
    return pieces


def _address(text: str) -> str:
    address = text.strip().strip(",<>").strip()
    local, at, domain = address.rpartition("@")
    if not at or not local or not domain or len(address) > 320 or " " in address or not address.isprintable():
        return ""
    return f"{local}@{domain.rstrip('.').lower()}"


def _plain(name: str) -> str:
    return " ".join(clean(decode_header(name)).replace('"', "").split())
