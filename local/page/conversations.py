"""The incoming and outgoing mails of the running system, grouped into conversations.

Mails are untrusted: parsing never raises on malformed bytes. Text is plain text; HTML is kept apart, and the page must
sandbox it.
"""

from __future__ import annotations

import re
import threading
from base64 import b64encode
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from pathlib import Path
from typing import Literal

from local.errors import LocalError, TimedOutError

_MESSAGE_ID = re.compile(r"<[^<>\s]{1,500}>")
MAX_TEXT_LENGTH = 200_000
MAX_HTML_LENGTH = 3_000_000  # including embedded pictures
PICTURE_TYPES = ("image/png", "image/jpeg", "image/webp")
MAX_PICTURES = 4


@dataclass(frozen=True)
class Mail:
    direction: Literal["in", "out"]
    message_id: str
    references: tuple[str, ...]  # Message-IDs from In-Reply-To and References, nearest first
    subject: str
    sender: str
    recipient: str
    text: str
    html: str | None
    at: datetime
    job_id: str = ""
    reply_to: str = ""
    number: int = -1  # in the order of arrival
    attachments: tuple[str, ...] = ()  # their names

    @property
    def in_reply_to(self) -> str:
        return self.references[0] if self.references else ""


@dataclass
class MailConversation:
    """Mails that reply to one another, in the order of arrival."""

    mails: list[Mail] = field(default_factory=list)

    @property
    def subject(self) -> str:
        return self.mails[0].subject

    @property
    def replies(self) -> list[Mail]:
        """The mails we sent, newest first."""
        return [mail for mail in reversed(self.mails) if mail.direction == "out"]

    def replies_to(self, mail: Mail) -> list[Mail]:
        """The mails we sent because of a mail: to its sender and, for an approval, to publishers."""
        return [found for found in self.mails if found.direction == "out" and found.in_reply_to == mail.message_id]


