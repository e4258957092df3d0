"""The result of parse_email: a job, a refusal, or neither."""

from __future__ import annotations

from enum import StrEnum

from webordinary.contract.ids import JobId, LanguageCode, Timestamp
from webordinary.contract.messages.base import Message
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.mail import AttachmentPart, Envelope
from webordinary.contract.outcomes import RefusalReason


class Decision(StrEnum):
    ACCEPT = "accept"  # becomes a job
    ANSWER = "answer"  # refused, and the sender is told why
    DROP = "drop"  # refused in silence: an answer could feed a loop or reach an innocent


class Refusal(Message):
    """Why a mail became no job, for its answer. `addresses` are those to write to, `resumes_at` says when."""

    job_id: JobId
    envelope: Envelope
    reason: RefusalReason
    language: LanguageCode = ""
    addresses: tuple[str, ...] = ()
    project: str = ""
    resumes_at: Timestamp | None = None


class ParseResult(Message):
    """What parse_email makes of a mail. The state machine branches on `decision`."""

    decision: Decision
    reason: str
    job: Job | None = None
    attachment_parts: tuple[AttachmentPart, ...] = ()
    refusal: Refusal | None = None
