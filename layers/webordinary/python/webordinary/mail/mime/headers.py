"""Reads the header fields of a mail or of one of its parts, and their parameters, up to fixed limits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from urllib.parse import unquote_to_bytes

from webordinary.mail.mime.decoding import decode_text
from webordinary.mail.vocabulary.patterns import lazy_pattern

LONGEST_HEADERS = 64 * 1024
MOST_HEADERS = 1000
LONGEST_PARAMETERS = 1024
MOST_PARAMETERS = 24

_PARAMETER = re.compile(r';\s*([^\s=;"]{1,60})\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)', re.DOTALL)
_FOLD = re.compile(r"\n[ \t]+")
_USUAL_FOLD = re.compile(r"\r\n[ \t]+")
# A field with its folded lines. A colon at the start of the last field counts as a field without a name.
_FIELDS = re.compile(r"^([!-9;-~]{1,100}|(?<=\n)(?=:.*(?:\n[ \t].*)*\Z)):(.*(?:\n[ \t].*)*)", re.MULTILINE)
_EMPTY_LINE = re.compile(rb"\n\r?\n")
_FIELD_NAME = lazy_pattern(r"[!-9;-~]{1,100}$")


def unfold(value: str) -> str:
    """A field value on one line."""
    return (_FOLD.sub(" ", _USUAL_FOLD.sub(" ", value)) if "\n" in value else value).strip()


class Headers:
    """The headers of a mail or part, in order, by lower-case name. Values are returned unfolded, otherwise as sent.

    `fields` keeps them folded because most values are never read.
    """

    def __init__(self, fields: Sequence[tuple[str, str]]) -> None:
        self.fields = fields
        values: dict[str, list[str]] = {}
        for name, value in fields:
            if name in values:
                values[name].append(value)
            else:
                values[name] = [value]
        self._values = values

    def get(self, name: str) -> str:
        """The first value of this field, or an empty string."""
        if name not in self._values:
            return ""
        value = self._values[name][0]
        return unfold(value) if "\n" in value else value.strip()

    def all(self, name: str) -> list[str]:
        return [unfold(value) for value in self._values.get(name, ())]

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def above(self, name: str) -> Headers | None:
        """The headers above the first one with this name; None if there is none."""
        for number, (key, _) in enumerate(self.fields):
            if key == name:
                return Headers(self.fields[:number])
        return None


def read_headers(raw: bytes, start: int, end: int) -> tuple[Headers, int, bool]:
    """The headers that begin at `start`, where the body begins, and whether the headers were truncated."""
    head_end, body = _end_of_headers(raw, start, end)
    block = raw[start : min(head_end, start + LONGEST_HEADERS)]
    truncated = head_end - start > LONGEST_HEADERS
    decoded = decode_text(block, "utf-8", truncated=truncated)
    fields = _fields_of(decoded)
    if fields is None:
        return _read_broken_headers(raw, decoded, start, head_end, body, truncated)
    return Headers(fields), body, truncated


def _fields_of(text: str) -> list[tuple[str, str]] | None:
    """Names and folded values; None if the text has anything else in it, or too many fields."""
    fields = [(name.lower(), value) for name, value in _FIELDS.findall(text)]
    # One colon per field and the line breaks between fields account for the rest of the text.
    whole = sum(map(len, chain.from_iterable(fields))) + 2 * len(fields) == len(text) + 1
    return fields if whole and len(fields) <= MOST_HEADERS else None


def _read_broken_headers(
    raw: bytes, decoded: str, start: int, head_end: int, body: int, truncated: bool
) -> tuple[Headers, int, bool]:
    """For headers with other lines among them: an mbox line above, or a body without an empty line above it."""
    fields: list[tuple[str, str]] = []
    for number, line in enumerate(_FOLD.sub(" ", decoded.replace("\r\n", "\n")).split("\n")):
        name, colon, value = line.partition(":")
        if colon and _FIELD_NAME().match(name):
            fields.append((name.lower(), value.strip()))
        elif line.strip() and not (number == 0 and line.startswith(("From ", ">From "))):
            return Headers(fields), _first_body_line(raw, start, head_end), truncated
        if len(fields) > MOST_HEADERS:
            return Headers(fields), body, True
    return Headers(fields), body, truncated


def _first_body_line(raw: bytes, start: int, head_end: int) -> int:
    """The start of the first line that is not a header, for a body without an empty line above it."""
    for number in range(MOST_HEADERS * 10):
        line_end = raw.find(b"\n", start, head_end)
        line = raw[start : min(start + 101, line_end if line_end >= 0 else head_end)].rstrip(b"\r")
        header = line[:1] in (b" ", b"\t") or (
            _FIELD_NAME().match(line.partition(b":")[0].decode("latin-1")) and b":" in line
        )
        mbox_line = number == 0 and line.startswith((b"From ", b">From "))
        if line_end < 0 or not (header or mbox_line or not line.strip()):
            break
        start = line_end + 1
    return start


def _end_of_headers(raw: bytes, start: int, end: int) -> tuple[int, int]:
    if raw.startswith((b"\n", b"\r\n"), start, end):
        return start, start + (1 if raw[start] == 10 else 2)
    near = _EMPTY_LINE.search(raw, start, min(end, start + LONGEST_HEADERS))
    if near is not None:
        return near.start(), near.end()
    carriage = raw.find(b"\n\r\n", start, end)
    plain = raw.find(b"\n\n", start, end if carriage < 0 else carriage + 1)
    if plain >= 0:
        return plain, plain + 2
    return (carriage, carriage + 3) if carriage >= 0 else (end, end)


def read_parameters(value: str) -> dict[str, str]:
    """The parameters of a Content-Type or Content-Disposition header, with RFC 2231 continuations decoded."""
    if ";" not in value:
        return {}
    found: dict[str, str] = {}
    pieces: dict[str, list[tuple[int, str, bool]]] = {}
    for declared, quoted in _PARAMETER.findall(value[:LONGEST_PARAMETERS])[:MOST_PARAMETERS]:
        name, text = declared.lower(), quoted.strip()
        if len(text) >= 2 and text[0] == text[-1] == '"':
            text = text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
        if "*" in name:
            plain, _, number = name.partition("*")
            digits = number.rstrip("*")
            pieces.setdefault(plain, []).append((int(digits) if digits.isdecimal() else 0, text, name.endswith("*")))
        else:
            found.setdefault(name, text)
    return found | {name: _extended(parts) for name, parts in pieces.items()} if pieces else found


def _extended(pieces: list[tuple[int, str, bool]]) -> str:
    pieces.sort(key=lambda piece: piece[0])
    charset, text = "utf-8", pieces[0][1]
    if pieces[0][2] and text.count("'") >= 2:
        charset, _, text = text.split("'", 2)
    data = b""
    for number, (_, piece, percent) in enumerate(pieces):
        value = text if number == 0 else piece
        data += unquote_to_bytes(value) if percent else value.encode("utf-8", "replace")
    return decode_text(data, charset)
