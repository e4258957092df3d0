"""The MIME message of a reply."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from email import policy
from email.message import EmailMessage
from email.utils import formatdate
from typing import Any, NamedTuple

from webordinary.answers.as_html import as_html
from webordinary.answers.as_text import as_text
from webordinary.answers.blocks import Answer
from webordinary.contract import thread_tokens
from webordinary.contract.messages.mail import Envelope
from webordinary.sites.screenshots import ScreenshotKind

REPLY_PREFIXES = ("re:", "aw:", "sv:", "antw:")
NO_PICTURES: Mapping[ScreenshotKind, bytes] = {}


class _ReplyPolicy(policy.EmailPolicy):
    def header_store_parse(self, name: str, value: Any) -> tuple[str, Any]:
        """Keeps From as `named_address` encoded it: the library splits long names into words with spaces in between."""
        return (name, value) if name == "From" else super().header_store_parse(name, value)


# A folded Message-ID would be encoded, and mail clients would not recognise it.
UNFOLDED = _ReplyPolicy(linesep="\r\n", max_line_length=998)


class RenderedReply(NamedTuple):
    """A reply as text and as HTML, with its screenshots."""

    text: str
    html: str
    pictures: Mapping[ScreenshotKind, bytes] = NO_PICTURES

    @classmethod
    def of(
        cls, answer: Answer, reply_address: str = "", pictures: Mapping[ScreenshotKind, bytes] = NO_PICTURES
    ) -> RenderedReply:
        return cls(as_text(answer), as_html(answer, reply_address=reply_address), pictures)

    def message(
        self, envelope: Envelope, *, sender: str, reply_to: str, thread_id: str | None, sent_at: datetime
    ) -> EmailMessage:
        message = EmailMessage(policy=UNFOLDED)
        message["From"] = sender
        message["To"] = envelope.sender
        message["Subject"] = _single_line(reply_subject(envelope.subject))
        message["Date"] = formatdate(sent_at.timestamp())
        message["In-Reply-To"] = _single_line(envelope.message_id)
        message["References"] = _single_line(" ".join([*envelope.references[-20:], envelope.message_id]))
        message["Auto-Submitted"] = "auto-replied"
        message[thread_tokens.OWN_HEADER] = thread_id or "none"
        if reply_to:
            message["Reply-To"] = reply_to
        # SES accepts only ASCII bytes in a raw mail.
        message.set_content(self.text, cte="quoted-printable")
        message.add_alternative(self.html, subtype="html", cte="quoted-printable")
        _, html = message.iter_parts()
        for kind, picture in self.pictures.items():
            content_id, name = f"<{kind.content_id}>", f"{kind.value}.jpg"
            html.add_related(picture, "image", "jpeg", cid=content_id, filename=name, disposition="inline")
        return message


def reply_subject(subject: str) -> str:
    return subject if subject.lower().startswith(REPLY_PREFIXES) else f"Re: {subject}"


def _single_line(text: str) -> str:
    """Removes line breaks, so that a mail cannot inject headers."""
    return " ".join(text.split())
