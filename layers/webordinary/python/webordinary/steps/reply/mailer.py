"""Sends each mail once, and records it for the replies to it.

A crash between sending and recording can repeat a reply after the reservation has expired: SES has no idempotency
token, and two replies are better than none.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.answers.blocks import Answer
from webordinary.aws.clients import Clock
from webordinary.aws.ses import named_address, sent_message_id
from webordinary.aws.telemetry import logger, milestone
from webordinary.contract.errors import WebordinaryError
from webordinary.contract.messages.mail import Envelope
from webordinary.contract.messages.reply import ReplyReceipt
from webordinary.sites.screenshots import ScreenshotKind
from webordinary.steps.reply.addresses import ReplyAddresses
from webordinary.steps.reply.messages import NO_PICTURES, RenderedReply
from webordinary.tables.conversation_records import NotedReply
from webordinary.tables.conversations import Conversations
from webordinary.tables.idempotency import IdempotencyTable, Purpose, ReservedError
from webordinary.tables.projects import ProjectConfigs
from webordinary.tables.threads import ANSWER, Thread, Threads

if TYPE_CHECKING:
    from mypy_boto3_sesv2 import SESV2Client

RESERVED_FOR = timedelta(seconds=60)
REMEMBERED_FOR = timedelta(days=90)


class ReplyInProgressError(WebordinaryError):
    """Another attempt is sending this reply. Retry after its reservation has expired."""


class Mailer(NamedTuple):
    ses: SESV2Client
    sent: IdempotencyTable
    threads: Threads
    projects: ProjectConfigs
    addresses: ReplyAddresses
    configuration_set: str
    clock: Clock
    conversations: Conversations
    service_name: str = ""

    def send_once(
        self,
        job_id: str,
        envelope: Envelope,
        answer: Answer,
        thread: Thread | None,
        purpose: Purpose = Purpose.REPLY,
        *,
        pictures: Mapping[ScreenshotKind, bytes] = NO_PICTURES,
        reply_to: str | None = None,
        question_id: str = "",
        noted: NotedReply | None = None,
    ) -> ReplyReceipt:
        """`question_id`: the question that a reply answers. `reply_to`: the id in the address if there is no thread.

        `noted`: what the console shows of the reply.
        """
        try:
            sent_before = self.sent.reserve(purpose, job_id, held_for=RESERVED_FOR, kept_for=REMEMBERED_FOR)
        except ReservedError as error:
            raise ReplyInProgressError(f"Another attempt is sending the reply to {job_id}.") from error
        if sent_before is not None:
            self._note(noted)
            return ReplyReceipt(job_id=job_id, message_id=sent_before, duplicate=True)
        thread_id = thread.thread_id if thread else reply_to
        address = self.addresses.of(thread_id, question_id)
        written = RenderedReply.of(answer, address, pictures)
        if noted is not None:
            self.conversations.store_reply(noted.mail, written.text)
        try:
            message_id = self._deliver(envelope, written, thread_id, address, thread.pair.project if thread else "")
        except ClientError:
            # SES rejected the mail, so it was not sent. After a network error this is unknown: the reservation stays.
            self.sent.cancel_reservation(purpose, job_id)
            raise
        if thread is not None:
            self.threads.remember(thread, message_id, question_id)
        self.sent.complete(purpose, job_id, message_id)
        if purpose is Purpose.REPLY:
            milestone("reply_sent", job_id=job_id, thread_id=thread_id)
        if thread is not None:
            self._store_fingerprints(thread, job_id, written.text)
        self._note(noted)
        return ReplyReceipt(job_id=job_id, message_id=message_id)

    def notify_once(
        self,
        purpose: Purpose,
        about: str,
        envelope: Envelope,
        notice: Answer,
        project_id: str,
        *,
        thread_id: str | None = None,
    ) -> None:
        """Sends one mail per `about` that is not a reply. A failure is logged: it must not prevent the reply."""
        try:
            if self.sent.reserve(purpose, about, held_for=RESERVED_FOR, kept_for=REMEMBERED_FOR) is None:
                address = self.addresses.of(thread_id)
                message_id = self._deliver(envelope, RenderedReply.of(notice), thread_id, address, project_id)
                self.sent.complete(purpose, about, message_id)
        except (ReservedError, ClientError, BotoCoreError) as error:
            extra = {"about": about, "cause": str(error)}
            logger().warning("Could not send a notice; it is not repeated.", extra={"purpose": purpose.value, **extra})

    def _deliver(
        self, envelope: Envelope, written: RenderedReply, thread_id: str | None, address: str, project_id: str
    ) -> str:
        sender = named_address(self.projects.title_of(project_id) or self.service_name, self.addresses.sender)
        message = written.message(envelope, sender=sender, reply_to=address, thread_id=thread_id, sent_at=self.clock())
        sent = self.ses.send_email(
            FromEmailAddress=sender,
            Destination={"ToAddresses": [envelope.sender]},
            Content={"Raw": {"Data": message.as_bytes()}},
            ConfigurationSetName=self.configuration_set,
        )
        # SES sets its own Message-ID; replies to our mail refer to it.
        return sent_message_id(sent["MessageId"], self.ses.meta.region_name)

    def _note(self, noted: NotedReply | None) -> None:
        if noted is not None:
            self.conversations.note_reply(noted.mail, noted.facts)

    def _store_fingerprints(self, thread: Thread, job_id: str, text: str) -> None:
        """Stores the fingerprints of our reply, so that parse_email recognises quotes of it."""
        from webordinary.mail.history.fingerprints import (
            fingerprints_of,  # not needed if the reply was sent before
        )

        words = fingerprints_of(text, self.addresses.secret, thread.thread_id)
        self.threads.store_fingerprints(thread, f"{ANSWER}{job_id}", words, by_us=True)
