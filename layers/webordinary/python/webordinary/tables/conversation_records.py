"""What is noted of a conversation: its mails and our replies to them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from webordinary.contract.messages.base import Pair

if TYPE_CHECKING:
    from webordinary.contract.messages.job import Job
    from webordinary.contract.messages.outcome import Outcome
    from webordinary.contract.messages.parse import Refusal

MAIL = "mail#"


class NotedMail(NamedTuple):
    """One mail of a conversation, as a job or a refusal knows it."""

    thread_id: str
    pair: Pair
    job_id: str
    received_at: datetime
    sender: str
    subject: str
    command: str

    @classmethod
    def of_job(cls, job: Job) -> NotedMail:
        envelope = job.envelope
        return cls(
            job.thread_id, job.pair, job.job_id, job.received_at, envelope.sender, envelope.subject, job.command.value
        )

    @classmethod
    def of_refusal(cls, refusal: Refusal) -> NotedMail | None:
        """None if the mail belongs to no conversation."""
        origin, received = refusal.question or refusal, refusal.received_at
        if origin.thread_id is None or origin.pair is None or received is None:
            return None
        envelope = refusal.envelope
        return cls(origin.thread_id, origin.pair, refusal.job_id, received, envelope.sender, envelope.subject, "")

    @property
    def entry(self) -> str:
        return f"{MAIL}{as_time(self.received_at)}#{self.job_id}"


class ReplyFacts(NamedTuple):
    """How a mail was answered: the code of its result, failure or refusal, and the cost."""

    result: str
    dollars: float = 0.0
    commit: str = ""
    work_seconds: float = 0.0  # of a worker

    @classmethod
    def of(cls, outcome: Outcome) -> ReplyFacts:
        result = outcome.result or outcome.failure or outcome.state
        return cls(str(result), outcome.usage.dollars, outcome.commit or "", outcome.usage.seconds)


class NotedReply(NamedTuple):
    """The reply to a mail of a conversation."""

    mail: NotedMail
    facts: ReplyFacts

    @classmethod
    def of_job(cls, job: Job, outcome: Outcome) -> NotedReply:
        return cls(NotedMail.of_job(job), ReplyFacts.of(outcome))

    @classmethod
    def of_refusal(cls, refusal: Refusal) -> NotedReply | None:
        mail = NotedMail.of_refusal(refusal)
        return cls(mail, ReplyFacts(refusal.reason.value)) if mail else None


def as_time(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds")
