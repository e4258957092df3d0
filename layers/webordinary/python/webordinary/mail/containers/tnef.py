"""Reads winmail.dat (TNEF, MS-OXTNEF): the text of the mail and its attachments.

Outlook sends it to addresses that it takes for Outlook's. Every length is checked, and every loop is limited.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from webordinary.mail.containers.rtf import decompressed, rtf_to_text
from webordinary.mail.mime.decoding import codec_name

SIGNATURE = b"\x78\x9f\x3e\x22"
MOST_ATTRIBUTES = 5_000
MOST_PROPERTIES = 5_000
MOST_FILES = 100
MOST_VALUES = 1_000

_ATTACHMENT_LEVEL = 2
_BODY, _CODE_PAGE, _MESSAGE_PROPERTIES = 0x800C, 0x9007, 0x9003
_NEW_ATTACHMENT, _FILE_TITLE, _FILE_DATA, _FILE_PROPERTIES = 0x9002, 0x8010, 0x800F, 0x9005
_P_BODY, _P_HTML, _P_RTF, _P_CODE_PAGE = 0x1000, 0x1013, 0x1009, 0x3FDE
_P_DATA, _P_SHORT_NAME, _P_LONG_NAME, _P_CONTENT_ID = 0x3701, 0x3704, 0x3707, 0x3712
_FIXED = {0x02: 4, 0x03: 4, 0x04: 4, 0x05: 8, 0x06: 8, 0x07: 8, 0x0A: 4, 0x0B: 4, 0x14: 8, 0x40: 8, 0x48: 16}
_VARIABLE = frozenset((0x0D, 0x1E, 0x1F, 0x102))
_STRING, _UNICODE = 0x1E, 0x1F
_MULTIPLE = 0x1000


class TnefFile(NamedTuple):
    name: str
    content: bytes
    content_id: str


class TnefMail(NamedTuple):
    text: str
    html: bytes
    html_charset: str
    files: tuple[TnefFile, ...]


class _UnreadableError(Exception):
    """The bytes are not what they claim to be."""


class _OpenFile:
    def __init__(self) -> None:
        self.title = self.name = self.content_id = ""
        self.content = b""


def open_tnef(data: bytes) -> TnefMail | None:
    """The mail in a winmail.dat; None if it cannot be read. What can be read of a damaged one is returned."""
    if not data.startswith(SIGNATURE):
        return None
    codec, text, html, charset, rtf = "cp1252", "", b"", "utf-8", b""
    files: list[_OpenFile] = []
    for level, name, value in _attributes(data):
        if level == _ATTACHMENT_LEVEL:
            if name == _NEW_ATTACHMENT and len(files) < MOST_FILES:
                files.append(_OpenFile())
            elif files:
                _add_to_file(files[-1], name, value, codec)
        elif name == _CODE_PAGE and len(value) >= 4:
            codec = _codec(int.from_bytes(value[:4], "little"))
        elif name == _BODY:
            text = _decoded(value, codec)
        elif name == _MESSAGE_PROPERTIES:
            for number, kind, content in _properties(value):
                if number == _P_BODY:
                    text = _string(kind, content, codec) or text
                elif number == _P_HTML:
                    html = content.rstrip(b"\0")
                elif number == _P_RTF:
                    rtf = content
                elif number == _P_CODE_PAGE and len(content) >= 4:
                    charset = _codec(int.from_bytes(content[:4], "little"))
    if not text.strip() and not html and rtf:
        text = rtf_to_text(decompressed(rtf))
    found = [TnefFile(file.name or file.title or "attachment", file.content, file.content_id) for file in files]
    return TnefMail(text, html, charset, tuple(file for file in found if file.content))


def _attributes(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """(level, name, value) of each attribute, up to the first damaged one."""
    position = 6
    for _ in range(MOST_ATTRIBUTES):
        if position + 9 > len(data):
            return
        level, name, _, length = struct.unpack_from("<BHHI", data, position)
        start = position + 9
        if start + length > len(data):
            return
        yield level, name, data[start : start + length]
        position = start + length + 2  # a checksum follows


def _add_to_file(file: _OpenFile, name: int, value: bytes, codec: str) -> None:
    if name == _FILE_TITLE:
        file.title = _decoded(value, codec)
    elif name == _FILE_DATA:
        file.content = value
    elif name == _FILE_PROPERTIES:
        for number, kind, content in _properties(value):
            if number == _P_LONG_NAME or (number == _P_SHORT_NAME and not file.name):
                file.name = _string(kind, content, codec)
            elif number == _P_CONTENT_ID:
                file.content_id = _string(kind, content, codec)
            elif number == _P_DATA and not file.content:
                file.content = content


def _properties(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """(number, type, first value) of each MAPI property, up to the first damaged one."""
    try:
        count = _number(data, 0)
        position = 4
        for _ in range(min(count, MOST_PROPERTIES)):
            kind, number = struct.unpack_from("<HH", data, position)
            position += 4
            if number >= 0x8000:
                position = _after_name(data, position)
            value, position = _value(data, position, kind)
            yield number, kind & ~_MULTIPLE, value
    except (_UnreadableError, struct.error):
        return


def _after_name(data: bytes, position: int) -> int:
    """Where a named property continues after its name."""
    if _number(data, position + 16) == 0:
        return position + 24
    length = _number(data, position + 20)
    return position + 24 + length + -length % 4


def _value(data: bytes, position: int, kind: int) -> tuple[bytes, int]:
    base = kind & ~_MULTIPLE
    count = 1
    if kind & _MULTIPLE or base in _VARIABLE:
        count = _number(data, position)
        position += 4
    if count > MOST_VALUES:
        raise _UnreadableError
    first = b""
    for index in range(count):
        if base in _VARIABLE:
            length = _number(data, position)
            position += 4
        elif base in _FIXED:
            length = _FIXED[base]
        else:
            raise _UnreadableError
        if position + length > len(data):
            raise _UnreadableError
        if index == 0:
            first = data[position : position + length]
        position += length + -length % 4
    return first, position


def _number(data: bytes, position: int) -> int:
    return int(struct.unpack_from("<I", data, position)[0])


def _string(kind: int, value: bytes, codec: str) -> str:
    return _decoded(value, "utf-16-le" if kind == _UNICODE else codec)


def _decoded(value: bytes, codec: str) -> str:
    return value.decode(codec, "replace").rstrip("\0").replace("\0", "")


def _codec(page: int) -> str:
    known = {65001: "utf-8", 20127: "ascii", 28591: "cp1252", 28592: "iso8859-2", 20866: "koi8-r", 51932: "euc-jp"}
    return codec_name(known.get(page, f"cp{page}")) or "cp1252"
