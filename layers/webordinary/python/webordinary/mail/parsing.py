"""Puts it all together: raw bytes in, a `ParsedMail` out. No input makes it raise, and none makes it slow."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from webordinary.mail.authentication import authenticate
from webordinary.mail.classification import kind_of
from webordinary.mail.commands.finder import about_material, find_command
from webordinary.mail.file_names import safe_name
from webordinary.mail.history.body import LONGEST_HTML, Body
from webordinary.mail.lines.context import context_maker, names_of
from webordinary.mail.mime.addresses import Mailbox, addresses_in
from webordinary.mail.mime.containers import Headers, Part, Structure, normalised, take_apart
from webordinary.mail.mime.decoding import clean, decode_header
from webordinary.mail.mime.subjects import plain_subject
from webordinary.mail.models import Address, AttachmentInfo, ParsedMail

if TYPE_CHECKING:
    from webordinary.mail.history.known_text import KnownText

LONGEST_SUBJECT = 500
MOST_REFERENCES = 100

# Parts that belong to the mail itself and not to what the person sends.
_MACHINERY = frozenset(
    (
        "application/pgp-signature",
        "application/pkcs7-signature",
        "application/x-pkcs7-signature",
        "application/pgp-encrypted",
        "text/x-amp-html",
        "text/watch-html",
        "message/delivery-status",
    )
)
_MONTHS = {
    name: number
    for number, name in enumerate(
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"), start=1
    )
}
_USUAL_DATE = re.compile(
    r"(?:[A-Z][a-z]{2}, )?([0-3]?[0-9]) ([A-Z][a-z]{2}) ([12][0-9]{3}) ([0-2][0-9]):([0-5][0-9])(?::([0-5][0-9]))?"
    r" ([+-])([01][0-9])([0-5][0-9])(?: \(|$)"
)
_MESSAGE_ID = re.compile(r"<[^<>\s]{1,500}>")


class OpenedMail(NamedTuple):
    """A mail that was taken apart. Its text can be read again when more is known; its attachments are at hand."""

    raw: bytes
    structure: Structure
    mail_domain: str = ""

    def read(self, known: KnownText | None = None) -> ParsedMail:
        """`known` has the fingerprints of the conversation that the mail continues."""
        return _parsed(self.raw, self.structure, known, self.mail_domain)

    def html(self) -> str:
        """The source of the mail's HTML, where it has any."""
        part = next((part for part in self.structure.parts if part.content_type == "text/html"), None)
        return part.text(self.raw, LONGEST_HTML)[0] if part is not None else ""

    def content(self, attachment: AttachmentInfo) -> bytes:
        """The decoded content of one of the mail's attachments."""
        return self.structure.parts[attachment.index].content(self.raw)


class _Envelope(NamedTuple):
    """What several readers ask the headers for, read once."""

    subject: str
    sender: Mailbox | None
    in_reply_to: tuple[str, ...]
    references: tuple[str, ...]
    recipients: tuple[str, ...]


def open_mail(raw: bytes, *, mail_domain: str = "") -> OpenedMail:
    """Takes apart a mail as SES stored it.

    `mail_domain` is where our own addresses are; without it, every address that the mail went to is taken for ours.
    """
    raw = normalised(raw)
    return OpenedMail(raw, take_apart(raw), mail_domain)


def parse(raw: bytes, *, known: KnownText | None = None, mail_domain: str = "") -> ParsedMail:
    """Reads a mail as SES stored it, in one go."""
    return open_mail(raw, mail_domain=mail_domain).read(known)


def _parsed(raw: bytes, structure: Structure, known: KnownText | None, mail_domain: str) -> ParsedMail:
    headers = structure.headers
    envelope = _envelope(headers)
    subject = envelope.subject
    sender = _addresses(headers, "from")
    body = _body(raw, structure, envelope, known, mail_domain)
    attachments = _attachments(raw, structure, body)
    forwarded = body.forwarded if body.forwarded != body.visible else ""
    request = find_command(body.visible, subject, body.context.names)
    if forwarded or "attachment" in [attachment.disposition for attachment in attachments]:
        request = about_material(request, body.visible)
    return ParsedMail(
        message_id=next(iter(_message_ids(headers.get("message-id"))), ""),
        in_reply_to=envelope.in_reply_to,
        references=envelope.references,
        subject=subject,
        sender=sender[0] if sender else None,
        reply_to=_addresses(headers, "reply-to"),
        to=_addresses(headers, "to"),
        cc=_addresses(headers, "cc"),
        recipients=envelope.recipients,
        date=_date(headers.get("date")),
        text=body.visible,
        full_text=body.full,
        subject_request=plain_subject(subject) if body.visible else "",
        forwarded_text=forwarded,
        history_text=body.history,
        turn=body.context.turn,
        from_html=body.from_html,
        kind=kind_of(structure, raw),
        authentication=authenticate(headers),
        request=request,
        attachments=attachments,
        truncated=tuple(sorted(structure.cut)),
    )


