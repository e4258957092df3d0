"""Mails as SES stores them."""

from __future__ import annotations

from collections.abc import Callable
from email import policy
from email.message import EmailMessage

from tests.support.world import ACCOUNT, World
from webordinary.contract.messages.mail import RawMail
from webordinary.contract.messages.parse import ParseResult
from webordinary.contract.names import Names
from webordinary.steps.parse_email import ParseEmail
from webordinary.tables.rate_limits import RateLimits

SECRET = b"a secret of the tests"
RAW_BUCKET = Names("webordinary", ACCOUNT).bucket("raw_mail")

AUTHENTICATED = (
    "Authentication-Results: amazonses.com; spf=pass; dkim=pass header.i=@example.com; dmarc=pass header.from={domain};"
)
UNAUTHENTICATED = "Authentication-Results: amazonses.com; spf=none; dkim=none; dmarc=none;"
FORGED = "Authentication-Results: amazonses.com; spf=fail; dkim=none; dmarc=fail header.from={domain};"

# Folding would encode a long Message-ID.
UNFOLDED = policy.default.clone(max_line_length=998)

Read = Callable[..., ParseResult]


def parse_email(world: World) -> ParseEmail:
    rates = RateLimits(world.idempotency, world.clock)
    parts = (world.s3, world.projects, world.threads, world.questions, rates, world.budgets)
    return ParseEmail(*parts, lambda: (SECRET,), "edit.example.com", world.clock)


def reader(world: World) -> Read:
    """Stores a mail as SES does and parses it."""
    world.onboard()
    location = {"LocationConstraint": "eu-west-1"}
    world.s3.create_bucket(Bucket=RAW_BUCKET, CreateBucketConfiguration=location)
    step = parse_email(world)

    def read_mail(
        text: str = "Change the hours.",
        *,
        mail_id: str = "mail-1",
        sender: str = "ada@example.com",
        to: str = "bakery@edit.example.com",
        verdict: str = AUTHENTICATED,
        attachments: tuple[bytes, ...] = (),
        html: str = "",
        **headers: str,
    ) -> ParseResult:
        message = EmailMessage(UNFOLDED)
        message["From"], message["To"], message["Subject"] = sender, to, "Hours"
        message["Message-ID"] = f"<{mail_id}@example.com>"
        for name, value in headers.items():
            del message[name.replace("_", "-")]
            message[name.replace("_", "-")] = value
        message.set_content(text)
        if html:
            message.add_alternative(html, subtype="html")
        attach(message, *attachments)
        found = f"Return-Path: <{sender}>\nX-SES-Spam-Verdict: PASS\nX-SES-Virus-Verdict: PASS\n"
        found += verdict.format(domain=sender.partition("@")[2]) + "\nX-SES-RECEIPT: x\n"
        world.s3.put_object(Bucket=RAW_BUCKET, Key=f"mail/{mail_id}", Body=found.encode() + message.as_bytes())
        return step.run(RawMail(mail_id=mail_id, bucket=RAW_BUCKET, key=f"mail/{mail_id}"))

    return read_mail


def attach(message: EmailMessage, *contents: bytes) -> None:
    for number, content in enumerate(contents):
        message.add_attachment(content, maintype="image", subtype="png", filename=f"picture {number}.png")
