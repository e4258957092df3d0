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


# What stands above an earlier mail.
INTRODUCTIONS = (Kind.ATTRIBUTION, Kind.HEADER, Kind.ORIGINAL, Kind.FORWARD)


class Line(NamedTuple):
    raw: str
    bare: str
    kind: Kind
    number: int = -1  # where it stands in the whole text
