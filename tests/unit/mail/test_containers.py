"""Mails inside containers: winmail.dat, opaque S/MIME, enclosed mails, calendar entries, and encrypted mails."""

from __future__ import annotations

import base64
import random
import struct

import pytest

from tests.unit.mail.mails import PNG, attached, mail, multipart, part, with_body
from webordinary.mail import classify, parse
from webordinary.mail.containers.ber import Kind, open_cms
from webordinary.mail.containers.rtf import decompressed, rtf_to_text
from webordinary.mail.containers.tnef import open_tnef

SIGNED = bytes.fromhex("2a864886f70d010702")
ENVELOPED = bytes.fromhex("2a864886f70d010703")
DATA = bytes.fromhex("2a864886f70d010701")
INNER = b"Content-Type: text/plain; charset=utf-8\r\n\r\nPlease add soup.\r\n"


def attribute(level: int, name: int, value: bytes, kind: int = 6) -> bytes:
    return struct.pack("<BHHI", level, name, kind, len(value)) + value + struct.pack("<H", sum(value) % 65536)


def properties(*entries: tuple[int, int, bytes]) -> bytes:
    data = struct.pack("<I", len(entries))
    for number, kind, value in entries:
        data += struct.pack("<HH", kind, number)
        data += value if kind == 3 else struct.pack("<II", 1, len(value)) + value + b"\0" * (-len(value) % 4)
    return data


def tnef(*attributes: bytes) -> bytes:
    return b"\x78\x9f\x3e\x22\x01\x00" + b"".join(attributes)


def winmail(content: bytes, *others: bytes, name: str = "winmail.dat", kind: str = "application/ms-tnef") -> bytes:
    container = attached(kind, content, f"Content-Disposition: attachment; filename={name}\r\n")
    return with_body(multipart("mixed", *others, container))


FILE = (
    attribute(2, 0x9002, b"\0" * 14),
    attribute(2, 0x8010, b"SHOP~1.PNG\0"),
    attribute(2, 0x800F, PNG),
    attribute(2, 0x9005, properties((0x3707, 0x1F, "Läden.png\0".encode("utf-16-le")), (0x3712, 0x1E, b"shop@x\0"))),
)
CODE_PAGE = attribute(1, 0x9007, struct.pack("<II", 1252, 0))


@pytest.mark.parametrize("name", ["winmail.dat", "WINMAIL.DAT"])
@pytest.mark.parametrize("kind", ["application/ms-tnef", "application/vnd.ms-tnef", "application/octet-stream"])
def test_files_in_winmail_dat_are_attachments(name: str, kind: str) -> None:
    raw = winmail(tnef(CODE_PAGE, *FILE), part("text/plain", "Please use this."), name=name, kind=kind)
    parsed = parse(raw)
    assert parsed.text == "Please use this."
    assert [(item.name, item.content_type, item.size) for item in parsed.attachments] == [
        ("Läden.png", "image/png", len(PNG))
    ]


def test_content_of_a_file_in_winmail_dat_is_read() -> None:
    from webordinary.mail import open_mail

    opened = open_mail(winmail(tnef(*FILE), part("text/plain", "Please use this.")))
    assert opened.content(opened.read().attachments[0]) == PNG


@pytest.mark.parametrize(
    "body",
    [
        attribute(1, 0x800C, "Bitte Öl streichen.\0".encode("cp1252")),
        attribute(1, 0x9003, properties((0x1000, 0x1F, "Bitte Öl streichen.\0".encode("utf-16-le")))),
        attribute(1, 0x9003, properties((0x1000, 0x1E, "Bitte Öl streichen.\0".encode("cp1252")))),
        attribute(
            1,
            0x9003,
            properties((0x3FDE, 3, struct.pack("<I", 65001)), (0x1013, 0x102, "Bitte Öl streichen.".encode())),
        ),
        attribute(
            1,
            0x9003,
            properties((0x1009, 0x102, b"\0" * 8 + b"MELA\0\0\0\0{\\rtf1\\ansicpg1252 Bitte \\'d6l streichen.}")),
        ),
    ],
    ids=["legacy", "Unicode", "code page", "HTML", "rich text"],
)
def test_text_of_a_mail_with_only_winmail_dat_is_read(body: bytes) -> None:
    assert parse(winmail(tnef(CODE_PAGE, body))).request.instruction == "Bitte Öl streichen."


def test_picture_in_the_html_of_winmail_dat_has_its_place() -> None:
    html = attribute(1, 0x9003, properties((0x1013, 0x102, b'Here: <img src="cid:shop@x">')))
    parsed = parse(winmail(tnef(CODE_PAGE, html, *FILE)))
    assert parsed.text == "Here: [picture: Läden.png]"