class LocalMailbox:
    def __init__(self, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._clock = clock
        self._changed = threading.Condition()
        self._conversations: list[MailConversation] = []
        self._watchers: list[Callable[[Mail], None]] = []
        self._failure = ""

    def add_incoming(self, raw: bytes, job_id: str) -> Mail:
        return self._add(read_mail(raw, "in", self._clock(), job_id))

    def add_outgoing(self, file: Path) -> Mail:
        return self._add(read_mail(file.read_bytes(), "out", self._clock()))

    def watch(self, watcher: Callable[[Mail], None]) -> None:
        self._watchers.append(watcher)

    def conversations(self) -> list[MailConversation]:
        """Newest first."""
        with self._changed:
            copies = [MailConversation(list(conversation.mails)) for conversation in self._conversations]
        return sorted(copies, key=lambda conversation: conversation.mails[-1].at, reverse=True)

    def mails(self, direction: Literal["in", "out"] | None = None) -> list[Mail]:
        with self._changed:
            return [
                mail
                for conversation in self._conversations
                for mail in conversation.mails
                if direction in (None, mail.direction)
            ]

    def mails_in_order(self) -> list[Mail]:
        return sorted(self.mails(), key=lambda mail: mail.number)

    def numbered(self, number: int) -> Mail | None:
        return next((mail for mail in self.mails() if mail.number == number), None)

    def conversation_of(self, job_ids: Collection[str]) -> MailConversation | None:
        """The conversation with a mail of one of these jobs."""
        found = self.conversations() if job_ids else []
        return next((one for one in found if any(mail.job_id in job_ids for mail in one.mails)), None)

    def replies_to(self, message_id: str) -> list[Mail]:
        return [mail for mail in self.mails("out") if mail.in_reply_to == message_id]

    def wait_for_reply(self, message_id: str, timeout: float) -> Mail:
        """Waits for the reply to a mail."""
        return self.wait_for(lambda mail: mail.in_reply_to == message_id, timeout, what=f"a reply to {message_id}")

    def wait_for(self, matches: Callable[[Mail], bool], timeout: float, *, what: str) -> Mail:
        """Waits for the first mail we sent that matches."""

        def first() -> Mail | None:
            mails = (mail for conversation in self._conversations for mail in conversation.mails)
            return next((mail for mail in mails if mail.direction == "out" and matches(mail)), None)

        with self._changed:
            self._changed.wait_for(lambda: first() or self._failure, timeout)
            found = first()
        if found is None and self._failure:
            raise LocalError(self._failure)
        if found is None:
            raise TimedOutError(f"Timed out after {timeout:g} seconds waiting for {what}.")
        return found

    def fail(self, problem: str) -> None:
        """Ends every wait: no more mail will come."""
        with self._changed:
            self._failure = problem
            self._changed.notify_all()

    def _add(self, mail: Mail) -> Mail:
        with self._changed:
            mail = replace(mail, number=sum(len(one.mails) for one in self._conversations))
            self._conversation_of(mail).mails.append(mail)
            self._changed.notify_all()
        for watcher in self._watchers:
            watcher(mail)
        return mail

    def _conversation_of(self, mail: Mail) -> MailConversation:
        for conversation in self._conversations:
            known = {found.message_id for found in conversation.mails}
            if known.intersection(mail.references):
                return conversation
        self._conversations.append(MailConversation())
        return self._conversations[-1]


def read_mail(raw: bytes, direction: Literal["in", "out"], at: datetime, job_id: str = "") -> Mail:
    message = message_from_bytes(raw)
    text, html = _bodies(message)
    in_reply_to = _MESSAGE_ID.findall(_header(message, "In-Reply-To"))
    references = _MESSAGE_ID.findall(_header(message, "References"))
    return Mail(
        direction=direction,
        message_id=next(iter(_MESSAGE_ID.findall(_header(message, "Message-ID"))), ""),
        references=(*in_reply_to[:1], *reversed(references)),
        subject=_header(message, "Subject") or "(no subject)",
        sender=_header(message, "From"),
        recipient=_header(message, "To"),
        text=text[:MAX_TEXT_LENGTH],
        html=html[:MAX_HTML_LENGTH] if html is not None else None,
        at=at,
        job_id=job_id,
        reply_to=_header(message, "Reply-To"),
        attachments=_names_of_attachments(message),
    )


def _header(message: Message, name: str) -> str:
    value = next((raw for found, raw in message.raw_items() if found.lower() == name.lower()), None)
    if value is None:
        return ""
    try:
        text = str(make_header(decode_header(_as_text(str(value)))))
    except (HeaderParseError, LookupError, ValueError):
        text = _as_text(str(value))  # undecoded, because its declared charset is wrong
    return " ".join(text.split())


def _as_text(value: str) -> str:
    """Decodes the non-ASCII bytes that the parser keeps as surrogates: UTF-8, else Windows-1252."""
    raw = value.encode("ascii", "surrogateescape") if not value.isascii() else value.encode()
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")


def _bodies(message: Message) -> tuple[str, str | None]:
    """The plain text, and the HTML with its inline pictures embedded."""
    found: dict[str, str] = {}
    pictures: dict[str, str] = {}
    for part in message.walk():
        kind = part.get_content_type()
        content_id = str(part.get("Content-ID", "")).strip("<> ")
        if kind in ("text/plain", "text/html") and part.get_filename() is None and kind not in found:
            found[kind] = _decoded(part)
        elif kind in PICTURE_TYPES and content_id and len(pictures) < MAX_PICTURES:
            payload = part.get_payload(decode=True)
            pictures[content_id] = (
                f"data:{kind};base64,{b64encode(payload if isinstance(payload, bytes) else b'').decode()}"
            )
    html = found.get("text/html")
    for content_id, picture in pictures.items():
        html = html.replace(f"cid:{content_id}", picture) if html is not None else None
    return found.get("text/plain", ""), html


def _names_of_attachments(message: Message) -> tuple[str, ...]:
    names = (part.get_filename() for part in message.walk() if not part.get("Content-ID"))
    return tuple(" ".join(str(name).split())[:200] for name in names if name)


def _decoded(part: Message) -> str:
    payload = part.get_payload(decode=True)
    content = payload if isinstance(payload, bytes) else b""
    try:
        return content.decode(part.get_content_charset("utf-8"), errors="replace")
    except LookupError:
        return content.decode("utf-8", errors="replace")
