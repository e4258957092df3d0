"""Answers: exactly one per mail, in its thread.

The jobs table says how the job ended; the idempotency table remembers that the answer went out. A crash between
sending and remembering can repeat an answer after the reservation has lapsed: SES takes no idempotency token, and of
two answers and none, two is the lesser evil.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from email import policy
from email.message import EmailMessage
from email.utils import formatdate
from typing import TYPE_CHECKING, Self

from botocore.exceptions import ClientError

from webordinary.answers.compose import Answer, answer_to_job, answer_to_refusal
from webordinary.platform import clients, thread_tokens
from webordinary.platform.clients import Clock, utc_now
from webordinary.platform.errors import UnknownJobError, UnknownProjectError, WebordinaryError
from webordinary.platform.messages import Envelope, Failure, Job, Outcome, ReplyOrder, ReplyReceipt
from webordinary.platform.observability import logger, milestone
from webordinary.platform.settings import ReplySettings
from webordinary.tables.idempotency import IdempotencyTable, Purpose, ReservedError
from webordinary.tables.jobs import JobsTable, UnreadableJobError
from webordinary.tables.projects import ProjectConfigs
from webordinary.tables.threads import Thread, Threads

if TYPE_CHECKING:
    from mypy_boto3_sesv2 import SESV2Client

RESERVED_FOR = timedelta(seconds=60)
REMEMBERED_FOR = timedelta(days=90)

# A long Message-ID that is folded becomes encoded words, which no mail program takes for the id that it wrote.
UNFOLDED = policy.SMTP.clone(max_line_length=998)

# What a problem that ended the dispatch means when the jobs table knows no better.
FAILURE_OF_PROBLEM = {"States.Timeout": Failure.TIMED_OUT, "States.HeartbeatTimeout": Failure.TIMED_OUT}


class ReplyInProgressError(WebordinaryError):
    """Another attempt is sending this answer right now. Try again after its reservation has lapsed."""


@dataclass(frozen=True)
class Reply:
    jobs: JobsTable
    threads: Threads
    projects: ProjectConfigs
    sent: IdempotencyTable
    ses: SESV2Client
    sender: str
    thread_secret: bytes
    configuration_set: str
    clock: Clock = utc_now

    @classmethod
    def from_settings(cls, settings: ReplySettings) -> Self:
        dynamodb, names = clients.dynamodb(), settings.names
        return cls(
            jobs=JobsTable(dynamodb, names),
            threads=Threads(dynamodb, names),
            projects=ProjectConfigs(dynamodb, names),
            sent=IdempotencyTable(dynamodb, names),
            ses=clients.ses(),
            sender=settings.reply_from,
            thread_secret=clients.secret(settings.thread_secret_parameter)[0],
            configuration_set=settings.configuration_set,
        )

    def run(self, order: ReplyOrder) -> ReplyReceipt:
        if order.refusal is not None:
            refusal = order.refusal
            return self._send_once(refusal.job_id, refusal.envelope, answer_to_refusal(refusal), None)
        if order.job is None:
            raise WebordinaryError("A reply was ordered for neither a job nor a refusal; nothing was sent.")
        job = order.job
        outcome = self._with_our_own_link(job, self._final_outcome(job, order.problem))
        return self._send_once(job.job_id, job.envelope, answer_to_job(job, outcome), Thread(job.thread_id, job.pair))

    def _final_outcome(self, job: Job, problem: str | None) -> Outcome:
        """What the jobs table decided. Where it is still open (a timeout), it is decided now, so no worker goes on."""
        failed = Outcome(state="failed", failure=FAILURE_OF_PROBLEM.get(problem or "", Failure.INTERNAL))
        try:
            record = self.jobs.get(job.pair, job.job_id)
            if not record.state.is_final:
                record = self.jobs.conclude(job.pair, job.job_id, failed, nobody_waits=True)
        except UnknownJobError:
            return failed  # the dispatch broke before the job was recorded
        except UnreadableJobError as error:
            logger().error(str(error))
            self.jobs.close_unreadable(job.pair, job.job_id, failed)
            return failed
        return record.outcome or failed

    def _with_our_own_link(self, job: Job, outcome: Outcome) -> Outcome:
        """A report says whether there is something to look at. Where that is, the project's entry says."""
        links: dict[str, str | None] = {"preview_url": None, "live_url": None}
        if outcome.preview_url or outcome.live_url:
            with suppress(UnknownProjectError):  # removed meanwhile: then there is nothing to look at
                project = self.projects.project(job.pair.project)
                links["preview_url"] = project.preview_of(job.thread_id) if outcome.preview_url else None
                links["live_url"] = project.site_url or None if outcome.live_url else None
        return outcome.model_copy(update=links)

    def _send_once(self, job_id: str, envelope: Envelope, answer: Answer, thread: Thread | None) -> ReplyReceipt:
        try:
            sent_before = self.sent.reserve(Purpose.REPLY, job_id, held_for=RESERVED_FOR, kept_for=REMEMBERED_FOR)
        except ReservedError as error:
            raise ReplyInProgressError(f"The answer to {job_id} is being sent by another attempt.") from error
        if sent_before is not None:
            return ReplyReceipt(job_id=job_id, message_id=sent_before, duplicate=True)
        thread_id = thread.thread_id if thread else None
        text = self._text(answer, thread_id)
        try:
            message_id = self._deliver(envelope, text, thread_id)
        except ClientError:
            # SES refused it, so it did not go out. After an error on the way nobody knows: then the reservation stays.
            self.sent.give_back(Purpose.REPLY, job_id)
            raise
        if thread is not None:
            self.threads.remember(thread, message_id)
        self.sent.complete(Purpose.REPLY, job_id, message_id)
        milestone("reply_sent", job_id=job_id, thread_id=thread_id)
        if thread is not None:
            self._note_said(thread, job_id, text)
        return ReplyReceipt(job_id=job_id, message_id=message_id)

    def _note_said(self, thread: Thread, job_id: str, text: str) -> None:
        """Lets parse_email know our own words when somebody quotes them."""
        from webordinary.mail.fingerprints import fingerprints_of  # an answer that was sent already need not load it

        words = fingerprints_of(text, self.thread_secret, thread.thread_id)
        self.threads.note_said(thread, f"answer-{job_id}", words, by_us=True)

    def _text(self, answer: Answer, thread_id: str | None) -> str:
        if thread_id is None:
            return answer.text()
        return f"{answer.text()}\n\n{thread_tokens.footer(thread_id, self.thread_secret)}"

    def _deliver(self, envelope: Envelope, text: str, thread_id: str | None) -> str:
        message = EmailMessage(policy=UNFOLDED)
        message["From"] = self.sender
        message["To"] = envelope.sender
        message["Subject"] = _single_line(_reply_subject(envelope.subject))
        message["Date"] = formatdate(self.clock().timestamp())
        message["In-Reply-To"] = _single_line(envelope.message_id)
        message["References"] = _single_line(" ".join([*envelope.references[-20:], envelope.message_id]))
        message["Auto-Submitted"] = "auto-replied"
        message[thread_tokens.OWN_HEADER] = thread_id or "none"
        if thread_id is not None:
            message["Reply-To"] = thread_tokens.reply_address(self.sender, thread_id, self.thread_secret)
        message.set_content(text)
        sent = self.ses.send_email(
            FromEmailAddress=self.sender,
            Destination={"ToAddresses": [envelope.sender]},
            Content={"Raw": {"Data": message.as_bytes()}},
            ConfigurationSetName=self.configuration_set,
        )
        # SES puts its own Message-ID on what it sends; answers to our answer will refer to that one.
        return f"{sent['MessageId']}@{self.ses.meta.region_name}.amazonses.com"


def _reply_subject(subject: str) -> str:
    return subject if subject.lower().startswith(("re:", "aw:", "sv:", "antw:")) else f"Re: {subject}"


def _single_line(text: str) -> str:
    """No line break from a mail may start a header of its own."""
    return " ".join(text.split())
