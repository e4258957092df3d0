"""What the parser makes of a mail, as messages that can cross a boundary."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Literal

from webordinary.contract.messages.base import Message
from webordinary.contract.outcomes import Command
from webordinary.mail.lines.context import Turn


class MailKind(StrEnum):
    """Whether a person wrote the mail. Everything but `normal` is left unanswered."""

    NORMAL = "normal"
    AUTO_REPLY = "auto_reply"
    BOUNCE = "bounce"
    FEEDBACK = "feedback"


class Address(Message):
    name: str = ""
    address: str

    @property
    def local(self) -> str:
        return self.address.rpartition("@")[0]

    @property
    def domain(self) -> str:
        return self.address.rpartition("@")[2]


class AttachmentInfo(Message):
    """An attachment that is still in the raw mail. `index` is its place among the parts."""

    index: int
    name: str  # as the sender called it
    safe_name: str  # fit for a file system and a URL
    content_type: str
    size: int  # after decoding; exact unless the encoding is broken
    content_id: str | None = None
    disposition: str = ""
    inline: bool = False  # shown inside the text rather than offered below it
    decoration: bool = False  # shown only in a signature or in quoted history


class Reason(StrEnum):
    """Why a sender counts as authenticated, or does not."""

    DMARC = "dmarc"
    DKIM = "dkim"
    SPF = "spf"
    NO_RECEIPT = "no_receipt"  # of the mail service: nothing is known about the sender
    NO_SENDER = "no_sender"
    SEVERAL_SENDERS = "several_senders"
    VIRUS = "virus"
    SPAM = "spam"
    AMBIGUOUS = "ambiguous"  # the findings contradict each other, as in a forged mail
    DMARC_FAILED = "dmarc_failed"  # the domain declares that such mail is not genuine
    TEMPORARY = "temporary"  # the domain could not be checked just now
    NOT_ALIGNED = "not_aligned"  # nothing proves that the mail comes from its sender's domain


class Authentication(Message):
    """Whether the mail is from whom it says. `fixable` means that the owner of the domain can put it right."""

    passed: bool
    reason: Reason
    fixable: bool = False
    return_path: str = ""
    spam_verdict: str = ""
    virus_verdict: str = ""


class CommandRequest(Message):
    """What the mail asks for: a command, and the words that go with it.

    `beside` is a command that an edit mentions as well ("Publish, and make the title blue"): the words are all in the
    instruction, and whoever carries it out should know of both.
    """

    command: Command
    instruction: str
    mentioned_command: Command | None = None


Cut = Literal["headers", "parts", "text"]


class ParsedMail(Message):
    """A mail, read. Holds personal data: nothing of it belongs in a log."""

    message_id: str
    in_reply_to: tuple[str, ...]
    references: tuple[str, ...]
    subject: str
    sender: Address | None
    reply_to: tuple[Address, ...]
    to: tuple[Address, ...]
    cc: tuple[Address, ...]
    recipients: tuple[str, ...]  # every address that the mail was sent to, as far as its headers tell
    date: datetime | None
    text: str  # what the person wrote
    full_text: str  # with history and signature
    subject_request: str = ""  # the subject without "Re:", where the request comes from the text and not from it
    forwarded_text: str  # a forwarded message beside the person's words: material, no instruction
    history_text: str = ""  # what was cut as earlier mails: context, no instruction
    turn: Turn = Turn.ANSWER
    from_html: bool  # the text comes from HTML because the plain part was missing or empty
    kind: MailKind
    authentication: Authentication
    request: CommandRequest
    attachments: tuple[AttachmentInfo, ...]
    truncated: tuple[Cut, ...]  # which of headers, parts and text were too much to be read in full
