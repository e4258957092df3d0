"""Decodes the bytes of a mail: transfer encodings, character sets, encoded words. Never raises.

Content that cannot be decoded as declared is decoded as well as possible.
"""

from __future__ import annotations

import binascii
import codecs
import re
from functools import lru_cache

from webordinary.mail.vocabulary.patterns import lazy_pattern

# Browsers map these names in the same way.
_CHARSET_ALIASES = {
    "iso-8859-1": "cp1252",
    "iso8859-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "utf-8",
    "ascii": "utf-8",
    "ansi_x3.4-1968": "utf-8",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "x-sjis": "cp932",
    "shift_jis": "cp932",
    "windows-31j": "cp932",
    "iso-8859-8-i": "iso-8859-8",
    "iso-8859-9": "cp1254",
    "tis-620": "cp874",
    "unicode-1-1-utf-7": "utf-7",
    "utf8": "utf-8",
    "x-mac-roman": "mac-roman",
}
# Python codecs that are not character sets, or that take quadratic time.
_UNSUPPORTED_CODECS = frozenset(
    (
        "idna",
        "punycode",
        "unicode-escape",
        "raw-unicode-escape",
        "undefined",
        "mbcs",
        "oem",
        "unicode_escape",
        "raw_unicode_escape",
    )
)
_CHARSET_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:+-]{0,39}$")
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")
_ENCODED_WORD = lazy_pattern(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?]*)\?=")


def decode_transfer(data: bytes, encoding: str) -> bytes:
    """Decodes a content transfer encoding. With an unknown one, the data is returned unchanged."""
    if encoding == "base64":
        return _base64(data)
    if encoding == "quoted-printable":
        return binascii.a2b_qp(data)
    if encoding in ("x-uuencode", "uuencode", "uue", "x-uue"):
        return _uuencoded(data)
    return data


def decoded_size(data_length: int, line_breaks: int, padding: int, encoding: str) -> int:
    """The decoded size, from counts alone, so that a 40 MB attachment need not be decoded."""
    if encoding != "base64":
        return data_length
    return max(0, (data_length - line_breaks) * 3 // 4 - padding)


def _base64(data: bytes) -> bytes:
    try:
        return binascii.a2b_base64(data)
    except binascii.Error:
        letters = _NOT_BASE64.sub(b"", data)
        whole = letters[: len(letters) - (1 if len(letters) % 4 == 1 else 0)]
        return binascii.a2b_base64(whole + b"=" * (-len(whole) % 4))


def _uuencoded(data: bytes) -> bytes:
    decoded: list[bytes] = []
    for line in data.splitlines():
        if line.startswith((b"begin ", b"end")) or not line.strip():
            continue
        try:
            decoded.append(binascii.a2b_uu(line))
        except binascii.Error:
            # Some encoders leave trailing garbage; the first character holds the length.
            length = (((line[0] - 32) & 63) * 4 + 5) // 3
            try:
                decoded.append(binascii.a2b_uu(line[:length]))
            except binascii.Error:
                return data
    return b"".join(decoded)


@lru_cache(maxsize=64)
def codec_name(charset: str) -> str | None:
    """The codec for a declared character set, or None if there is none."""
    name = charset.strip().strip("\"'").lower()
    if not _CHARSET_NAME.match(name):
        return None
    name = _CHARSET_ALIASES.get(name, name)
    try:
        found = codecs.lookup(name)
    except (LookupError, ValueError, UnicodeError):
        return None
    is_text = getattr(found, "_is_text_encoding", True)
    return found.name if is_text and found.name not in _UNSUPPORTED_CODECS else None


def decode_text(data: bytes, charset: str, *, truncated: bool = False) -> str:
    """Text from bytes: as declared, else as UTF-8, else as well as possible. `truncated`: the end may be incomplete."""
    declared = codec_name(charset) or "utf-8"
    if truncated:
        return clean(_decode_with_replacement(data, declared))
    for name in (declared, "utf-8"):
        try:
            return clean(data.decode(name))
        except (UnicodeError, ValueError):
            continue
    return clean(_decode_with_replacement(data, "cp1252" if declared == "utf-8" else declared))


def _decode_with_replacement(data: bytes, codec: str) -> str:
    try:
        return data.decode(codec, "replace")
    except (UnicodeError, ValueError):
        return data.decode("latin-1")


def clean(text: str) -> str:
    """Removes NUL, byte order mark and lone surrogates, which are not safe in JSON or files."""
    if "\x00" in text:
        text = text.replace("\x00", "")
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-8", "replace").decode()
    return text.removeprefix("\ufeff")


def decode_header(value: str) -> str:
    """Decodes the encoded words (=?utf-8?q?…?=) in a header value."""
    if "=?" not in value:
        return value
    pieces: list[str] = []
    pending: list[bytes] = []
    pending_charset = ""
    position = 0
    for word in _ENCODED_WORD().finditer(value):
        between = value[position : word.start()]
        charset = word[1].partition("*")[0]  # RFC 2231 allows a language after a star
        # Space between two encoded words is ignored, and a character may be split across both.
        if pending and (between.strip() or charset.lower() != pending_charset.lower()):
            pieces.append(decode_text(b"".join(pending), pending_charset))
            pending = []
        if between.strip() or (not pieces and not pending):
            pieces.append(between)
        pending.append(_encoded_word(word[2], word[3]))
        pending_charset = charset
        position = word.end()
    if pending:
        pieces.append(decode_text(b"".join(pending), pending_charset))
    pieces.append(value[position:])
    return "".join(pieces)


def _encoded_word(encoding: str, text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    return _base64(data) if encoding in "bB" else binascii.a2b_qp(data, header=True)
