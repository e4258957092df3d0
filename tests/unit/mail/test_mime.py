"""Taking a mail apart and decoding its parts."""

from __future__ import annotations

import email

import pytest

from tests.unit.mail.mails import ORDINARY, attached, mail, multipart, part, with_body
from webordinary.mail import open_mail, parse
from webordinary.mail.mime.decoding import codec_name, decode_header, decode_text, decode_transfer
from webordinary.mail.mime.headers import read_parameters
from webordinary.mail.mime.structure import read_structure


@pytest.mark.parametrize("raw", ORDINARY.values(), ids=ORDINARY.keys())
def test_parts_have_the_content_that_the_standard_library_finds(raw: bytes) -> None:
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
def test_encoded_words_are_read(header: str, text: str) -> None:
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
def test_text_is_decoded_in_whatever_it_was_written(data: bytes, charset: str, text: str) -> None:
    assert decode_text(data, charset) == text


@pytest.mark.parametrize("charset", ["idna", "punycode", "unicode_escape", "zlib", "no\x00name", "../codecs"])
def test_a_codec_that_is_no_character_set_is_not_used(charset: str) -> None:
    assert codec_name(charset) is None


def test_parts_nested_too_deep_are_left_out_and_the_mail_says_so() -> None:
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
def test_transfer_encodings_are_undone_even_when_broken(data: bytes, encoding: str, content: bytes) -> None:
    assert decode_transfer(data, encoding) == content


def test_a_name_in_percent_pieces_is_put_together() -> None:
    value = "attachment; filename*0*=UTF-8''Br%C3%B6; filename*1*=tchen%20; filename*2=\"1.jpg\""
    assert read_parameters(value)["filename"] == "Brötchen 1.jpg"


def test_a_multipart_without_its_closing_line_is_still_read() -> None:
    line, body = multipart("mixed", part("text/plain", "First."), part("text/plain", "Second."))
    assert parse(with_body((line, body.removesuffix(b"--edge--\r\n")))).text == "First.\n\nSecond."


def test_a_multipart_whose_boundary_never_comes_is_read_as_text() -> None:
    assert parse(mail("Just words.", headers="Content-Type: multipart/mixed; boundary=gone\r\n")).text == "Just words."


def test_a_body_without_the_empty_line_above_it_is_found() -> None:
    assert parse(b"From: anna@example.com\nSubject: x\nPlease change it.\nThanks").text == "Please change it.\nThanks"


def test_old_mail_with_carriage_returns_alone_is_read() -> None:
    assert parse(b"From: anna@example.com\r\rPlease change it.").text == "Please change it."


def test_the_bytes_of_an_attachment_come_back_as_they_were() -> None:
    content = bytes(range(256)) * 10
    raw = with_body(multipart("mixed", part("text/plain", "Here."), attached("image/png", content, "")))
    [info] = parse(raw).attachments
    assert open_mail(raw).content(info) == content


def test_the_size_of_an_attachment_is_known_without_decoding_it() -> None:
    raw = with_body(multipart("mixed", part("text/plain", "Here."), attached("image/png", b"x" * 12_345, "")))
    assert parse(raw).attachments[0].size == 12_345
