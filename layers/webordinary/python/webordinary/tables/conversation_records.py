"""Records of the conversations table: what is noted, and what is read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from webordinary.contract.messages.base import Pair
from webordinary.tables.spending import MICRO

if TYPE_CHECKING:
    from webordinary.contract.messages.job import Job
    from webordinary.contract.messages.outcome import Outcome
    from webordinary.contract.messages.parse import Refusal

MAIL = "mail#"


@dataclass(frozen=True)
class NotedMail:
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


@dataclass(frozen=True)
class ReplyFacts:
    """How a mail was answered: the code of its result, failure or refusal, and the cost."""

    result: str
    dollars: float = 0.0
    commit: str = ""
    work_seconds: float = 0.0  # of a worker

    @classmethod
    def of(cls, outcome: Outcome) -> ReplyFacts:
        result = outcome.result or outcome.failure or outcome.state
        return cls(str(result), outcome.usage.dollars, outcome.commit or "", outcome.usage.seconds)


@dataclass(frozen=True)
class NotedReply:
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


@dataclass(frozen=True)
class ConversationMail:
    """A mail with its reply, as stored. `replied_at` is empty until the reply is sent."""

    job_id: str
    received_at: str
    sender: str
    subject: str
    command: str
    reply: str = ""
    replied_at: str = ""
    result: str = ""
    commit: str = ""
    dollars: float = 0.0


@dataclass(frozen=True)
class ConversationSummary:
    thread_id: str
    pair_key: str
    project: str
    subject: str
    sender: str
    last_mail_at: str
    last_job: str
    mails: int
    waiting: int
    result: str
    dollars: float

    @property
    def is_open(self) -> bool:
        return self.waiting > 0

    @property
    def user(self) -> str:
        return self.pair_key.partition("#")[2]


@dataclass(frozen=True)
class HourCounts:
    mails: int = 0
    replies: int = 0
    reply_seconds: int = 0  # from the mail to its reply
    work_seconds: int = 0  # of these, the work of a worker
    dollars: float = 0.0


@dataclass(frozen=True)
class Opening:
    """An operator opened the words of a mail."""

    at: str
    job_id: str
    who: str


@dataclass(frozen=True)
class ConversationPage:
    """`next` continues the list; None at its end. DynamoDB may return a short page before the end."""

    found: tuple[ConversationSummary, ...]
    next: dict[str, Any] | None


def as_time(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds")


def read_summary(item: dict[str, Any]) -> ConversationSummary:
    return ConversationSummary(
        thread_id=str(item["threadId"]),
        pair_key=str(item.get("projectKey", "")),
        project=str(item.get("project", "")),
        subject=str(item.get("subject", "")),
        sender=str(item.get("sender", "")),
        last_mail_at=str(item.get("lastMailAt", "")),
        last_job=str(item.get("lastJob", "")),
        mails=int(item.get("mails", 0)),
        waiting=int(item.get("waiting", 0)),
        result=str(item.get("result", "")),
        dollars=int(item.get("dollars", 0)) / MICRO,
    )


def read_mail(item: dict[str, Any]) -> ConversationMail:
    return ConversationMail(
        job_id=str(item.get("jobId", "")),
        received_at=str(item.get("receivedAt", "")),
        sender=str(item.get("sender", "")),
        subject=str(item.get("subject", "")),
        command=str(item.get("command", "")),
        reply=str(item.get("reply", "")),
        replied_at=str(item.get("repliedAt", "")),
        result=str(item.get("result", "")),
        commit=str(item.get("commit", "")),
        dollars=int(item.get("dollars", 0)) / MICRO,
    )
