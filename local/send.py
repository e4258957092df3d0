"""Sends a mail to the local stack: `python -m local.send "Change \\"noon\\" to \\"1 pm\\""`."""

from __future__ import annotations

import argparse
import os
import smtplib
import sys
from dataclasses import dataclass
from email import policy
from email.message import EmailMessage
from email.utils import make_msgid

from local.settings import SMTP_PORT

HOST = "127.0.0.1"
RECIPIENT = "edit@mail.example.com"
SENDER = "ada@example.com"
SUBJECT = "A change for the website"

# Python's default policy splits a long Message-ID into encoded words, which breaks threading.
WHOLE_LINES = policy.default.clone(max_line_length=998)


@dataclass(frozen=True)
class AttachedFile:
    name: str
    content_type: str
    content: bytes


@dataclass(frozen=True)
class WrittenMail:
    """A mail that a person wrote on the page."""

    sender: str
    recipient: str
    subject: str
    text: str
    in_reply_to: str | None = None
    message_id: str | None = None
    files: tuple[AttachedFile, ...] = ()

    def composed(self) -> EmailMessage:
        mail = compose(
            self.sender,
            self.recipient,
            self.subject,
            self.text,
            in_reply_to=self.in_reply_to,
            message_id=self.message_id,
        )
        for file in self.files:
            kind, _, subtype = file.content_type.partition("/")
            plain = file.content_type.isascii() and subtype and kind not in ("text", "message", "multipart")
            main, sub = (kind, subtype) if plain else ("application", "octet-stream")
            mail.add_attachment(file.content, maintype=main, subtype=sub, filename=" ".join(file.name.split()))
        return mail


def new_message_id(sender: str, unique: str) -> str:
    return f"<{unique}@{sender.rpartition('@')[2] or 'example.com'}>"


def compose(
    sender: str,
    recipient: str,
    subject: str,
    text: str,
    *,
    in_reply_to: str | None = None,
    message_id: str | None = None,
) -> EmailMessage:
    """A plain mail as a mail program writes it. `in_reply_to` is the Message-ID of the answered mail."""
    mail = EmailMessage(WHOLE_LINES)
    mail["From"] = sender
    mail["To"] = recipient
    mail["Subject"] = subject
    mail["Message-ID"] = message_id or make_msgid(domain=sender.rpartition("@")[2] or "example.com")
    if in_reply_to:
        mail["In-Reply-To"] = in_reply_to
        mail["References"] = in_reply_to
    mail.set_content(text)
    return mail


def send(mail: EmailMessage, port: int, *, envelope_sender: str | None = None) -> str:
    """Sends the mail over SMTP; returns its Message-ID."""
    with smtplib.SMTP(HOST, port, timeout=30) as connection:
        connection.send_message(mail, from_addr=envelope_sender)
    return str(mail["Message-ID"])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m local.send", description=(__doc__ or "").split(":")[0])
    parser.add_argument("text", help="text of the mail; '-' reads standard input")
    parser.add_argument("--from", dest="sender", default=SENDER)
    parser.add_argument("--to", dest="recipient", default=RECIPIENT)
    parser.add_argument("--subject", default=SUBJECT)
    parser.add_argument("--in-reply-to", help="Message-ID of the mail that this one replies to")
    parser.add_argument("--port", type=int, default=int(os.environ.get(SMTP_PORT) or 2525))
    options = parser.parse_args(arguments)
    text = sys.stdin.read() if options.text == "-" else options.text
    mail = compose(options.sender, options.recipient, options.subject, text, in_reply_to=options.in_reply_to)
    try:
        print(f"Sent {send(mail, options.port)}")
    except ConnectionRefusedError:
        print(f"No SMTP server is listening on {HOST}:{options.port}. Start the stack with `make up`.", file=sys.stderr)
        return 1
    except smtplib.SMTPException as error:
        print(f"The SMTP server rejected the mail: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
