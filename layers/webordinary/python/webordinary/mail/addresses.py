"""Reads the addresses out of a From, To or Cc header, however broken, in one pass over its characters."""

from __future__ import annotations

from typing import NamedTuple

from webordinary.mail.decoding import clean, decode_header

LONGEST_LIST = 16 * 1024
MOST_ADDRESSES = 200


class Mailbox(NamedTuple):
    name: str
    address: str


def mailboxes(value: str) -> list[Mailbox]:
    """All mailboxes of a header as it was sent. A piece without an address is left out.

    Encoded words are read last and in names only: read earlier, they could smuggle in an address.
    """
    found: list[Mailbox] = []
    for name, inner in _pieces(value[:LONGEST_LIST]):
        address = _address(inner if inner is not None else name)
        if address:
            found.append(Mailbox(_plain(name) if inner is not None else "", address))
        if len(found) >= MOST_ADDRESSES:
            break
    return found


def _pieces(value: str) -> list[tuple[str, str | None]]:
    """(words outside of angle brackets, what is inside of them or None) per comma, outside of quotes and comments."""
    pieces: list[tuple[str, str | None]] = []
    words: list[str] = []
    inner: list[str] | None = None
    in_brackets = quoted = escaped = False
    comments = 0
    for character in value + ",":
        if escaped:
            escaped = False
            _put(words, inner, in_brackets, comments, character)
        elif character == "\\":
            escaped = True
        elif character == '"' and not comments:
            quoted = not quoted
            _put(words, inner, in_brackets, comments, character)
        elif quoted:
            _put(words, inner, in_brackets, comments, character)
        elif character == "(":
            comments += 1
        elif character == ")" and comments:
            comments -= 1
        elif comments:
            continue
        elif character == "<" and not in_brackets:
            in_brackets, inner = True, []
        elif character == ">" and in_brackets:
            in_brackets = False
        elif character in ",;" and not in_brackets:
            pieces.append(("".join(words), None if inner is None else "".join(inner)))
            words, inner = [], None
        elif character == ":" and not in_brackets and inner is None:
            words = []  # the name of a group
        else:
            _put(words, inner, in_brackets, comments, character)
    if words or inner:  # a quote or bracket was never closed
        pieces.append(("".join(words), None if inner is None else "".join(inner)))
    return pieces


def _put(words: list[str], inner: list[str] | None, in_brackets: bool, comments: int, character: str) -> None:
    if comments:
        return
    if in_brackets and inner is not None:
        inner.append(character)
    else:
        words.append(character)


def _address(text: str) -> str:
    address = text.strip().strip(",<>").strip()
    local, at, domain = address.rpartition("@")
    if not at or not local or not domain or len(address) > 320:
        return ""
    if any(character.isspace() or not character.isprintable() for character in address):
        return ""
    return f"{local}@{domain.rstrip('.').lower()}"


def _plain(name: str) -> str:
    return " ".join(clean(decode_header(name)).replace('"', "").split())
