"""Finds secret build values in a built site, also encoded. Their names are reported, never the values."""

from __future__ import annotations

import html
import json
from base64 import b64encode
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import quote, quote_plus

from webordinary.contract.outcomes import Failure
from webordinary_worker.confinement.safe_copy import read_below
from webordinary_worker.failures import BuildFailedError

MIN_CHARACTERS = 6  # shorter ones ("true") are found everywhere
PUBLIC = "PUBLIC_"  # Astro shows variables with this prefix to browsers, on purpose
HIDDEN = "•••"
_IN_SCRIPTS = {ord(character): f"\\u{ord(character):04x}" for character in "<>&"}  # JSON inside a page
_QUOTES = ("&quot;", "&#34;")  # frameworks differ


def require_no_secrets(
    folder: Path, files: Iterable[str], secrets: Mapping[str, str], largest: int, owner: int | None
) -> None:
    """Raises BuildFailedError if a file of a built site contains a secret."""
    wanted = {name: forms_of(value) for name, value in secrets.items() if _is_secret(name, value)}
    if not wanted:
        return
    leaked: set[str] = set()
    for path in files:
        try:
            content = read_below(folder, path.split("/"), largest, owner)
        except OSError:
            continue  # it is not published either
        leaked |= {name for name, forms in wanted.items() if any(form in content for form in forms)}
    if leaked:
        raise BuildFailedError(Failure.SECRET_PUBLISHED, ", ".join(sorted(leaked)))


def without_secrets(text: str, secrets: Mapping[str, str]) -> str:
    """A build's output without the secrets that it printed."""
    for name, value in secrets.items():
        if _is_secret(name, value):
            for form in forms_of(value):
                text = text.replace(form.decode(errors="replace"), HIDDEN)
    return text


def forms_of(value: str) -> frozenset[bytes]:
    """The value as it is, and in the encodings that pages and scripts use."""
    raw = value.encode()
    plain = {value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    plain |= {value.replace("\\", "\\\\").replace(quote_mark, f"\\{quote_mark}") for quote_mark in "'`"}
    plain |= {text.replace("/", "\\/") for text in plain} | {text.translate(_IN_SCRIPTS) for text in plain}
    markup = {html.escape(text, quote=quoted) for text in plain for quoted in (True, False)}
    plain |= markup | {text.replace("&#x27;", "&#39;").replace("&quot;", mark) for text in markup for mark in _QUOTES}
    escaped = {quote(value), quote(value, safe=""), quote_plus(value)}
    escaped |= {text.lower() for text in escaped if "%" in text}
    encoded = {raw.hex(), raw.hex().upper(), *(_base64_inside(raw, before) for before in range(3))}
    encoded |= {text.replace("+", "-").replace("/", "_") for text in encoded}
    return frozenset(text.encode() for text in (*plain, *escaped, *encoded) if text)


def _base64_inside(raw: bytes, before: int) -> str:
    """The part of a base64 text that depends on the value only, with `before` bytes in front of it."""
    encoded = b64encode(b"\0" * before + raw).decode().rstrip("=")
    start = (0, 2, 3)[before]
    end = len(encoded) if (before + len(raw)) % 3 == 0 else len(encoded) - 1
    return encoded[start:end]


def _is_secret(name: str, value: str) -> bool:
    return len(value) >= MIN_CHARACTERS and not name.startswith(PUBLIC)
