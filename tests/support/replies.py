"""The reply step on the in-memory AWS, and the mails that it has sent."""

from __future__ import annotations

import email
import email.policy
from email.message import EmailMessage
from typing import Any

from moto.ses.models import ses_backends

from tests.support.world import ACCOUNT, PAIR, REGION, World
from webordinary.contract.messages.outcome import Outcome
from webordinary.steps.reply import Reply

SECRET = b"a secret of the tests"


def replying(world: World, secret: bytes = SECRET, **settings: Any) -> Reply:
    """`settings` replace a client or a setting of `Reply.on`."""
    world.ses.create_email_identity(EmailIdentity="edit.example.com")
    usual: dict[str, Any] = {
        "dynamodb": world.dynamodb,
        "ses": world.ses,
        "s3": world.s3,
        "names": world.names,
        "sender": "edit@edit.example.com",
        "thread_secrets": lambda: (secret,),
        "configuration_set": "replies",
        "clock": world.clock,
    }
    return Reply.on(**usual | settings)


def sent_mails(to: str = "") -> list[EmailMessage]:
    """All mails sent, or those to one address."""
    messages = ses_backends[ACCOUNT][REGION].sent_messages
    mails = [email.message_from_string(message.raw_data, policy=email.policy.default) for message in messages]
    return [mail for mail in mails if not to or mail["To"] == to]


def text_of(mail: EmailMessage, kind: str = "plain") -> str:
    """The text or HTML part of a mail."""
    body = mail.get_body((kind,))
    assert body is not None
    return str(body.get_content())


def end_job(world: World, outcome: Outcome) -> None:
    world.jobs.record(world.job(), "token")
    world.jobs.start(PAIR, "mail-1", 1)
    world.jobs.finish(PAIR, "mail-1", 1, outcome)


class RejectingSes:
    """An SES client that rejects or interrupts one send, then works."""

    def __init__(self, world: World, error: Exception, *, after: int = 0) -> None:
        self._ses = world.ses
        self._errors: list[Exception | None] = [error, *[None] * after]
        self.meta = world.ses.meta

    def send_email(self, **mail: object) -> Any:
        if self._errors and (error := self._errors.pop()):
            raise error
        return self._ses.send_email(**mail)
