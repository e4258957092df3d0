"""The host of a URL as a browser reads it: without user and port, decoded, in compatible characters."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import unquote

_HOST = re.compile(r"^(?=.{1,253}$)[\w\[][\w.:\]-]*$")
_DOTS = str.maketrans("\u3002\uff0e\uff61", "...")


def host_of_authority(authority: str) -> str:
    """The host in the part of a URL between `//` and the path; empty if no browser would accept it."""
    text = unicodedata.normalize("NFKC", unquote(authority)).translate(_DOTS).lower()
    text = "".join(char for char in text if char.isprintable() and char not in "\u00ad\u200b\u2060\ufeff")
    host = text.rpartition("@")[2]
    host = host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0].rstrip(".")
    return host if _HOST.match(host) else ""
