"""Jobs, and the inputs of the functions that process them."""

from typing import Annotated

from pydantic import StringConstraints

from webordinary.contract.ids import JobId, LanguageCode, ThreadId, Timestamp
from webordinary.contract.messages.base import Message, Pair
from webordinary.contract.messages.mail import Attachment, Envelope
from webordinary.contract.names import branch_of
from webordinary.contract.outcomes import Command
from webordinary.contract.values import limit


class Approval(Message):
    """An approval of what a question was about. `asked_by` is the editor who is notified of the outcome, if any.

    A publish is about a commit of a thread, an unpublish about the live release. Without either nothing is approved:
    the question no longer counted, and is asked again about the present state.
    """

    thread_id: ThreadId
    commit: str
    command: Command = Command.PUBLISH
    release: int | None = None
    tree: str = ""  # of the commit; empty in questions of an older version
    subject: str = ""
    asked_by: Envelope | None = None
    shown: str = ""  # what an editor's worker let the question show: `Outcome.digest_of_question`
    is_checked: bool = False  # whether a worker of the publisher found out what the question shows
    language: str | None = None


class Job(Message):
    """The request of one mail. Its id is the mail's id."""

    job_id: JobId
    pair: Pair
    thread_id: ThreadId
    command: Command = Command.EDIT
    instruction: Annotated[str, StringConstraints(max_length=limit("instruction_characters"))]
    subject: str = ""  # the request in the subject line, if any
    is_forward: bool = False  # whether the instruction is another mail, without words of the editor
    forwarded: Annotated[str, StringConstraints(max_length=limit("instruction_characters"))] = (
        ""  # forwarded text: material, not instructions
    )
    history: Annotated[str, StringConstraints(max_length=limit("history_characters"))] = (
        ""  # quoted text: context, not instructions
    )
    removed: Annotated[str, StringConstraints(max_length=limit("removed_characters"))] = (
        ""  # signatures and footers that the parser took off: context, in case one of them was more
    )
    mentioned_command: Command | None = None  # a command that is mentioned in the edit
    approved: Approval | None = None
    files: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    language: LanguageCode = ""  # detected from the mail's text
    begins_thread: bool = False
    envelope: Envelope
    received_at: Timestamp
    max_dollars: float | None = None  # its budget; None for a job of an older version
    repeated: bool = False  # its mail was processed before: a replay, or a second attempt
    silent: bool = False  # an operator's replay without a reply
    pictures: bool = False  # whether its reply may contain screenshots
    trace: Annotated[str, StringConstraints(max_length=200)] = ""  # X-Ray trace header, if sampled

    @property
    def branch(self) -> str:
        return branch_of(self.thread_id)


class JobReference(Message):
    """The ids in a job message whose other fields cannot be read."""

    job_id: JobId
    pair: Pair


class OwnershipQuestion(Message):
    """Input of the check_ownership function."""

    job: Job


class ControlOrder(Message):
    """Input of the control function: a job whose command needs no worker."""

    job: Job


class DispatchOrder(Message):
    """Input of the dispatch function. The task token stays in the jobs table; workers never see it."""

    job: Job
    task_token: str
