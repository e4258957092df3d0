"""Splits a mail into its MIME parts without copying them: the headers of each part, and where its content is.

Works on positions in the raw bytes and stops at fixed limits, so a hostile mail (thousands of parts, deep nesting,
megabytes of headers) costs little more than a search for its line breaks. `truncated` names what was not read.
"""

from __future__ import annotations

from collections.abc import Iterator

from webordinary.mail.mime.decoding import clean, decode_header, decode_text, decode_transfer, decoded_size
from webordinary.mail.mime.headers import LONGEST_PARAMETERS, Headers, read_headers, read_parameters

MOST_PARTS = 500
DEEPEST_PART = 8
MOST_BOUNDARIES = 5000


class MimePart:
    """A leaf part. `start` and `end` delimit its encoded content in the raw mail, or in `source`."""

    __slots__ = (
        "_file_name",
        "alternative",
        "content_type",
        "end",
        "headers",
        "is_enclosed",
        "parameters",
        "source",
        "start",
    )

    def __init__(
        self,
        headers: Headers,
        content_type: str,
        parameters: dict[str, str],
        start: int,
        end: int,
        alternative: int | None,  # which multipart/alternative it belongs to
    ) -> None:
        self.headers, self.content_type, self.parameters = headers, content_type, parameters
        self.start, self.end, self.alternative = start, end, alternative
        self.source: bytes | None = None  # the content of the container that the part comes from
        self.is_enclosed = False  # a file of a mail that is attached to this one
        self._file_name: str | None = None  # once it is known

    @property
    def disposition(self) -> str:
        return self.headers.get("content-disposition").partition(";")[0].strip().lower()

    @property
    def encoding(self) -> str:
        return self.headers.get("content-transfer-encoding")[:80].strip().lower()

    @property
    def file_name(self) -> str:
        if self._file_name is None:
            disposition = read_parameters(self.headers.get("content-disposition"))
            declared = disposition.get("filename") or self.parameters.get("name", "")
            self._file_name = clean(decode_header(declared[:LONGEST_PARAMETERS]))
        return self._file_name

    def content(self, raw: bytes) -> bytes:
        raw = raw if self.source is None else self.source
        return decode_transfer(raw[self.start : self.end], self.encoding)

    def size(self, raw: bytes) -> int:
        raw = raw if self.source is None else self.source
        breaks = raw.count(b"\n", self.start, self.end) + raw.count(b"\r", self.start, self.end)
        padding = raw.count(b"=", max(self.start, self.end - 8), self.end)
        return decoded_size(self.end - self.start, breaks, padding, self.encoding)

    def text(self, raw: bytes, limit: int) -> tuple[str, bool]:
        """About the first `limit` characters, and whether the text was truncated."""
        raw = raw if self.source is None else self.source
        truncated = self.end - self.start > limit * 4
        data = decode_transfer(
            raw[self.start : self.start + limit * 4] if truncated else raw[self.start : self.end], self.encoding
        )
        text = decode_text(data, self.parameters.get("charset", ""), truncated=truncated)
        return text[:limit], truncated or len(text) > limit


class MailStructure:
    """The headers of a mail, its leaf parts in order, and which limits were reached."""

    __slots__ = ("alternatives", "boundary_budget", "headers", "is_encrypted", "parts", "truncated")

    def __init__(self, headers: Headers) -> None:
        self.headers = headers
        self.parts: list[MimePart] = []
        self.truncated: set[str] = set()
        self.boundary_budget = MOST_BOUNDARIES
        self.alternatives = 0
        self.is_encrypted = False  # a part of it, so that nothing can read it here


def normalise_newlines(raw: bytes) -> bytes:
    """Converts the bare carriage returns of very old mail to line feeds."""
    return raw.replace(b"\r", b"\n") if b"\n" not in raw else raw


def read_structure(raw: bytes) -> MailStructure:
    """The structure of a mail. Call `normalise_newlines` on the bytes first."""
    headers, body, truncated = read_headers(raw, 0, len(raw))
    structure = MailStructure(headers)
    if truncated:
        structure.truncated.add("headers")
    _collect(structure, raw, headers, body, len(raw), depth=0, alternative=None)
    return structure


def _collect(
    structure: MailStructure, raw: bytes, headers: Headers, start: int, end: int, depth: int, alternative: int | None
) -> None:
    content_type = headers.get("content-type")
    kind = content_type.partition(";")[0].strip().lower()
    parameters = read_parameters(content_type) if content_type else {}
    if "/" not in kind:
        kind = "text/plain"
    if kind.startswith("multipart/") and parameters.get("boundary"):
        if kind == "multipart/alternative":
            structure.alternatives += 1
            alternative = structure.alternatives
        if depth < DEEPEST_PART:
            if _collect_parts(structure, raw, parameters["boundary"], start, end, depth, alternative):
                return
        else:
            structure.truncated.add("parts")
            return
    if kind.startswith("multipart/"):
        kind = "text/plain"  # no part was found, but the content may be readable
    if len(structure.parts) < MOST_PARTS:
        structure.parts.append(MimePart(headers, kind, parameters, start, end, alternative))
    else:
        structure.truncated.add("parts")


def _collect_parts(
    structure: MailStructure, raw: bytes, boundary: str, start: int, end: int, depth: int, alternative: int | None
) -> bool:
    found = False
    for part_start, part_end in _part_ranges(structure, raw, boundary, start, end):
        found = True
        if len(structure.parts) >= MOST_PARTS:
            structure.truncated.add("parts")
            break
        headers, body, _ = read_headers(raw, part_start, part_end)
        _collect(structure, raw, headers, body, part_end, depth + 1, alternative)
    return found


def _part_ranges(
    structure: MailStructure, raw: bytes, boundary: str, start: int, end: int
) -> Iterator[tuple[int, int]]:
    """The start and end of each part between boundary lines. The last part needs no closing line."""
    needle = b"--" + boundary[:200].encode("utf-8", "replace")
    opened: int | None = None
    position = start if raw.startswith(needle, start, end) else raw.find(b"\n" + needle, start, end) + 1
    while position > 0:
        structure.boundary_budget -= 1
        if structure.boundary_budget < 0:
            structure.truncated.add("parts")
            return
        after = position + len(needle)
        line_end = raw.find(b"\n", after, min(end, after + 100))
        rest = raw[after : line_end if line_end >= 0 else min(end, after + 100)].strip()
        if rest in (b"", b"--"):
            if opened is not None:
                yield opened, _before_line_break(raw, opened, position)
            if rest == b"--":
                return
            opened = line_end + 1 if line_end >= 0 else end
        position = raw.find(b"\n" + needle, max(after - 1, start), end) + 1
    if opened is not None and opened < end:
        yield opened, end


def _before_line_break(raw: bytes, start: int, position: int) -> int:
    """The line break above a boundary belongs to the boundary."""
    end = position - 1
    if end > start and raw[end - 1] == 13:
        end -= 1
    return max(start, end)
