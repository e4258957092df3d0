"""The result of parsing a mail, as serializable messages."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Literal

from webordinary.contract.messages.base import Message
from webordinary.contract.outcomes import Command
from webordinary.mail.context import Turn

PGP_MESSAGE = "-----BEGIN PGP MESSAGE-----"


class MailKind(StrEnum):
    """Whether a person wrote the mail. Only `normal` mail gets a reply."""

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
    """An attachment that is still in the raw mail. `index` is the index of its MIME part."""

    index: int
    name: str  # as sent
    safe_name: str  # safe in a file system and a URL
    content_type: str
    size: int  # after decoding; exact unless the encoding is broken
    content_id: str | None = None
    disposition: str = ""
    inline: bool = False  # shown inside the text
    decoration: bool = False  # shown only in a signature or in quoted history
    shown_as: str = ""  # its name where it stands in the text, if it does


class AuthenticationReason(StrEnum):
    """Why a sender is authenticated or not."""

    DMARC = "dmarc"
    DKIM = "dkim"
    SPF = "spf"
    NO_RECEIPT = "no_receipt"  # SES added no X-SES-RECEIPT header, so no result can be trusted
    NO_SENDER = "no_sender"
    SEVERAL_SENDERS = "several_senders"
    VIRUS = "virus"
    SPAM = "spam"
    AMBIGUOUS = "ambiguous"  # the results contradict each other, as in a forged mail
    DMARC_FAILED = "dmarc_failed"  # the domain's DMARC policy rejects the mail
    TEMPORARY = "temporary"  # the domain could not be checked this time
    NOT_ALIGNED = "not_aligned"  # no passing check is aligned with the sender's domain


class Authentication(Message):
    """Whether the sender is authenticated. `fixable`: the owner of the domain can fix it, or a later mail may pass."""

    passed: bool
    reason: AuthenticationReason
    fixable: bool = False
    return_path: str = ""
    spam_verdict: str = ""
    virus_verdict: str = ""


class CommandRequest(Message):
    """The command of a mail and the words that belong to it.

    An edit may mention a command as well ("Publish, and make the title blue"): `mentioned_command` names it, and the
    instruction has all the words.
    """

    command: Command
    instruction: str
    mentioned_command: Command | None = None


TruncatedPart = Literal["headers", "parts", "text"]


class ParsedMail(Message):
    """A parsed mail. It holds personal data: never log it."""

    message_id: str
    in_reply_to: tuple[str, ...]
    references: tuple[str, ...]
    subject: str
    sender: Address | None
    reply_to: tuple[Address, ...]
    to: tuple[Address, ...]
    cc: tuple[Address, ...]
    recipients: tuple[str, ...]  # every recipient in the headers
    date: datetime | None
    text: str  # what the person wrote
    full_text: str  # including history and signature
    subject_request: str = ""  # the subject without "Re:", if the request comes from the text
    forwarded_text: str  # a forwarded message below the person's words: material, not an instruction
    is_forward: bool  # whether `text` is another mail, forwarded or earlier, without words of the person
    history_text: str = ""  # removed earlier mails: context, not an instruction
    removed_text: str = ""  # removed signatures and footers: context, in case one of them was more
    turn: Turn = Turn.ANSWER
    from_html: bool  # the text comes from HTML because the plain part was missing, empty or a placeholder
    kind: MailKind
    authentication: Authentication
    request: CommandRequest
    attachments: tuple[AttachmentInfo, ...]
    encrypted: bool = False  # at least in part, so that it cannot be read here
    truncated: tuple[TruncatedPart, ...]  # which of headers, parts and text were not read in full

    @property
    def is_unreadable(self) -> bool:
        """Whether all that the person wrote is encrypted."""
        return self.encrypted and (not self.text or self.text.startswith(PGP_MESSAGE))
