"""Takes the parts of a mail apart without copying them: headers, and where each part's content begins and ends.

Works on positions in the raw bytes and stops at fixed limits, so that a hostile mail (thousands of parts, parts in
parts in parts, headers of megabytes) costs little more than looking for its line breaks. What was not looked at is
named in `cut`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from urllib.parse import unquote_to_bytes

from webordinary.mail.mime.decoding import clean, decode_header, decode_text, decode_transfer, decoded_size
from webordinary.mail.vocabulary.patterns import compiled_later

MOST_PARTS = 500
DEEPEST_PART = 8
LONGEST_HEADERS = 64 * 1024
MOST_HEADERS = 1000
LONGEST_PARAMETERS = 1024
MOST_PARAMETERS = 24
MOST_BOUNDARY_LOOKS = 5000

_PARAMETER = re.compile(r';\s*([^\s=;"]{1,60})\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)', re.DOTALL)
_FOLD = re.compile(r"\n[ \t]+")
_USUAL_FOLD = re.compile(r"\r\n[ \t]+")
# A field with the lines that it is folded onto. A colon that begins the last one counts as a field without a name.
_FIELDS = re.compile(r"^([!-9;-~]{1,100}|(?<=\n)(?=:.*(?:\n[ \t].*)*\Z)):(.*(?:\n[ \t].*)*)", re.MULTILINE)
_EMPTY_LINE = re.compile(rb"\n\r?\n")
_FIELD_NAME = compiled_later(r"[!-9;-~]{1,100}$")


def unfolded(value: str) -> str:
    """The value of a field on one line."""
    return (_FOLD.sub(" ", _USUAL_FOLD.sub(" ", value)) if "\n" in value else value).strip()


class Headers:
    """The headers of a mail or part, in order. Names ignore case; values are unfolded but otherwise as sent.

    `fields` has them folded: of most fields nobody asks for the value.
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
        """The first value of that name, or an empty string."""
        if name not in self._values:
            return ""
        value = self._values[name][0]
        return unfolded(value) if "\n" in value else value.strip()

    def all(self, name: str) -> list[str]:
        return [unfolded(value) for value in self._values.get(name, ())]

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def until(self, name: str) -> Headers | None:
        """The headers above the first one of that name; None where it is missing."""
        for number, (key, _) in enumerate(self.fields):
            if key == name:
                return Headers(self.fields[:number])
        return None


class Part:
    """A part without parts of its own. `start` and `end` are where its encoded content is in the raw mail."""

    __slots__ = ("alternative", "content_type", "end", "headers", "parameters", "start")

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

    @property
    def disposition(self) -> str:
        return self.headers.get("content-disposition").partition(";")[0].strip().lower()

    @property
    def encoding(self) -> str:
        return self.headers.get("content-transfer-encoding")[:80].strip().lower()

    @property
    def file_name(self) -> str:
        declared = parameters_of(self.headers.get("content-disposition")).get("filename") or self.parameters.get(
            "name", ""
        )
        return clean(decode_header(declared[:LONGEST_PARAMETERS]))

    def content(self, raw: bytes) -> bytes:
        return decode_transfer(raw[self.start : self.end], self.encoding)

    def size(self, raw: bytes) -> int:
        breaks = raw.count(b"\n", self.start, self.end) + raw.count(b"\r", self.start, self.end)
        padding = raw.count(b"=", max(self.start, self.end - 8), self.end)
        return decoded_size(self.end - self.start, breaks, padding, self.encoding)

    def text(self, raw: bytes, limit: int) -> tuple[str, bool]:
        """The first `limit` characters or so, and whether anything was left out."""
        cut = self.end - self.start > limit * 4
        data = decode_transfer(
            raw[self.start : self.start + limit * 4] if cut else raw[self.start : self.end], self.encoding
        )
        text = decode_text(data, self.parameters.get("charset", ""), cut=cut)
        return text[:limit], cut or len(text) > limit


class Structure:
    """A mail taken apart: its own headers, its parts in order, and which limits were hit."""

    __slots__ = ("alternatives", "cut", "headers", "looks", "parts")

    def __init__(self, headers: Headers) -> None:
        self.headers = headers
        self.parts: list[Part] = []
        self.cut: set[str] = set()
        self.looks = MOST_BOUNDARY_LOOKS
        self.alternatives = 0


def normalised(raw: bytes) -> bytes:
    """Very old mail ends lines with a carriage return alone."""
    return raw.replace(b"\r", b"\n") if b"\n" not in raw else raw


