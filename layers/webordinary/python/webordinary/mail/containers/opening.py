"""The structure of a mail with its containers opened: their parts take the places of the containers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webordinary.contract.thread_tokens import OWN_HEADER
from webordinary.mail.mime.headers import Headers, read_headers
from webordinary.mail.mime.structure import MOST_PARTS, MailStructure, MimePart, normalise_newlines, read_structure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webordinary.mail.containers.tnef import TnefMail

DEEPEST_CONTAINER = 3
TNEF_TYPES = ("application/ms-tnef", "application/vnd.ms-tnef")
CMS_TYPES = ("application/pkcs7-mime", "application/x-pkcs7-mime")
ENCLOSED = "message/rfc822"
UNTYPED = "application/octet-stream"
_TYPES = frozenset((*TNEF_TYPES, *CMS_TYPES, ENCLOSED, "application/pgp-encrypted", "text/calendar"))
_TEXTS = ("text/plain", "text/html")
LONGEST_PREAMBLE = 2_000
MOST_CONTAINERS = 20


def open_containers(raw: bytes, structure: MailStructure) -> MailStructure:
    """The same structure if there is nothing to open."""
    types = {part.content_type for part in structure.parts}
    if _TYPES.isdisjoint(types) and (
        UNTYPED not in types or not any(_is_winmail(part) for part in structure.parts if _is_untyped(part))
    ):
        return structure
    opened = MailStructure(structure.headers)
    opened.truncated = structure.truncated
    opened.alternatives = structure.alternatives
    opened.is_encrypted = "application/pgp-encrypted" in types
    _Opening(opened, raw).add_all(structure.parts, 0)
    _use_calendar(raw, opened)
    return opened


class _Opening:
    def __init__(self, opened: MailStructure, raw: bytes) -> None:
        self._opened = opened
        self._raw = raw
        self._budget = MOST_CONTAINERS

    def add_all(self, parts: list[MimePart], depth: int) -> None:
        has_text = any(part.content_type in _TEXTS and _has_words(self._raw, part) for part in parts)
        for part in parts:
            self._add(part, depth, has_text=has_text)

    def _add(self, part: MimePart, depth: int, *, has_text: bool) -> None:
        if len(self._opened.parts) >= MOST_PARTS:
            self._opened.truncated.add("parts")
            return
        is_container = part.content_type in _TYPES or (_is_untyped(part) and _is_winmail(part))
        if not is_container or depth >= DEEPEST_CONTAINER or self._budget <= 0:
            self._opened.parts.append(part)
            return
        self._budget -= 1
        if part.content_type in CMS_TYPES:
            self._open_cms(part, depth)
        elif part.content_type == ENCLOSED:
            self._opened.parts.append(part)
            self._add_files_of(part, depth)
        elif part.content_type in TNEF_TYPES or _is_untyped(part):
            self._open_tnef(part, with_text=not has_text)
        else:
            self._opened.parts.append(part)

    def _open_cms(self, part: MimePart, depth: int) -> None:
        from webordinary.mail.containers.ber import Kind, open_cms

        kind, content = open_cms(part.content(self._raw))
        if kind is Kind.SIGNED and content:
            self._add_inner(normalise_newlines(content), depth)
        else:
            self._opened.is_encrypted |= kind is Kind.ENCRYPTED or part.parameters.get("smime-type") == "enveloped-data"
            self._opened.parts.append(part)

    def _add_inner(self, source: bytes, depth: int) -> None:
        inner = read_structure(source)
        self._opened.truncated |= inner.truncated
        for part in inner.parts:
            part.source = source
            if part.alternative is not None:
                part.alternative += self._opened.alternatives
        self._opened.alternatives += inner.alternatives
        self.add_all(inner.parts, depth + 1)

    def _add_files_of(self, part: MimePart, depth: int) -> None:
        """The files of an enclosed mail. Its text is read together with the mail's own."""
        source = part.content(self._raw)
        if OWN_HEADER in read_headers(source, 0, len(source))[0]:
            return
        source = normalise_newlines(source)
        inner = open_containers(source, read_structure(source)) if depth + 1 < DEEPEST_CONTAINER else None
        for file in inner.parts if inner is not None else ():
            is_file = bool(file.file_name) or file.content_type.startswith("image/")
            if is_file and file.content_type != ENCLOSED and len(self._opened.parts) < MOST_PARTS:
                if file.source is None:
                    file.source = source
                file.is_enclosed = True
                self._opened.parts.append(file)

    def _open_tnef(self, part: MimePart, *, with_text: bool) -> None:
        from webordinary.mail.containers.tnef import open_tnef

        found = open_tnef(part.content(self._raw))
        if found is None:
            self._opened.parts.append(part)
            return
        for inner in _tnef_parts(found, with_text=with_text):
            if len(self._opened.parts) < MOST_PARTS:
                self._opened.parts.append(inner)


def _tnef_parts(found: TnefMail, *, with_text: bool) -> Iterator[MimePart]:
    if with_text and found.html:
        yield _made_part("text/html", found.html, charset=found.html_charset)
    elif with_text and found.text.strip():
        yield _made_part("text/plain", found.text.encode("utf-8", "replace"), charset="utf-8")
    for file in found.files:
        content_type = _type_of(file.name)
        fields = [("content-id", f"<{file.content_id}>")] if file.content_id else []
        yield _made_part(content_type, file.content, fields=fields, name=file.name)


def _made_part(
    content_type: str, content: bytes, *, charset: str = "", name: str = "", fields: list[tuple[str, str]] | None = None
) -> MimePart:
    parameters = {key: value for key, value in (("charset", charset), ("name", name)) if value}
    part = MimePart(Headers(fields or []), content_type, parameters, 0, len(content), None)
    part.source = content
    return part


def _type_of(name: str) -> str:
    from mimetypes import guess_type

    return guess_type(name)[0] or UNTYPED


def _use_calendar(raw: bytes, opened: MailStructure) -> None:
    """In a mail without other text, a calendar entry is the text."""
    if any(part.content_type in _TEXTS and _has_words(raw, part) for part in opened.parts if not part.is_enclosed):
        return
    entry = next((part for part in opened.parts if part.content_type == "text/calendar"), None)
    if entry is None or any(part.content_type == ENCLOSED for part in opened.parts):
        return
    from webordinary.mail.containers.calendar import LONGEST_ENTRY, calendar_to_text

    text = calendar_to_text(entry.text(raw, LONGEST_ENTRY)[0])
    if text:
        opened.parts.insert(0, _made_part("text/plain", text.encode(), charset="utf-8"))


def _has_words(raw: bytes, part: MimePart) -> bool:
    if part.disposition == "attachment":
        return False
    text = part.text(raw, LONGEST_PREAMBLE)[0]
    if part.content_type == "text/html":
        return any(letter.isalnum() for letter in _without_tags(text))
    return any(map(str.isalnum, text))


def _without_tags(html: str) -> str:
    return "".join(piece.rpartition(">")[2] for piece in html.split("<"))


def _is_untyped(part: MimePart) -> bool:
    return part.content_type == UNTYPED


def _is_winmail(part: MimePart) -> bool:
    return part.file_name.lower() in ("winmail.dat", "win.dat")