def body_of(raw: bytes, structure: Structure, known: KnownText | None = None, mail_domain: str = "") -> Body:
    """The text of a mail, read with what its headers tell about it."""
    return _body(raw, structure, _envelope(structure.headers), known, mail_domain)


def _envelope(headers: Headers) -> _Envelope:
    return _Envelope(
        _line(headers.get("subject")),
        next(iter(addresses_in(headers.get("from"))), None),
        _message_ids(headers.get("in-reply-to")),
        _message_ids(headers.get("references")),
        _recipients(headers),
    )


def _body(raw: bytes, structure: Structure, envelope: _Envelope, known: KnownText | None, mail_domain: str) -> Body:
    sender = envelope.sender
    context = context_maker(
        envelope.subject,
        answers=bool(envelope.in_reply_to or envelope.references),
        names=names_of(sender.name, sender.address) if sender else frozenset(),
        recipients=[address for address in envelope.recipients if address.lower().endswith(mail_domain)],
    )
    return Body(raw, structure, context, known)


def _attachments(raw: bytes, structure: Structure, body: Body) -> tuple[AttachmentInfo, ...]:
    numbers = [
        number
        for number, part in enumerate(structure.parts)
        if number not in body.shown and part.content_type not in _MACHINERY
    ]
    if not numbers:
        return ()
    shown, written = body.pictures()
    return tuple(_attachment(raw, number, structure.parts[number], shown, written) for number in numbers)


def _attachment(raw: bytes, index: int, part: Part, shown: frozenset[str], written: frozenset[str]) -> AttachmentInfo:
    content_id = _line(part.headers.get("content-id")).strip("<> ") or None
    name = _line(part.file_name)
    return AttachmentInfo(
        index=index,
        name=name,
        safe_name=safe_name(name or _name_for(part)),
        content_type=part.content_type[:100],
        size=part.size(raw),
        content_id=content_id,
        disposition=part.disposition[:40],
        inline=content_id in shown or (part.disposition == "inline" and content_id is not None),
        decoration=content_id in shown and content_id not in written,
    )


def _name_for(part: Part) -> str:
    kind = part.content_type.partition("/")[2].partition("+")[0]
    return "message.eml" if part.content_type == "message/rfc822" else f"attachment.{kind}"


def _line(value: str) -> str:
    return " ".join(clean(decode_header(value[: LONGEST_SUBJECT * 8])).split())[:LONGEST_SUBJECT]


def _message_ids(value: str) -> tuple[str, ...]:
    return tuple(_MESSAGE_ID.findall(value)[-MOST_REFERENCES:])


def _addresses(headers: Headers, name: str) -> tuple[Address, ...]:
    if name not in headers:
        return ()
    return tuple(
        [
            Address(name=mailbox.name[:200], address=clean(mailbox.address))
            for value in headers.all(name)[:10]
            for mailbox in addresses_in(value)
        ]
    )


def _recipients(headers: Headers) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for name in ("to", "cc", "delivered-to", "x-original-to"):
        if name in headers:
            for value in headers.all(name)[:10]:
                found.update([(mailbox.address, None) for mailbox in addresses_in(value)])
    return tuple(map(clean, found))


def _date(value: str) -> datetime | None:
    usual = _USUAL_DATE.match(value)
    if usual is not None and usual[2] in _MONTHS:
        return _usual_date(usual)
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(value[:100])
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


@lru_cache(maxsize=64)
def _zone(sign: str, hours: int, minutes: int) -> timezone:
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if sign == "-" else offset) if offset else UTC


def _usual_date(parts: re.Match[str]) -> datetime | None:
    """ "Mon, 3 Mar 2025 10:00:00 +0100", which nearly every program writes."""
    try:
        day, month, year, hour, minute, second, sign, hours, minutes = parts.groups("0")
        zone = _zone(sign, int(hours), int(minutes))
        return datetime(int(year), _MONTHS[month], int(day), int(hour), int(minute), int(second), tzinfo=zone)
    except ValueError:
        return None
