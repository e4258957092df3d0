"""A job: what one mail asks for, and the inputs of the functions that take it further."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

from webordinary.contract.ids import JobId, LanguageCode, ThreadId, Timestamp
from webordinary.contract.messages.base import Message, Pair
from webordinary.contract.messages.mail import Attachment, Envelope
from webordinary.contract.names import branch_of
from webordinary.contract.outcomes import Command
from webordinary.contract.values import limit


class Approval(Message):
    """What a publisher is asked about, and says yes to: the state of another conversation. `asked_by` hears of it."""

    thread_id: ThreadId
    commit: str
    subject: str = ""
    asked_by: Envelope | None = None
    language: str | None = None


class Job(Message):
    """What one mail asks for. Its id is the mail's id."""

    job_id: JobId
    pair: Pair
    thread_id: ThreadId
    command: Command = Command.EDIT
    instruction: Annotated[str, StringConstraints(max_length=limit("instruction_characters"))]
    subject: str = ""  # what the mail is about, where its subject says so
    forwarded: Annotated[str, StringConstraints(max_length=limit("instruction_characters"))] = ""  # material
    history: Annotated[str, StringConstraints(max_length=limit("history_characters"))] = ""  # context, no instruction
    mentioned_command: Command | None = None  # a command that is mentioned in the edit
    approved: Approval | None = None
    files: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    language: LanguageCode = ""  # of the mail, as far as its words tell
    begins_thread: bool = False
    envelope: Envelope
    received_at: Timestamp
    max_dollars: float | None = None  # what is left of the day for it; None for a job of an older version
    silent: bool = False  # an operator's replay that nobody is written to about
    pictures: bool = False  # its answer may show pictures of what changed
    trace: Annotated[str, StringConstraints(max_length=200)] = ""  # that it belongs to, if one is recorded

    @property
    def branch(self) -> str:
        return branch_of(self.thread_id)


class JobReference(Message):
    """Which job a message is about, where the rest of it cannot be read."""

    job_id: JobId
    pair: Pair


class ControlOrder(Message):
    """Input of the control function: a job whose command needs no worker."""

    job: Job


class DispatchOrder(Message):
    """Input of the dispatch function. The token stays with the jobs table; the worker never sees it."""

    job: Job
    task_token: str
