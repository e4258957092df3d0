"""Inputs and results of the picture and reply functions."""

from webordinary.contract.ids import JobId, ThreadId
from webordinary.contract.messages.base import Message, Pair
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import ChangedPage, Outcome
from webordinary.contract.messages.parse import Refusal


class PictureOrder(Message):
    """Input of the picture function: the changed pages of a job, the most changed first."""

    pair: Pair
    job_id: JobId
    thread_id: ThreadId
    pages: tuple[ChangedPage, ...]


class PictureResult(Message):
    """Which screenshots of the page exist: `before` of the live site, `after` of the preview."""

    path: str = ""
    before: bool = False
    after: bool = False


class ReplyOrder(Message):
    """Input of the reply function: a job, whose record has the outcome, or a refusal.

    `problem` is the error that ended the wait for an unfinished job. `outcome` is set for a job without a worker.
    """

    job: Job | None = None
    outcome: Outcome | None = None
    problem: str | None = None
    refusal: Refusal | None = None


class ReplyReceipt(Message):
    """The reply that was sent now or before, or suppressed."""

    job_id: JobId
    message_id: str
    duplicate: bool = False
    silent: bool = False
