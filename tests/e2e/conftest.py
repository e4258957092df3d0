"""Sends mails to the running system and waits for their results.

Tests share the system, so each checks only its own mails. Workers start on demand and end by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from local.aws import EmulatedAws
from local.page.conversations import Mail
from local.runtime.events import Event, milestone
from local.stack.observed_state import deployed_page
from local.stack.stack import Stack
from tests.support.model_client import StandInClient

ADA, BOB = "ada@example.com", "bob@example.org"

# For one step of a mail. It takes seconds on a quiet machine; only a hang reaches this.
TIMEOUT_SECONDS = 600.0


@dataclass(frozen=True)
class SentMail:
    """A mail that was sent to the system."""

    stack: Stack
    message_id: str
    job_id: str
    sender: str

    def wait_for(self, name: str, *, since: int = 0) -> Event:
        matches = milestone(name, job_id=self.job_id)
        return self.stack.events.wait_for(matches, TIMEOUT_SECONDS, since=since, what=f"{name} of {self.job_id}")

    def wait_for_reply(self) -> Mail:
        return self.wait_for_mail(self.sender)

    def replies(self) -> list[Mail]:
        return [mail for mail in self.stack.mailbox.replies_to(self.message_id) if mail.recipient == self.sender]

    def wait_for_mail(self, recipient: str, *, exclude: Sequence[Mail] = ()) -> Mail:
        """Waits for a mail to `recipient` that this mail caused, for example a request for approval."""

        def matches(mail: Mail) -> bool:
            return mail.in_reply_to == self.message_id and mail.recipient == recipient and mail not in exclude

        return self.stack.mailbox.wait_for(matches, TIMEOUT_SECONDS, what=f"a mail to {recipient} about {self.job_id}")

    def milestones(self, name: str) -> list[Event]:
        return self.stack.events.all(milestone(name, job_id=self.job_id))

    def thread_id(self) -> str:
        return str(self.wait_for("job_dispatched").fields["thread_id"])

    def page(self, project: str) -> str:
        return deployed_page(self.stack, project, self.thread_id(), "index.html")


class MailSender:
    """Sends mails as users would."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack

    def send(self, sender: str, text: str, *, in_reply_to: str | None = None, subject: str = "The website") -> SentMail:
        return self.sent(sender, self._stack.send(sender, text, in_reply_to=in_reply_to, subject=subject))

    def sent(self, sender: str, message_id: str) -> SentMail:
        """A mail that was sent in another way."""
        return SentMail(self._stack, message_id, self._job_of(message_id), sender)

    def _job_of(self, message_id: str) -> str:
        return next(mail.job_id for mail in self._stack.mailbox.mails("in") if mail.message_id == message_id)


@pytest.fixture
def mail_sender(stack: Stack) -> MailSender:
    return MailSender(stack)


@pytest.fixture
def model(stack: Stack) -> Iterator[StandInClient]:
    """The model stand-in, without a script before and after the test."""
    assert stack.model_url is not None
    client = StandInClient(stack.model_url)
    client.reset()
    yield client
    client.reset()


@pytest.fixture
def emulated(stack: Stack) -> EmulatedAws:
    return stack.emulated
