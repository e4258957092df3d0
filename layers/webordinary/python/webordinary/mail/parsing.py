"""Puts it all together: raw bytes in, a `ParsedMail` out. No input makes it raise, and none makes it slow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from webordinary.mail.addresses import mailboxes
from webordinary.mail.authentication import authenticate
from webordinary.mail.classification import kind_of
from webordinary.mail.commands import find_command
from webordinary.mail.decoding import clean, decode_header
from webordinary.mail.file_names import safe_name
from webordinary.mail.markup import html_to_text, html_to_texts, pictures_in
from webordinary.mail.mime import Headers, Part, Structure, normalised, take_apart
from webordinary.mail.models import Address, AttachmentInfo, ParsedMail
from webordinary.mail.quoting import Reading, visible_reply

LONGEST_TEXT = 100_000
LONGEST_HTML = 250_000
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
_MESSAGE_ID = re.compile(r"<[^<>\s]{1,500}>")


@dataclass(frozen=True)
class OpenedMail:
    """A mail that was taken apart, with its attachments at hand."""

    parsed: ParsedMail
    _raw: bytes
    _structure: Structure

    def content(self, attachment: AttachmentInfo) -> bytes:
        """The decoded content of one of the mail's attachments."""
        return self._structure.parts[attachment.index].content(self._raw)


def open_mail(raw: bytes) -> OpenedMail:
    """Takes apart a mail as SES stored it."""
    raw = normalised(raw)
    structure = take_apart(raw)
    return OpenedMail(_parsed(raw, structure), raw, structure)


def parse(raw: bytes) -> ParsedMail:
    """Reads a mail as SES stored it."""
    return open_mail(raw).parsed


def _parsed(raw: bytes, structure: Structure) -> ParsedMail:
    headers = structure.headers
    body = _Body(raw, structure)
    subject = _line(headers.get("subject"))
    sender = _addresses(headers, "from")
    return ParsedMail(
        message_id=next(iter(_message_ids(headers.get("message-id"))), ""),
        in_reply_to=_message_ids(headers.get("in-reply-to")),
        references=_message_ids(headers.get("references")),
        subject=subject,
        sender=sender[0] if sender else None,
        reply_to=_addresses(headers, "reply-to"),
        to=_addresses(headers, "to"),
        cc=_addresses(headers, "cc"),
        recipients=_recipients(headers),
        date=_date(headers.get("date")),
        text=body.visible,
        full_text=body.full,
        forwarded_text=body.forwarded if body.forwarded != body.visible else "",
        from_html=body.from_html,
        kind=kind_of(headers),
        authentication=authenticate(headers),
        request=find_command(body.visible, subject),
        attachments=_attachments(raw, structure, body),
        truncated=tuple(sorted(structure.cut)),
    )


def attachment_bytes(raw: bytes, index: int) -> bytes:
    """The decoded content of the attachment with that `AttachmentInfo.index`."""
    raw = normalised(raw)
    return take_apart(raw).parts[index].content(raw)


class _Body:
    """The text of a mail, chosen from its parts: plain where there is any, HTML where there is not."""

    def __init__(self, raw: bytes, structure: Structure) -> None:
        self._raw = raw
        self._structure = structure
        self._left = LONGEST_TEXT
        self.from_html = False
        self.shown: set[int] = set()  # indexes of the parts that are text, not attachments
        texts = [number for number, part in enumerate(structure.parts) if _is_text(part, first=number == 0)]
        plain = "\n\n".join(self._plain(texts))
        self.full = plain.strip("\r\n")
        reading = Reading(self.full)
        self.visible = reading.visible_reply()
        self.forwarded = reading.forwarded_part()
        if not self.visible:
            self._use_html(texts)
        if not self.full:
            self._use_enclosed()

    def _plain(self, texts: Sequence[int]) -> Iterator[str]:
        for number in texts:
            part = self._structure.parts[number]
            self.shown.add(number)
            if part.content_type == "text/html":
                if part.alternative is None and any(
                    self._structure.parts[other].content_type == "text/plain" for other in texts
                ):
                    yield html_to_text(self._read(part, LONGEST_HTML))
            elif self._left > 0:
                text = self._read(part, self._left)
                self._left -= len(text)
                if text.strip():
                    yield text
            else:
                self._structure.cut.add("text")

    def _read(self, part: Part, limit: int) -> str:
        text, cut = part.text(self._raw, limit)
        if cut:
            self._structure.cut.add("text")
        return text

    def _use_html(self, texts: Sequence[int]) -> None:
        parts = [
            self._structure.parts[number]
            for number in texts
            if self._structure.parts[number].content_type == "text/html"
        ]
        if not parts:
            return
        html = "\n<br>\n".join(self._read(part, LONGEST_HTML // len(parts[:20])) for part in parts[:20])
        whole, unmarked = (text[:LONGEST_TEXT] for text in html_to_texts(html))
        new = visible_reply(unmarked)
        reading = Reading(whole)
        # Programs put answers that are between quotes inside the node that they mark as history.
        visible = reading.visible_reply() if not new or reading.has_answers_between() else new
        if visible or not self.full:
            self.full, self.visible, self.from_html = whole, visible, True
            self.forwarded = reading.forwarded_part()

    def _use_enclosed(self) -> None:
        """A forward as attachment without a word of its own: the enclosed mail is the content."""
        enclosed = next((part for part in self._structure.parts if part.content_type == "message/rfc822"), None)
        if enclosed is None:
            return
        raw = enclosed.content(self._raw)
        structure = take_apart(raw)
        structure.parts = [part for part in structure.parts if part.content_type != "message/rfc822"]
        inner = _Body(raw, structure)
        self.full, self.visible, self.from_html = inner.full, inner.visible, inner.from_html
        self._structure.cut |= structure.cut


def _is_text(part: Part, *, first: bool) -> bool:
    if (
        part.content_type not in ("text/plain", "text/html", "text/enriched", "text/markdown")
        or part.disposition == "attachment"
    ):
        return False
    return first or not part.file_name


def _attachments(raw: bytes, structure: Structure, body: _Body) -> tuple[AttachmentInfo, ...]:
    numbers = [
        number
        for number, part in enumerate(structure.parts)
        if number not in body.shown and part.content_type not in _MACHINERY
    ]
    if not numbers:
        return ()
    shown, written = _pictures(raw, structure)
    return tuple(_attachment(raw, number, structure.parts[number], shown, written) for number in numbers)


def _pictures(raw: bytes, structure: Structure) -> tuple[frozenset[str], frozenset[str]]:
    """The content ids that the HTML shows as pictures: all of them, and those in what the person wrote."""
    html = next((part for part in structure.parts if part.content_type == "text/html"), None)
    return pictures_in(html.text(raw, LONGEST_HTML)[0]) if html is not None else (frozenset(), frozenset())


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
    return tuple(
        Address(name=mailbox.name[:200], address=clean(mailbox.address))
        for value in headers.all(name)[:10]
        for mailbox in mailboxes(value)
    )


def _recipients(headers: Headers) -> tuple[str, ...]:
    found = dict.fromkeys(
        mailbox.address
        for name in ("to", "cc", "delivered-to", "x-original-to")
        for value in headers.all(name)[:10]
        for mailbox in mailboxes(value)
    )
    return tuple(clean(address) for address in found)


def _date(value: str) -> datetime | None:
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(value[:100])
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
