"""What a line of a mail can be."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


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


# By names of their own: they are compared many times per line, and a member of an enum is slow to ask for.
TEXT, EMPTY, CODE, QUOTE, DELIMITER = Kind.TEXT, Kind.EMPTY, Kind.CODE, Kind.QUOTE, Kind.DELIMITER
ATTRIBUTION, ORIGINAL, FORWARD, HEADER = Kind.ATTRIBUTION, Kind.ORIGINAL, Kind.FORWARD, Kind.HEADER
ARMOUR = Kind.ARMOUR

# What stands above an earlier mail.
INTRODUCTIONS = (ATTRIBUTION, HEADER, ORIGINAL, FORWARD)


class Line(NamedTuple):
    raw: str
    bare: str
    kind: Kind
    number: int = -1  # where it stands in the whole text
