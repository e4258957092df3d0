"""Sends the mails of a plan; a conversation continues when its reply has arrived."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import dataclass

from local.errors import TimedOutError
from local.runtime.events import milestone
from local.stack.stack import Stack
from tests.chaos.plan import Plan, PlannedMail, Stream
from webordinary.contract.messages.base import Pair


@dataclass(frozen=True)
class SentMail:
    """A mail that was sent."""

    mail: PlannedMail
    message_id: str
    job_id: str

    @property
    def pair(self) -> Pair:
        return Pair.from_key(self.mail.writer.pair)


class MailStreams:
    def __init__(
        self,
        stack: Stack,
        plan: Plan,
        timeout: float,
        pause: Callable[[float], object],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stack = stack
        self._pause = pause
        self._monotonic = monotonic
        self._deadline = monotonic() + timeout
        self._sent: dict[int, Future[SentMail]] = {mail.number: Future() for mail in plan.mails}

    def seconds_left(self) -> float:
        return max(0.1, self._deadline - self._monotonic())

    def send(self, stream: Stream) -> None:
        """Sends all conversations of a stream within the timeout."""
        for conversation in stream:
            before: str | None = None
            for mail in conversation:
                self._pause(mail.pause)
                sent = self._send(mail, before)
                before = self._wait_for_agent(sent) if mail.preempted else self._wait_for_reply(sent)
            for mail in conversation:
                self._wait_for_reply(self.wait_for(mail.number))

    def wait_for(self, number: int) -> SentMail:
        """Waits until the mail has been sent."""
        try:
            return self._sent[number].result(self.seconds_left())
        except FutureTimeoutError as error:
            raise TimedOutError(f"Mail {number} was not sent: the previous mail got no reply.") from error

    def sent(self) -> list[SentMail]:
        return [future.result() for _, future in sorted(self._sent.items()) if future.done()]

    def _wait_for_reply(self, sent: SentMail) -> str:
        return self._stack.mailbox.wait_for_reply(sent.message_id, self.seconds_left()).message_id

    def _wait_for_agent(self, sent: SentMail) -> str:
        started = milestone("agent_started", job_id=sent.job_id)
        self._stack.events.wait_for(started, self.seconds_left(), what=f"the agent of mail {sent.mail.number}")
        return sent.message_id

    def _send(self, mail: PlannedMail, in_reply_to: str | None) -> SentMail:
        message_id = self._stack.send(
            mail.writer.sender, mail.text, subject=f"Note {mail.number}", in_reply_to=in_reply_to
        )
        incoming = self._stack.mailbox.mails("in")
        job_id = next(found.job_id for found in incoming if found.message_id == message_id)
        sent = SentMail(mail, message_id, job_id)
        self._sent[mail.number].set_result(sent)
        return sent
