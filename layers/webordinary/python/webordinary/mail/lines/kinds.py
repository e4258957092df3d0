"""The kinds of lines in a mail."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class LineKind(StrEnum):
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


# Module constants, because enum member access is slow and kinds are compared many times per line.
TEXT, EMPTY, CODE, QUOTE, DELIMITER = LineKind.TEXT, LineKind.EMPTY, LineKind.CODE, LineKind.QUOTE, LineKind.DELIMITER
ATTRIBUTION, ORIGINAL, FORWARD, HEADER = LineKind.ATTRIBUTION, LineKind.ORIGINAL, LineKind.FORWARD, LineKind.HEADER
ARMOUR = LineKind.ARMOUR

# Introduce an earlier mail.
INTRODUCTIONS = (ATTRIBUTION, HEADER, ORIGINAL, FORWARD)


class Line(NamedTuple):
    raw: str
    trimmed: str  # without surrounding space and invisible characters
    kind: LineKind
    number: int = -1  # in the whole text