def take_apart(raw: bytes) -> Structure:
    """The structure of a mail whose bytes went through `normalised`."""
    headers, body, cut = read_headers(raw, 0, len(raw))
    structure = Structure(headers)
    if cut:
        structure.cut.add("headers")
    _collect(structure, raw, headers, body, len(raw), depth=0, alternative=None)
    return structure


def read_headers(raw: bytes, start: int, end: int) -> tuple[Headers, int, bool]:
    """The headers that begin at `start`, where the body begins, and whether there were too many to read them all."""
    head_end, body = _end_of_headers(raw, start, end)
    block = raw[start : min(head_end, start + LONGEST_HEADERS)]
    cut = head_end - start > LONGEST_HEADERS
    decoded = decode_text(block, "utf-8", cut=cut)
    fields = _fields_of(decoded)
    if fields is None:
        return _read_broken_headers(raw, decoded, start, head_end, body, cut)
    return Headers(fields), body, cut


def _fields_of(text: str) -> list[tuple[str, str]] | None:
    """Names and folded values; None where something else stands among them, or where they are too many."""
    fields = [(name.lower(), value) for name, value in _FIELDS.findall(text)]
    # A colon in each, and line breaks between them: with that, nothing of the text may be left over.
    whole = sum(map(len, chain.from_iterable(fields))) + 2 * len(fields) == len(text) + 1
    return fields if whole and len(fields) <= MOST_HEADERS else None


def _read_broken_headers(
    raw: bytes, decoded: str, start: int, head_end: int, body: int, cut: bool
) -> tuple[Headers, int, bool]:
    """The headers among which something else stands: a mailbox line above, a body without an empty line below."""
    fields: list[tuple[str, str]] = []
    for number, line in enumerate(_FOLD.sub(" ", decoded.replace("\r\n", "\n")).split("\n")):
        name, colon, value = line.partition(":")
        if colon and _FIELD_NAME().match(name):
            fields.append((name.lower(), value.strip()))
        elif line.strip() and not (number == 0 and line.startswith(("From ", ">From "))):
            return Headers(fields), _first_body_line(raw, start, head_end), cut
        if len(fields) > MOST_HEADERS:
            return Headers(fields), body, True
    return Headers(fields), body, cut


def _first_body_line(raw: bytes, start: int, head_end: int) -> int:
    """Where the first line that is no header begins: a body without the empty line that should be above it."""
    for number in range(MOST_HEADERS * 10):
        line_end = raw.find(b"\n", start, head_end)
        line = raw[start : min(start + 101, line_end if line_end >= 0 else head_end)].rstrip(b"\r")
        header = line[:1] in (b" ", b"\t") or (
            _FIELD_NAME().match(line.partition(b":")[0].decode("latin-1")) and b":" in line
        )
        mailbox_line = number == 0 and line.startswith((b"From ", b">From "))
        if line_end < 0 or not (header or mailbox_line or not line.strip()):
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


def parameters_of(value: str) -> dict[str, str]:
    """The parameters of a Content-Type or Content-Disposition, RFC 2231's pieces and percent signs put together."""
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


def _collect(
    structure: Structure, raw: bytes, headers: Headers, start: int, end: int, depth: int, alternative: int | None
) -> None:
    content_type = headers.get("content-type")
    kind = content_type.partition(";")[0].strip().lower()
    parameters = parameters_of(content_type) if content_type else {}
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
            structure.cut.add("parts")
            return
    if kind.startswith("multipart/"):
        kind = "text/plain"  # nothing in it could be told apart; perhaps it can still be read
    if len(structure.parts) < MOST_PARTS:
        structure.parts.append(Part(headers, kind, parameters, start, end, alternative))
    else:
        structure.cut.add("parts")


def _collect_parts(
    structure: Structure, raw: bytes, boundary: str, start: int, end: int, depth: int, alternative: int | None
) -> bool:
    found = False
    for part_start, part_end in _pieces(structure, raw, boundary, start, end):
        found = True
        if len(structure.parts) >= MOST_PARTS:
            structure.cut.add("parts")
            break
        headers, body, _ = read_headers(raw, part_start, part_end)
        _collect(structure, raw, headers, body, part_end, depth + 1, alternative)
    return found


def _pieces(structure: Structure, raw: bytes, boundary: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where the parts between the boundary lines begin and end. A last part without closing line counts as well."""
    needle = b"--" + boundary[:200].encode("utf-8", "replace")
    opened: int | None = None
    position = start if raw.startswith(needle, start, end) else raw.find(b"\n" + needle, start, end) + 1
    while position > 0:
        structure.looks -= 1
        if structure.looks < 0:
            structure.cut.add("parts")
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
