"""Parses a raw mail into a `ParsedMail`, in linear time. No input makes it raise."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from webordinary.mail.authentication import authenticate
from webordinary.mail.classification import classify_structure
from webordinary.mail.commands.finder import as_edit_of_others, as_edit_with_material, find_command
from webordinary.mail.containers.opening import open_containers
from webordinary.mail.context import Turn, context_factory, sender_names
from webordinary.mail.file_names import safe_name
from webordinary.mail.history.body import LONGEST_HTML, Body
from webordinary.mail.mime.addresses import ParsedAddress, parse_addresses
from webordinary.mail.mime.decoding import clean, decode_header
from webordinary.mail.mime.headers import Headers
from webordinary.mail.mime.structure import MailStructure, MimePart, normalise_newlines, read_structure
from webordinary.mail.mime.subjects import plain_subject
from webordinary.mail.models import PGP_MESSAGE, Address, AttachmentInfo, ParsedMail

if TYPE_CHECKING:
    from webordinary.mail.history.known_text import KnownText

LONGEST_SUBJECT = 500
MOST_REFERENCES = 100

# Parts that mail programs add. They are not attachments of the person.
_TECHNICAL_TYPES = frozenset(
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
_COMMON_DATE = re.compile(
    r"(?:[A-Z][a-z]{2}, )?([0-3]?[0-9]) ([A-Z][a-z]{2}) ([12][0-9]{3}) ([0-2][0-9]):([0-5][0-9])(?::([0-5][0-9]))?"
    r" ([+-])([01][0-9])([0-5][0-9])(?: \(|$)"
)
_MESSAGE_ID = re.compile(r"<[^<>\s]{1,500}>")


class OpenedMail(NamedTuple):
    """A raw mail split into parts. `read` may be called again once the earlier mails of its thread are known."""

    raw: bytes
    structure: MailStructure  # with its containers opened
    closed: MailStructure  # as sent
    mail_domain: str = ""

    def read(self, known: KnownText | None = None) -> ParsedMail:
        """Parses the mail. `known` has the fingerprints of the thread that the mail continues."""
        return _parse(self, known)

    def versions(self, known: KnownText | None = None) -> list[str]:
        """What the person wrote, by each of plain text and HTML."""
        return body_of(self.raw, self.structure, known, self.mail_domain).versions()

    def html(self) -> str:
        """The source of the first HTML part, or an empty string."""
        part = next((part for part in self.structure.parts if part.content_type == "text/html"), None)
        return part.text(self.raw, LONGEST_HTML)[0] if part is not None else ""

    def content(self, attachment: AttachmentInfo) -> bytes:
        """The decoded content of an attachment."""
        return self.structure.parts[attachment.index].content(self.raw)


class _HeaderFields(NamedTuple):
    """Header values that are needed more than once."""

    subject: str
    sender: ParsedAddress | None
    in_reply_to: tuple[str, ...]
    references: tuple[str, ...]
    recipients: tuple[str, ...]


def open_mail(raw: bytes, *, mail_domain: str = "") -> OpenedMail:
    """Splits a mail, as stored by SES, into parts.

    `mail_domain` is the domain of our own addresses; without it, every recipient counts as our address.
    """
    raw = normalise_newlines(raw)
    closed = read_structure(raw)
    return OpenedMail(raw, open_containers(raw, closed), closed, mail_domain)


def parse(raw: bytes, *, known: KnownText | None = None, mail_domain: str = "") -> ParsedMail:
    """Parses a mail as stored by SES."""
    return open_mail(raw, mail_domain=mail_domain).read(known)


def _parse(mail: OpenedMail, known: KnownText | None) -> ParsedMail:
    raw, structure, headers = mail.raw, mail.structure, mail.structure.headers
    fields = _header_fields(headers)
    subject = fields.subject
    sender = _addresses(headers, "from")
    body = _body(raw, structure, fields, known, mail.mail_domain)
    attachments = _attachments(raw, structure, body)
    forwarded = body.forwarded if body.forwarded != body.visible else ""
    begins_conversation = known is None and body.context.turn is Turn.FRESH
    request = find_command(body.spoken, subject, body.context.names, from_subject=begins_conversation)
    if body.is_forward:
        request = as_edit_of_others(request, body.spoken)
    elif forwarded or "attachment" in [attachment.disposition for attachment in attachments]:
        request = as_edit_with_material(request, body.spoken)
    if body.visible != body.spoken and request.instruction == body.spoken.strip():
        request = request.model_copy(update={"instruction": body.visible})
    return ParsedMail(
        message_id=next(iter(_message_ids(headers.get("message-id"))), ""),
        in_reply_to=fields.in_reply_to,
        references=fields.references,
        subject=subject,
        sender=sender[0] if sender else None,
        reply_to=_addresses(headers, "reply-to"),
        to=_addresses(headers, "to"),
        cc=_addresses(headers, "cc"),
        recipients=fields.recipients,
        date=_date(headers.get("date")),
        text=body.visible,
        full_text=body.full,
        subject_request=plain_subject(subject) if body.visible or not request.instruction else "",
        forwarded_text=forwarded,
        is_forward=body.is_forward,
        history_text=body.history,
        removed_text=body.removed,
        turn=body.context.turn,
        from_html=body.from_html,
        kind=classify_structure(mail.closed, raw).kind,
        authentication=authenticate(headers),
        request=request,
        attachments=attachments,
        encrypted=structure.is_encrypted or body.visible.startswith(PGP_MESSAGE),
        truncated=tuple(sorted(structure.truncated)),
    )


def body_of(raw: bytes, structure: MailStructure, known: KnownText | None = None, mail_domain: str = "") -> Body:
    """The text of a mail, chosen with the context of its headers."""
    return _body(raw, structure, _header_fields(structure.headers), known, mail_domain)


def _header_fields(headers: Headers) -> _HeaderFields:
    return _HeaderFields(
        _decode_line(headers.get("subject")),
        next(iter(parse_addresses(headers.get("from"))), None),
        _message_ids(headers.get("in-reply-to")),
        _message_ids(headers.get("references")),
        _recipients(headers),
    )


def _body(
    raw: bytes, structure: MailStructure, fields: _HeaderFields, known: KnownText | None, mail_domain: str
) -> Body:
    sender = fields.sender
    context = context_factory(
        fields.subject,
        is_reply=bool(fields.in_reply_to or fields.references),
        names=sender_names(sender.name, sender.address) if sender else frozenset(),
        recipients=[address for address in fields.recipients if address.lower().endswith(mail_domain)],
        sender_address=sender.address if sender else "",
    )
    return Body(raw, structure, context, known)


def _attachments(raw: bytes, structure: MailStructure, body: Body) -> tuple[AttachmentInfo, ...]:
    numbers = [
        number
        for number, part in enumerate(structure.parts)
        if number not in body.text_parts and part.content_type not in _TECHNICAL_TYPES
    ]
    if not numbers:
        return ()
    shown, written = body.images()
    placed = body.placed_parts()
    return tuple(
        _attachment(
            raw,
            number,
            structure.parts[number],
            shown,
            written,
            body.names.name_of(number) if number in placed else "",
        )
        for number in numbers
    )


def _attachment(
    raw: bytes, index: int, part: MimePart, shown: frozenset[str], written: frozenset[str], shown_as: str
) -> AttachmentInfo:
    content_id = _decode_line(part.headers.get("content-id")).strip("<> ") or None
    name = _decode_line(part.file_name)
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
        shown_as=shown_as,
    )


def _name_for(part: MimePart) -> str:
    kind = part.content_type.partition("/")[2].partition("+")[0]
    return "message.eml" if part.content_type == "message/rfc822" else f"attachment.{kind}"


def _decode_line(value: str) -> str:
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
            for mailbox in parse_addresses(value)
        ]
    )


def _recipients(headers: Headers) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for name in ("to", "cc", "delivered-to", "x-original-to"):
        if name in headers:
            for value in headers.all(name)[:10]:
                found.update([(mailbox.address, None) for mailbox in parse_addresses(value)])
    return tuple(map(clean, found))


def _date(value: str) -> datetime | None:
    common = _COMMON_DATE.match(value)
    if common is not None and common[2] in _MONTHS:
        return _common_date(common)
    from email.utils import parsedate_to_datetime

    try:
        date = parsedate_to_datetime(value[:100])
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return date if date.tzinfo is not None else date.replace(tzinfo=UTC)


@lru_cache(maxsize=64)
def _zone(sign: str, hours: int, minutes: int) -> timezone:
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if sign == "-" else offset) if offset else UTC


def _common_date(parts: re.Match[str]) -> datetime | None:
    """The format of nearly every mail program: "Mon, 3 Mar 2025 10:00:00 +0100"."""
    try:
        day, month, year, hour, minute, second, sign, hours, minutes = parts.groups("0")
        zone = _zone(sign, int(hours), int(minutes))
        return datetime(int(year), _MONTHS[month], int(day), int(hour), int(minute), int(second), tzinfo=zone)
    except ValueError:
        return None
