"""Reads the content of a signed S/MIME message. Signatures are not checked here: SES has checked the sender.

Only as much of ASN.1 (BER and DER) as leads to the content, with limits, in one pass.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

DEEPEST = 12
MOST_PIECES = 20_000

_SEQUENCE, _OID, _OCTETS, _SET, _INTEGER = 0x30, 0x06, 0x04, 0x31, 0x02
_CONSTRUCTED = 0x20
_PKCS7 = bytes.fromhex("2a864886f70d0107")  # 1.2.840.113549.1.7
_SIGNED = _PKCS7 + b"\x02"
_ENVELOPED = (_PKCS7 + b"\x03", _PKCS7 + b"\x06", bytes.fromhex("2a864886f70d0109100117"))


class Kind(StrEnum):
    SIGNED = "signed"
    ENCRYPTED = "encrypted"
    UNKNOWN = "unknown"


class _Element(NamedTuple):
    tag: int
    start: int  # of the content
    end: int
    next: int


class _UnreadableError(Exception):
    """The bytes are not what they claim to be."""


def open_cms(data: bytes) -> tuple[Kind, bytes]:
    """What a CMS message is, and the content of a signed one."""
    try:
        outer = _element(data, 0, len(data), 0)
        kind = _element(data, outer.start, outer.end, 0)
        if outer.tag != _SEQUENCE or kind.tag != _OID:
            return Kind.UNKNOWN, b""
        name = data[kind.start : kind.end]
        if name in _ENVELOPED:
            return Kind.ENCRYPTED, b""
        if name != _SIGNED:
            return Kind.UNKNOWN, b""
        return Kind.SIGNED, _signed_content(data, kind.next, outer.end)
    except _UnreadableError:
        return Kind.UNKNOWN, b""


def _signed_content(data: bytes, position: int, end: int) -> bytes:
    explicit = _element(data, position, end, 0)
    signed = _element(data, explicit.start, explicit.end, 0)
    position = signed.start
    while position < signed.end:
        element = _element(data, position, signed.end, 0)
        if element.tag == _SEQUENCE:  # below the version and the set of algorithms
            kind = _element(data, element.start, element.end, 0)
            if kind.next >= element.end:
                raise _UnreadableError  # a detached signature
            wrapped = _element(data, kind.next, element.end, 0)
            return _octets(data, wrapped.start, wrapped.end)
        if element.tag not in (_INTEGER, _SET):
            break
        position = element.next
    raise _UnreadableError


def _octets(data: bytes, start: int, end: int) -> bytes:
    """The bytes of an octet string, which may come in pieces."""
    pieces: list[bytes] = []
    pending = [(start, end, 0)]
    while pending:
        position, limit, depth = pending.pop()
        if position >= limit or data[position : position + 2] == b"\x00\x00":
            continue
        element = _element(data, position, limit, depth)
        pending.append((element.next, limit, depth))
        if element.tag == _OCTETS:
            pieces.append(data[element.start : element.end])
        elif element.tag == _OCTETS | _CONSTRUCTED and depth < DEEPEST:
            pending.append((element.start, element.end, depth + 1))
        else:
            raise _UnreadableError
        if len(pieces) > MOST_PIECES:
            raise _UnreadableError
    return b"".join(pieces)


def _element(data: bytes, position: int, limit: int, depth: int) -> _Element:
    if position + 2 > limit or depth > DEEPEST:
        raise _UnreadableError
    tag, length = data[position], data[position + 1]
    start = position + 2
    if tag & 0x1F == 0x1F:
        raise _UnreadableError
    if length == 0x80:  # indefinite: up to two zero bytes, which are found only by reading the content
        if not tag & _CONSTRUCTED:
            raise _UnreadableError
        return _Element(tag, start, limit, limit)
    if length > 0x80:
        count = length & 0x7F
        if count > 5 or start + count > limit:
            raise _UnreadableError
        length = int.from_bytes(data[start : start + count], "big")
        start += count
    if start + length > limit:
        raise _UnreadableError
    return _Element(tag, start, start + length, start + length)
