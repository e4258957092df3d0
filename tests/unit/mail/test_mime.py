"""MIME structure and decoding."""

from __future__ import annotations

import email

import pytest

from tests.unit.mail.mails import ORDINARY, attached, mail, multipart, part, with_body
from webordinary.mail import open_mail, parse
from webordinary.mail.mime.decoding import codec_name, decode_header, decode_text, decode_transfer
from webordinary.mail.mime.headers import read_parameters
from webordinary.mail.mime.structure import read_structure


@pytest.mark.parametrize("raw", ORDINARY.values(), ids=ORDINARY.keys())
def test_parts_match_the_standard_library(raw: bytes) -> None:
    expected = [
        leaf.get_payload(decode=True) for leaf in email.message_from_bytes(raw).walk() if not leaf.is_multipart()
    ]
    assert [part.content(raw) for part in read_structure(raw).parts] == expected


@pytest.mark.parametrize(
    ("header", "text"),
    [
        ("=?utf-8?q?Caf=C3=A9?=", "Café"),
        ("=?utf-8?b?w5ZmZm51bmdz?= =?utf-8?b?emVpdGVu?=", "Öffnungszeiten"),
        ("=?utf-8?q?a=C3?= =?utf-8?q?=A9?=", "aé"),
        ("Re: =?iso-8859-1?Q?Gr=FC=DFe?= an alle", "Re: Grüße an alle"),
        ("=?no-such-set?q?plain?=", "plain"),
        ("=?utf-8?b?broken", "=?utf-8?b?broken"),
    ],
)
def test_decode_header_reads_encoded_words(header: str, text: str) -> None:
    assert decode_header(header) == text


@pytest.mark.parametrize(
    ("data", "charset", "text"),
    [
        ("Größe".encode("latin-1"), "iso-8859-1", "Größe"),
        (b"\x93quoted\x94", "iso-8859-1", "\u201cquoted\u201d"),
        ("Größe".encode(), "us-ascii", "Größe"),
        ("Größe".encode("cp1252"), "utf-8", "Größe"),
        ("パン".encode("shift_jis"), "Shift_JIS", "パン"),
        ("面包".encode("gb2312"), "gb2312", "面包"),
        ("빵".encode("cp949"), "ks_c_5601-1987", "빵"),
        (b"plain", "no-such-charset", "plain"),
        (b"plain", "rot13", "plain"),
        (b"with\x00nul", "utf-8", "withnul"),
    ],
)
def test_decode_text_handles_declared_and_wrong_charsets(data: bytes, charset: str, text: str) -> None:
    assert decode_text(data, charset) == text


@pytest.mark.parametrize("charset", ["idna", "punycode", "unicode_escape", "zlib", "no\x00name", "../codecs"])
def test_codec_that_is_not_a_charset_is_rejected(charset: str) -> None:
    assert codec_name(charset) is None


def test_parts_nested_too_deep_are_reported_as_truncated() -> None:
    levels = "".join(f"Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n" for level in range(20))
    parsed = parse(b"From: anna@example.com\n" + levels.encode() + b"\nToo deep.")
    assert (parsed.text, parsed.truncated) == ("", ("parts",))


@pytest.mark.parametrize(
    ("data", "encoding", "content"),
    [
        (b"aGVs\r\nbG8=\r\n", "base64", b"hello"),
        (b"aGVsbG8", "base64", b"hello"),
        (b"aGV!sbG8=", "base64", b"hello"),
        (b"a=3Db=\r\nc", "quoted-printable", b"a=bc"),
        (b"begin 644 a\n%:&5L;&\\\n`\nend\n", "x-uuencode", b"hello"),
        (b"hello", "no-such-encoding", b"hello"),
    ],
)
def test_decode_transfer_handles_broken_encodings(data: bytes, encoding: str, content: bytes) -> None:
    assert decode_transfer(data, encoding) == content


def test_rfc2231_file_name_is_joined() -> None:
    value = "attachment; filename*0*=UTF-8''Br%C3%B6; filename*1*=tchen%20; filename*2=\"1.jpg\""
    assert read_parameters(value)["filename"] == "Brötchen 1.jpg"


def test_multipart_without_closing_boundary_is_read() -> None:
    line, body = multipart("mixed", part("text/plain", "First."), part("text/plain", "Second."))
    assert parse(with_body((line, body.removesuffix(b"--edge--\r\n")))).text == "First.\n\nSecond."


def test_multipart_without_its_boundary_is_read_as_text() -> None:
    assert parse(mail("Just words.", headers="Content-Type: multipart/mixed; boundary=gone\r\n")).text == "Just words."


def test_body_without_an_empty_line_above_is_found() -> None:
    assert parse(b"From: anna@example.com\nSubject: x\nPlease change it.\nThanks").text == "Please change it.\nThanks"


def test_mail_with_bare_carriage_returns_is_read() -> None:
    assert parse(b"From: anna@example.com\r\rPlease change it.").text == "Please change it."


def test_attachment_content_is_unchanged() -> None:
    content = bytes(range(256)) * 10
    raw = with_body(multipart("mixed", part("text/plain", "Here."), attached("image/png", content, "")))
    [info] = parse(raw).attachments
    assert open_mail(raw).content(info) == content


def test_attachment_size_is_the_decoded_size() -> None:
    raw = with_body(multipart("mixed", part("text/plain", "Here."), attached("image/png", b"x" * 12_345, "")))
    assert parse(raw).attachments[0].size == 12_345
