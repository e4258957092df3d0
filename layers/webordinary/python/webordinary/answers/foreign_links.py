"""Addresses in somebody else's words, so written that no mail program makes a link of them.

What an agent, a page or a file name says may come from a stranger, and our answers are trusted. People can still read
the address; an invisible mark behind each dot and slash keeps programs from taking it for one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

MARK = "\u200b"
LONGEST = 2000
_ADDRESS = re.compile(
    r"(?:[a-z][a-z0-9+.-]{1,20}:)?//[^\s<>\"']{1,500}"  # https://…, and //… alone
    r"|(?:mailto|tel|javascript|data):[^\s<>\"']{1,500}"
    r"|[^\s<>\"'@]{1,64}@[^\s<>\"'@]{1,200}"
    r"|(?:[^\W_][\w-]{0,62}\.){1,6}[^\W\d_]{2,24}(?:[/?#:][^\s<>\"']{0,500})?",  # www.example.com/…
    re.IGNORECASE,
)
_JOINTS = re.compile(r"[.:/@]")


def without_foreign_links(text: str, own: Sequence[str] = ()) -> str:
    """The text with every address disarmed that does not begin with one of our `own`."""
    trusted = tuple(address for address in own if address)

    def disarmed(found: re.Match[str]) -> str:
        address = found[0]
        return address if trusted and address.startswith(trusted) else _JOINTS.sub(lambda sign: sign[0] + MARK, address)

    return _ADDRESS.sub(disarmed, text[:LONGEST]) + text[LONGEST:]
