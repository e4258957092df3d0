"""Makes the names of attachments safe for file systems, URLs and the agent.

Letters and digits of every script are kept (фото.jpg is a valid name), as are "-", "_" and dots.
"""

from __future__ import annotations

import unicodedata

LONGEST_NAME = 100
# File systems count bytes, and 100 Chinese characters take 300. The limit leaves space for a number after the stem.
LONGEST_NAME_BYTES = 200
LONGEST_EXTENSION = 20
FALLBACK = "attachment"

# Device names on Windows, with any extension.
_RESERVED = frozenset(
    [
        "con",
        "prn",
        "aux",
        "nul",
        *(f"{port}{number}" for port in ("com", "lpt") for number in "0123456789¹²³"),
    ]
)
_PUNCTUATION = frozenset("-_.")


def safe_name(name: str) -> str:
    """A file name without path, control or special characters, never empty, never hidden, of bounded length."""
    last = unicodedata.normalize("NFC", name[:2000]).replace("\\", "/").rstrip("/ .").rpartition("/")[2]
    words = "-".join("".join(_allowed(character) for character in last.lstrip(". ")).split())
    stem, dot, extension = words.rpartition(".")
    extension = _trimmed(extension)
    if not dot or not extension or len(extension) > LONGEST_EXTENSION:
        stem, dot, extension = words, "", ""
    stem = _trimmed(stem) or FALLBACK
    if stem.partition(".")[0].rstrip("-").lower() in _RESERVED:
        stem = f"{FALLBACK}-{stem}"
    return f"{_cut(stem, dot + extension)}{dot}{extension}"


def _allowed(character: str) -> str:
    category = unicodedata.category(character)
    if category[0] in "LMN" or character in _PUNCTUATION:
        return character
    # Category C holds control, format (right-to-left override!), surrogate and unassigned characters.
    return "" if category[0] == "C" and not character.isspace() else " "


def _trimmed(text: str) -> str:
    """Removes characters that a name must not begin or end with. A combining mark needs a letter before it."""
    text = text.strip("-.")
    while text and unicodedata.category(text[0])[0] == "M":
        text = text[1:].lstrip("-.")
    return text


def _cut(stem: str, ending: str) -> str:
    """Shortens the stem to fit the limits, without separating a letter from its combining marks."""
    kept = stem[: LONGEST_NAME - len(ending)]
    while len((kept + ending).encode()) > LONGEST_NAME_BYTES:
        kept = kept[:-1]
    while kept and kept != stem and unicodedata.category(stem[len(kept)])[0] == "M":
        kept = kept[:-1]
    return kept.rstrip("-.") or FALLBACK
