"""Inputs and results of the picture and reply functions."""

from __future__ import annotations

from webordinary.contract.ids import JobId, ThreadId
from webordinary.contract.messages.base import Message, Pair
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import ChangedPage, Outcome
from webordinary.contract.messages.parse import Refusal


class PictureOrder(Message):
    """Input of the picture function: the pages that a job changed, the one that changed most first."""

    pair: Pair
    job_id: JobId
    thread_id: ThreadId
    pages: tuple[ChangedPage, ...]


class PictureResult(Message):
    """What the reply finds: a picture of the page as it is in the preview, and one of what visitors see."""

    path: str = ""
    before: bool = False
    after: bool = False


class ReplyOrder(Message):
    """Input of the reply function: a job (its record says how it ended) or a refusal.

    `problem` is the error that ended the wait for the job, where it was not the job's own end. `outcome` is how a job
    ended that no worker was needed for.
    """

    job: Job | None = None
    outcome: Outcome | None = None
    problem: str | None = None
    refusal: Refusal | None = None


class ReplyReceipt(Message):
    """The answer that went out, or went out before, or was not wanted."""

    job_id: JobId
    message_id: str
    duplicate: bool = False
    silent: bool = False
