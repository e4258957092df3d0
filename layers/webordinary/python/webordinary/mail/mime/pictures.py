"""The names of the pictures in a text, by which the agent finds the files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from webordinary.mail.mime.decoding import clean, decode_header

if TYPE_CHECKING:
    from webordinary.mail.mime.structure import MimePart
    from webordinary.text.html import ShownPicture

PART = "x-part:"  # a picture that is a part of its own between two texts, with its index
LONGEST_NAME = 100
_PICTURE_SUFFIXES = (".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg", ".avif", ".heic", ".bmp")
_UNSAFE = {ord(letter): " " for letter in "[]<>\r\n\t"}
_NO_DESCRIPTION = ("image", "picture", "inline image", "bild", "photo", "logo", "cid:")
_GENERATED = ("generated", "generiert", "généré", "generado", "gegenereerd")


class PictureNames:
    """Names are unique: "image.png", "image.png (2)"."""

    def __init__(self, parts: Sequence[MimePart]) -> None:
        self._parts = parts

    def label_of(self, picture: ShownPicture) -> str:
        """What the text says where the picture stands; empty for one that says nothing, such as a tracking pixel."""
        part = self.part_of(picture)
        description = _description(picture.description)
        if part is None:
            return description or _name_in_link(picture.source)
        name = self.name_of(part)
        return f"{name}: {description}" if description and description not in name else name

    def part_of(self, picture: ShownPicture) -> int | None:
        """The index of the part that a picture shows."""
        source = picture.source
        if source[:4].lower() == "cid:":
            return self._by_id.get(unquote(source[4:]).strip("<> "))
        if source.startswith(PART):
            index = source[len(PART) :]
            return int(index) if index.isdigit() and len(index) < 5 and int(index) < len(self._parts) else None
        return self._by_location.get(source) if source else None

    def name_of(self, part: int) -> str:
        return self._names.get(part, "")

    @cached_property
    def _names(self) -> dict[int, str]:
        names: dict[int, str] = {}
        count: dict[str, int] = {}
        for index, part in enumerate(self._parts):
            if part.content_type.startswith("text/") and not part.file_name:
                continue
            name = _plain(decode_header(part.file_name)) or "picture"
            count[name] = count.get(name, 0) + 1
            names[index] = name if count[name] == 1 else f"{name} ({count[name]})"
        return names

    @cached_property
    def _by_id(self) -> dict[str, int]:
        ids = (clean(part.headers.get("content-id")).strip().strip("<> ") for part in self._parts)
        return {name: index for index, name in enumerate(ids) if name}

    @cached_property
    def _by_location(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for index, part in enumerate(self._parts):
            if part.content_type.startswith("image/"):
                for name in (part.headers.get("content-location"), part.file_name):
                    if name:
                        found.setdefault(name, index)
        return found


def _plain(text: str) -> str:
    return " ".join(clean(text).translate(_UNSAFE).split())[:LONGEST_NAME]


def _description(text: str) -> str:
    plain = _plain(text)
    lowered = plain.lower()
    if lowered.rstrip(" 0123456789.") in _NO_DESCRIPTION or any(word in lowered for word in _GENERATED):
        return ""
    return plain


def _name_in_link(source: str) -> str:
    try:
        name = unquote(urlsplit(source).path.rpartition("/")[2]) if source[:4].lower() == "http" else ""
    except ValueError:
        return ""
    return _plain(name) if name.lower().endswith(_PICTURE_SUFFIXES) else ""