@pytest.mark.parametrize("content", [b"", b"\x78\x9f\x3e\x22", b"no winmail at all", tnef(*FILE)[:90]])
def test_damaged_winmail_dat_does_no_harm(content: bytes) -> None:
    assert parse(winmail(content, part("text/plain", "Please add soup."))).text == "Please add soup."


def test_mutated_containers_never_fail() -> None:
    rng = random.Random(7)  # noqa: S311 - the same bytes on every run
    seeds = [tnef(CODE_PAGE, *FILE, attribute(1, 0x9003, properties((0x1009, 0x102, RTF)))), cms(INNER)]
    for number in range(3_000):
        data = bytearray(seeds[number % 2])
        for _ in range(rng.randint(1, 6)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        del data[rng.randrange(len(data)) :: rng.choice((1, 10**9))]
        open_tnef(bytes(data))
        open_cms(bytes(data))
        rtf_to_text(decompressed(bytes(data[-60:])))


RTF = bytes.fromhex(  # the example of MS-OXRTFCP
    "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0"
)


def test_compressed_rich_text_is_read() -> None:
    assert decompressed(RTF) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    assert rtf_to_text(decompressed(RTF)) == "hello world"


@pytest.mark.parametrize(
    ("rtf", "text"),
    [
        (b"{\\rtf1{\\fonttbl{\\f0 Arial;}}One\\par Two\\tab x\\'e4\\u8364?}", "One\nTwo\tx\u00e4\u20ac"),
        (
            b"{\\rtf1{\\*\\generator Word;}{\\*\\htmltag64 <p>}\\htmlrtf {\\htmlrtf0 One\\htmlrtf\\par}\\htmlrtf0}",
            "One",
        ),
        (b"{\\rtf1 \\u-10179?\\u-8704? a\\{b\\}}", "\U0001f600 a{b}"),
        (b"no rtf", "no rtf"),
        (b"{{{{", ""),
    ],
)
def test_rich_text_becomes_text(rtf: bytes, text: str) -> None:
    assert rtf_to_text(rtf) == text


def der(tag: int, content: bytes, *, indefinite: bool = False) -> bytes:
    if indefinite:
        return bytes([tag, 0x80]) + content + b"\0\0"
    if len(content) < 128:
        return bytes([tag, len(content)]) + content
    length = len(content).to_bytes(4, "big")
    return bytes([tag, 0x84]) + length + content


def cms(content: bytes, kind: bytes = SIGNED, *, streamed: bool = False) -> bytes:
    if streamed:
        pieces = b"".join(der(4, content[at : at + 20]) for at in range(0, len(content), 20))
        octets = der(0x24, pieces, indefinite=True)
    else:
        octets = der(4, content)
    wrapped = der(0x30, der(6, DATA) + der(0xA0, octets, indefinite=streamed), indefinite=streamed)
    signed = der(0x30, der(2, b"\1") + der(0x31, b"") + wrapped + der(0x31, b""), indefinite=streamed)
    return der(0x30, der(6, kind) + der(0xA0, signed, indefinite=streamed), indefinite=streamed)


def smime(content: bytes, kind: str = "signed-data") -> bytes:
    head = f'application/pkcs7-mime; smime-type={kind}; name="smime.p7m"'
    container = attached(head, content, "Content-Disposition: attachment; filename=smime.p7m\r\n")
    return mail("", headers=container.decode().partition("\r\n\r\n")[0] + "\r\n") + container.partition(b"\r\n\r\n")[2]


@pytest.mark.parametrize("streamed", [False, True])
def test_opaque_signed_mail_is_read(streamed: bool) -> None:
    line, body = multipart(
        "mixed", INNER, attached("image/png", PNG, "Content-Disposition: attachment; filename=a.png\r\n")
    )
    parsed = parse(smime(cms(line.encode() + b"\r\n" + body, streamed=streamed)))
    assert (parsed.request.instruction, parsed.encrypted) == ("Please add soup.", False)
    assert [item.name for item in parsed.attachments] == ["a.png"]


def test_signed_mail_inside_a_signed_mail_is_read() -> None:
    inner = smime(cms(INNER)).partition(b"Content-Type: application")
    assert parse(smime(cms(inner[1] + inner[2]))).text == "Please add soup."


@pytest.mark.parametrize(
    "raw",
    [
        smime(cms(b"x", ENVELOPED), "enveloped-data"),
        smime(b"unreadable", "enveloped-data"),
        with_body(
            multipart(
                'encrypted; protocol="application/pgp-encrypted"',
                part("application/pgp-encrypted", "Version: 1\r\n"),
                part("application/octet-stream; name=encrypted.asc", "-----BEGIN PGP MESSAGE-----\n\nhQ\n"),
            )
        ),
        mail("-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n"),
    ],
    ids=["S/MIME", "S/MIME, unreadable", "PGP/MIME", "PGP inline"],
)
def test_encrypted_mail_is_recognised(raw: bytes) -> None:
    assert parse(raw).encrypted


@pytest.mark.parametrize(
    "html",
    [
        "<pre>-----BEGIN PGP MESSAGE-----\n\nhQ\n</pre>",
        "<div>-----BEGIN PGP MESSAGE-----<br><br>hQ<br></div>",
        "<style>p {margin: 0}</style><p>-----BEGIN&nbsp;PGP MESSAGE-----</p><p>hQ</p>",
    ],
)
@pytest.mark.parametrize("coded", [False, True])
def test_encrypted_text_in_html_is_recognised(html: str, *, coded: bool) -> None:
    headers = "Content-Type: text/html\r\n" + ("Content-Transfer-Encoding: base64\r\n" if coded else "")
    parsed = parse(mail(base64.encodebytes(html.encode()).decode() if coded else html, headers=headers))

    assert (parsed.encrypted, parsed.is_unreadable) == (True, True)


def test_talk_about_encryption_is_not_encrypted() -> None:
    assert not parse(mail("Write -----BEGIN PGP MESSAGE----- on the page.")).encrypted


def test_kinds_of_cms_are_told_apart() -> None:
    assert open_cms(cms(b"x")) == (Kind.SIGNED, b"x")
    assert open_cms(cms(b"x", ENVELOPED)) == (Kind.ENCRYPTED, b"")
    assert open_cms(b"\x30\x80") == (Kind.UNKNOWN, b"")


def enclosed(*parts: bytes, subject: str = "Photos") -> bytes:
    line, body = multipart("mixed", *parts, boundary=f"inner{len(b''.join(parts))}")
    head = f"From: Carl <carl@example.net>\r\nSubject: {subject}\r\nMIME-Version: 1.0\r\n{line}\r\n"
    return part("message/rfc822", head.encode() + body)


def test_files_of_enclosed_mails_are_brought_along() -> None:
    picture = attached("image/png", PNG, "Content-Disposition: attachment; filename=fair.png\r\n")
    raw = with_body(
        multipart(
            "mixed",
            part("text/plain", "Put both online."),
            enclosed(part("text/plain", "The fair is on.\n\nKind regards\nCarl"), picture),
            enclosed(part("text/plain", "And a market."), picture),
        )
    )
    parsed = parse(raw)
    assert parsed.forwarded_text == "The fair is on.\n\nKind regards\nCarl\n\nAnd a market."
    assert [item.name for item in parsed.attachments if item.name] == ["fair.png", "fair.png"]


def test_mail_in_an_enclosed_mail_is_forwarded_too() -> None:
    inner = enclosed(part("text/plain", "Is it on?"), enclosed(part("text/plain", "It is on 5 July.")))
    parsed = parse(with_body(multipart("mixed", part("text/plain", "Put the date online."), inner, boundary="outer")))
    assert parsed.forwarded_text == "Is it on?\n\nIt is on 5 July."


def test_picture_in_an_enclosed_mail_is_told_where_it_stands() -> None:
    html = part("text/html", 'Look: <img src="cid:1">')
    shown = attached("image/png", PNG, "Content-ID: <1>\r\nContent-Disposition: inline; filename=fair.png\r\n")
    parsed = parse(with_body(multipart("mixed", part("text/plain", "Put it online."), enclosed(html, shown))))
    assert parsed.forwarded_text == "Look: [picture: fair.png]"


def test_enclosed_bounce_keeps_its_kind() -> None:
    raw = with_body(multipart("mixed", part("text/plain", "See attached."), enclosed(part("text/plain", "Hi"))))
    assert classify(raw) == "normal"


EVENT = (
    "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART;TZID=Europe/Vienna:20250301T180000\r\nDTEND:20250301T200000Z\r\n"
    "SUMMARY:Tasting\\, with wine\r\nLOCATION:The hall\r\nDESCRIPTION:Please put this on the\r\n  news page.\\nThanks"
    "\r\n"
    "BEGIN:VALARM\r\nDESCRIPTION:Reminder\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)


def test_calendar_entry_alone_is_the_text() -> None:
    parsed = parse(with_body(multipart("mixed", part("text/calendar; method=REQUEST", EVENT))))
    assert parsed.request.instruction == (
        "Tasting, with wine\n2025-03-01 18:00 Europe/Vienna \u2013 2025-03-01 20:00 UTC\nThe hall\n"
        "Please put this on the news page.\nThanks"
    )


def test_calendar_entry_beside_a_text_is_an_attachment() -> None:
    raw = with_body(multipart("mixed", part("text/plain", "Add the event."), part("text/calendar; name=a.ics", EVENT)))
    parsed = parse(raw)
    assert (parsed.text, [item.name for item in parsed.attachments]) == ("Add the event.", ["a.ics"])
