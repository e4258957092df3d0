"""The result of parse_email: a job, a refusal, or neither."""

from enum import StrEnum

from webordinary.contract.ids import JobId, LanguageCode, ThreadId, Timestamp
from webordinary.contract.messages.base import Message, Pair
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.mail import AttachmentPart, Envelope
from webordinary.contract.outcomes import Command, RefusalReason


class Decision(StrEnum):
    ACCEPT = "accept"  # becomes a job
    ANSWER = "answer"  # refused with a reply
    DROP = "drop"  # refused without a reply, which could feed a loop or reach an uninvolved person


class QuestionReference(Message):
    """A question that stays open, and the thread that it was asked in."""

    question_id: ThreadId
    subject: str | None = None  # of its mail; the mail that asks again has the same
    thread_id: ThreadId
    pair: Pair


class Refusal(Message):
    """Why a mail was refused. `addresses` are those to write to instead, `resumes_at` when to try again.

    A reply to `thread_id` continues: in the thread of `pair`, or without a pair with the kept mail.
    """

    job_id: JobId
    envelope: Envelope
    reason: RefusalReason
    language: LanguageCode = ""
    addresses: tuple[str, ...] = ()
    project: str = ""
    resumes_at: Timestamp | None = None
    command: Command | None = None  # the one that the mail nearly names
    thread_id: ThreadId | None = None
    pair: Pair | None = None
    question: QuestionReference | None = None  # that the mail answered; its reply asks the same question
    received_at: Timestamp | None = None  # None in refusals of an older version


class ParseResult(Message):
    """The result of parse_email. The state machine branches on `decision`."""

    decision: Decision
    reason: str
    job: Job | None = None
    attachment_parts: tuple[AttachmentPart, ...] = ()
    refusal: Refusal | None = None
