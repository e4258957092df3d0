"""Answers: exactly one per mail, in its thread.

The jobs table says how the job ended; the idempotency table remembers that the answer went out. A crash between
sending and remembering can repeat an answer after the reservation has lapsed: SES takes no idempotency token, and of
two answers and none, two is the lesser evil.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from email import policy
from email.message import EmailMessage
from email.utils import formatdate
from typing import TYPE_CHECKING

from webordinary.mail.classification import OWN_HEADER
from webordinary.platform.clients import Clock, utc_now
from webordinary.platform.dynamodb_items import condition_failed, milliseconds, to_values
from webordinary.platform.errors import UnknownJobError, WebordinaryError
from webordinary.platform.messages import Attachment, Envelope, Failure, Job, Outcome, ReplyOrder, ReplyReceipt
from webordinary.platform.names import Names
from webordinary.platform.observability import milestone
from webordinary.tables.jobs import JobsTable
from webordinary.tables.threads import Threads

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_sesv2 import SESV2Client

NOT_RESERVED = "attribute_not_exists(id) OR (attribute_not_exists(messageId) AND reservedUntil < :now)"
RESERVED_FOR = timedelta(seconds=60)
REMEMBERED_FOR = timedelta(days=90)

SENTENCES = {
    Failure.AGENT_FAILED: "I started on it, but something went wrong on the way. Nothing on your site was changed.",
    Failure.AGENT_REFUSED: "I could not do this.",
    Failure.BUILD_FAILED: "The site could not be built with this change, so the change was taken back.",
    Failure.CONFLICT: "Somebody else changed the same lines in the meantime. Nothing of theirs was overwritten.",
    Failure.UNSUPPORTED: "I do not know how to do this yet.",
    Failure.TIMED_OUT: "This took longer than it may, so I stopped. Please try again, perhaps in smaller steps.",
    Failure.NO_WORKER: "Nobody was free to work on it for a long time. Please send it again later.",
    Failure.INTERNAL: "Something broke on our side. We have been told. Please send it again later.",
}
# A long Message-ID that is folded becomes encoded words, which no mail program takes for the id that it wrote.
UNFOLDED = policy.SMTP.clone(max_line_length=998)
PREEMPTED = "Your newer mail came before I was done with this one, so I went on with the newer one."

# What a problem that ended the dispatch means when the jobs table knows no better.
FAILURE_OF_PROBLEM = {"States.Timeout": Failure.TIMED_OUT, "States.HeartbeatTimeout": Failure.TIMED_OUT}


class ReplyInProgressError(WebordinaryError):
    """Another attempt is sending this answer right now. Try again after its reservation has lapsed."""


@dataclass(frozen=True)
class ReplyAddress:
    """Where answers come from, and how they lead back to their thread."""

    sender: str
    reply_to: Callable[[str], str]
    footer: Callable[[str], str]


@dataclass(frozen=True)
class Replies:
    dynamodb: DynamoDBClient
    ses: SESV2Client
    jobs: JobsTable
    threads: Threads
    names: Names
    address: ReplyAddress
    configuration_set: str
    clock: Clock = utc_now

    def send(self, order: ReplyOrder) -> ReplyReceipt:
        if order.refusal is not None:
            refusal = order.refusal
            return self._send_once(refusal.job_id, refusal.envelope, refusal.text, thread_id=None)
        if order.job is None:
            raise WebordinaryError("A reply was ordered for neither a job nor a refusal; nothing was sent.")
        job = order.job
        outcome = self._final_outcome(job, order.problem)
        return self._send_once(job.job_id, job.envelope, compose(job, outcome), thread_id=job.thread_id)

    def _final_outcome(self, job: Job, problem: str | None) -> Outcome:
        """What the jobs table decided. Where it is still open (a timeout), it is decided now, so no worker goes on."""
        failed = Outcome(state="failed", failure=FAILURE_OF_PROBLEM.get(problem or "", Failure.INTERNAL))
        try:
            record = self.jobs.conclude(job.pair, job.job_id, failed)
        except UnknownJobError:
            return failed  # the dispatch broke before the job was recorded
        self.jobs.settle(job.pair, job.job_id)
        return record.outcome or failed

    def _send_once(self, job_id: str, envelope: Envelope, text: str, thread_id: str | None) -> ReplyReceipt:
        sent_before = self._reserve(job_id)
        if sent_before is not None:
            return ReplyReceipt(job_id=job_id, message_id=sent_before, duplicate=True)
        message_id = self._deliver(envelope, text, thread_id)
        if thread_id is not None:
            self.threads.remember(thread_id, message_id)
        self._note_sent(job_id, message_id)
        milestone("reply_sent", job_id=job_id, thread_id=thread_id)
        return ReplyReceipt(job_id=job_id, message_id=message_id)

    def _deliver(self, envelope: Envelope, text: str, thread_id: str | None) -> str:
        message = EmailMessage(policy=UNFOLDED)
        message["From"] = self.address.sender
        message["To"] = envelope.sender
        message["Subject"] = _single_line(_reply_subject(envelope.subject))
        message["Date"] = formatdate(self.clock().timestamp())
        message["In-Reply-To"] = _single_line(envelope.message_id)
        message["References"] = _single_line(" ".join([*envelope.references[-20:], envelope.message_id]))
        message["Auto-Submitted"] = "auto-replied"
        message[OWN_HEADER] = thread_id or "none"
        if thread_id is not None:
            message["Reply-To"] = self.address.reply_to(thread_id)
            text = f"{text}\n\n{self.address.footer(thread_id)}"
        message.set_content(text)
        answer = self.ses.send_email(
            FromEmailAddress=self.address.sender,
            Destination={"ToAddresses": [envelope.sender]},
            Content={"Raw": {"Data": message.as_bytes()}},
            ConfigurationSetName=self.configuration_set,
        )
        # SES puts its own Message-ID on what it sends; answers to our answer will refer to that one.
        return f"{answer['MessageId']}@{self.ses.meta.region_name}.amazonses.com"

    def _reserve(self, job_id: str) -> str | None:
        """Takes the right to answer. The Message-ID of the answer if it has been sent already."""
        now = self.clock()
        try:
            self.dynamodb.update_item(
                TableName=self.names.table("idempotency"),
                Key=_key(job_id),
                UpdateExpression="SET reservedUntil = :until, #ttl = :ttl",
                ConditionExpression=NOT_RESERVED,
                ExpressionAttributeNames={"#ttl": "ttl"},
                ExpressionAttributeValues=to_values(
                    {
                        ":now": milliseconds(now),
                        ":until": milliseconds(now + RESERVED_FOR),
                        ":ttl": int((now + REMEMBERED_FOR).timestamp()),
                    }
                ),
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        except self.dynamodb.exceptions.ConditionalCheckFailedException as error:
            sent_before = (condition_failed(error) or {}).get("messageId")
            if sent_before is None:
                raise ReplyInProgressError(f"The answer to {job_id} is being sent by another attempt.") from error
            return str(sent_before)
        return None

    def _note_sent(self, job_id: str, message_id: str) -> None:
        self.dynamodb.update_item(
            TableName=self.names.table("idempotency"),
            Key=_key(job_id),
            UpdateExpression="SET messageId = :message_id",
            ExpressionAttributeValues=to_values({":message_id": message_id}),
        )


def compose(job: Job, outcome: Outcome) -> str:
    """The answer as the sender reads it."""
    lines = [_opening(outcome)]
    if outcome.state == "failed" and outcome.summary:
        lines += ["", outcome.summary]
    if outcome.preview_url:
        lines += ["", f"Look at it here: {outcome.preview_url}"]
    if outcome.changed_files:
        lines += ["", "Changed: " + ", ".join(outcome.changed_files)]
    lines += _refused(job.attachments)
    return "\n".join(lines)


def _opening(outcome: Outcome) -> str:
    if outcome.state == "done":
        return outcome.summary or "Done."
    if outcome.state == "preempted":
        return PREEMPTED
    return SENTENCES[outcome.failure or Failure.INTERNAL]


def _refused(attachments: tuple[Attachment, ...]) -> list[str]:
    refused = [attachment for attachment in attachments if attachment.refused]
    if not refused:
        return []
    return ["", "I could not use these attachments:", *(f"- {item.name}: {item.refused}" for item in refused)]


def _reply_subject(subject: str) -> str:
    return subject if subject.lower().startswith(("re:", "aw:", "sv:", "antw:")) else f"Re: {subject}"


def _single_line(text: str) -> str:
    """No line break from a mail may start a header of its own."""
    return " ".join(text.split())


def _key(job_id: str) -> dict[str, dict[str, str]]:
    return to_values({"id": f"reply#{job_id}"})
