"""Makes the names of attachments safe: for any file system, for a URL, and for the agent that reads them."""

from __future__ import annotations

import unicodedata

LONGEST_NAME = 100
LONGEST_EXTENSION = 20
FALLBACK = "attachment"

_RESERVED = frozenset(
    [
        "con",
        "prn",
        "aux",
        "nul",
        "conin$",
        "conout$",
        *(f"{port}{number}" for port in ("com", "lpt") for number in range(10)),
    ]
)
_FORBIDDEN = frozenset("<>:\"|?*\\/`$&;!'%#{}~^")


def safe_name(name: str) -> str:
    """A file name without path, control or special characters, never empty, never hidden, at most 100 characters."""
    last = unicodedata.normalize("NFC", name[:2000]).replace("\\", "/").rstrip("/ .").rpartition("/")[2]
    allowed = "".join(_allowed(character) for character in last)
    words = "-".join(allowed.split()).strip("-. ")
    stem, dot, extension = words.rpartition(".")
    if not dot or len(extension) > LONGEST_EXTENSION:
        stem, dot, extension = words, "", ""
    stem = stem.strip("-. ") or FALLBACK
    if stem.partition(".")[0].lower() in _RESERVED:
        stem = f"{FALLBACK}-{stem}"
    stem = stem[: LONGEST_NAME - len(dot) - len(extension)].rstrip("-. ")
    return f"{stem}{dot}{extension}"


def _allowed(character: str) -> str:
    # Category C holds control, format (right-to-left override!), surrogate and unassigned characters.
    if character.isspace():
        return " "
    return "" if character in _FORBIDDEN or unicodedata.category(character)[0] == "C" else character
