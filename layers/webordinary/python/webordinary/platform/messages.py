"""Every message that crosses a boundary, once: raw mail → job → dispatched job → report → reply.

In Python the fields are snake_case, on the wire camelCase. `read` turns outside data into a message or says which field
does not fit; `wire` turns it back. A field that a newer version added is ignored: during a deployment workers and
functions of two versions talk to each other. What people write by hand, such as settings, is read strictly.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic.alias_generators import to_camel

from webordinary.platform.codes import AttachmentProblem as AttachmentProblem
from webordinary.platform.codes import Command as Command
from webordinary.platform.codes import Failure as Failure
from webordinary.platform.codes import PageChange as PageChange
from webordinary.platform.codes import RefusalReason as RefusalReason
from webordinary.platform.codes import Result as Result
from webordinary.platform.contract import limit
from webordinary.platform.errors import InvalidMessageError
from webordinary.platform.ids import ContainerId as ContainerId
from webordinary.platform.ids import Fence, JobId, LanguageCode, Moment, Phrase, ProjectId, ThreadId, UserId, Words
from webordinary.platform.names import branch_of


class Message(BaseModel):
    """Base of all messages: strict about the fields it knows, deaf to those of a newer version, immutable."""

    # Each function uses a few of them: a message is built when it is first read or made, not when this is loaded.
    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="ignore", frozen=True, defer_build=True
    )

    @classmethod
    def read(cls, data: object) -> Self:
        """Reads decoded JSON, or JSON text, into this message."""
        try:
            if isinstance(data, str | bytes):
                return cls.model_validate_json(data)
            return cls.model_validate(data)
        except ValidationError as error:
            raise InvalidMessageError(cls.__name__, error) from error

    def wire(self) -> dict[str, Any]:
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    def wire_text(self) -> str:
        return self.model_dump_json(by_alias=True, exclude_none=True)


class Pair(Message):
    """A project and one of its users: the unit of ownership and of ordering."""

    project: ProjectId
    user: UserId

    @property
    def key(self) -> str:
        return f"{self.project}#{self.user}"

    @classmethod
    def from_key(cls, key: str) -> Pair:
        project, _, user = key.partition("#")
        return cls.read({"project": project, "user": user})

    def __str__(self) -> str:
        return self.key


class RawMail(Message):
    """A mail as SES stored it. Starts one execution, which carries the mail's id as its name."""

    mail_id: JobId
    bucket: str
    key: str
    replay_of: JobId | None = None  # an operator has it carried out once more, under an id of its own
    silent: bool = False  # whatever comes of it, nobody is written to

    @property
    def delivery_id(self) -> str:
        """What counts as one delivery: a replay is the mail that it repeats."""
        return self.replay_of or self.mail_id


class Envelope(Message):
    """What an answer needs to know of the mail that it answers."""

    sender: str
    recipient: str
    subject: str
    message_id: str
    references: tuple[str, ...] = ()


class AttachmentRefusal(Message):
    """Why an attachment is not used. `limit` is the bound that it breaks, in the unit that its sentence names."""

    problem: AttachmentProblem
    limit: int | None = None


class AttachmentPart(Message):
    """An attachment as its mail brought it: the input of process_attachment. One that is refused was not stored."""

    bucket: str
    key: str
    pair: Pair
    name: str
    content_type: str
    content_id: str | None = None
    inline: bool = False
    refused: AttachmentRefusal | None = None


class Attachment(Message):
    """An attachment in the media bucket, ready for agent and site; or the reason why it is not."""

    name: str
    content_type: str = ""
    key: str | None = None
    fallback_key: str | None = None
    decoration: bool = False  # a logo in a signature and the like: of no use, and not worth a word in the answer
    size: int = 0
    sha256: str | None = None
    width: int | None = None
    height: int | None = None
    content_id: str | None = None
    refused: AttachmentRefusal | None = None


class Approved(Message):
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
    beside: Command | None = None  # a command that is mentioned beside the edit
    approved: Approved | None = None
    files: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    language: LanguageCode = ""  # of the mail, as far as its words tell
    begins_thread: bool = False
    envelope: Envelope
    received_at: Moment
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


class Decision(StrEnum):
    ACCEPT = "accept"  # becomes a job
    ANSWER = "answer"  # refused, and the sender is told why
    DROP = "drop"  # refused in silence: an answer could feed a loop or reach an innocent


class ParseResult(Message):
    """What parse_email makes of a mail. The state machine branches on `decision`."""

    decision: Decision
    reason: str
    job: Job | None = None
    attachment_parts: tuple[AttachmentPart, ...] = ()
    refusal: Refusal | None = None


class Refusal(Message):
    """Why a mail became no job, for its answer. `addresses` are those to write to, `goes_on_at` says when."""

    job_id: JobId
    envelope: Envelope
    reason: RefusalReason
    language: LanguageCode = ""
    addresses: tuple[str, ...] = ()
    project: str = ""
    goes_on_at: Moment | None = None


class ControlOrder(Message):
    """Input of the control function: a job whose command needs no worker."""

    job: Job


class OwnershipQuestion(Message):
    job: Job


class OwnershipAnswer(Message):
    owned: bool
    container_id: ContainerId | None = None
    fence: Fence | None = None
    running_job_id: JobId | None = None
    interrupted: bool = False


class Interrupt(Message):
    """Tells the owner of a pair that a newer mail should not wait for the running job."""

    pair: Pair
    running_job_id: JobId
    newer_job_id: JobId
    same_thread: bool
    stop: bool = False  # the newer mail asks for nothing else
    sent_at: Moment


class ClaimRequest(Message):
    """Asks any idle worker to become the owner of a pair. Sent to the unclaimed queue."""

    pair: Pair
    job_id: JobId
    requested_at: Moment


class ClaimOrder(Message):
    """Input of the claim function: ask for a claim on behalf of a job."""

    pair: Pair
    job_id: JobId


class ClaimVerdict(StrEnum):
    SENT = "sent"
    RATE_LIMITED = "rate_limited"
    BREAKER_OPEN = "breaker_open"
    PAUSED = "paused"  # nobody is asked until an operator lets the project go on


class ClaimDecision(Message):
    verdict: ClaimVerdict
    next_allowed_at: Moment
    attempts: int


class DispatchOrder(Message):
    """Input of the dispatch function. The token stays with the jobs table; the worker never sees it."""

    job: Job
    task_token: str


class Usage(Message):
    """The bill of one job."""

    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float = 0.0
    seconds: float = 0.0


class NotDone(Message):
    """A part of what was asked for that was not done."""

    what: Phrase
    why: Phrase = ""


class ChangedPage(Message):
    """A page whose built form changed: its path on the site, and its words before and after where they are few."""

    path: Annotated[str, StringConstraints(max_length=500)]
    change: PageChange
    title: Phrase = ""
    before: Phrase = ""
    after: Phrase = ""


class StaleLock(Message):
    """A lock file that does not fit its site: other packages than it names were installed."""

    file: Phrase
    packages: Annotated[str, StringConstraints(pattern="^[0-9a-f]{1,64}$")]  # the same as long as nobody mends it


class EmptyFolders(Message):
    """Folders of a site that stay empty, because they come from repositories that are not fetched."""

    folders: Annotated[tuple[Phrase, ...], Field(max_length=10)]
    detail: Words  # technical lines: which repository, and why
    digest: Annotated[str, StringConstraints(pattern="^[0-9a-f]{1,64}$")]  # the same as long as nobody mends it


class Outcome(Message):
    """How a job ended, in codes and facts. `state` is the job's final state."""

    state: Literal["done", "failed", "preempted"]
    result: Result | None = None
    failure: Failure | None = None
    summary: Words = ""  # the agent's own, and nobody else's
    detail: Words = ""  # technical lines: what a build said, the name of an error
    question: Words = ""  # the agent's, where it asks back
    not_done: Annotated[tuple[NotDone, ...], Field(max_length=10)] = ()
    language: LanguageCode = ""  # of the mail, as far as the agent said it
    subject: Words = ""  # of the change that was made or taken back
    changes: int = 0  # that the conversation has made so far
    commit: str | None = None
    branch: str | None = None
    changed_files: tuple[str, ...] = ()
    pages: Annotated[tuple[ChangedPage, ...], Field(max_length=limit("pages_told"))] = ()  # most changed first
    more_pages: int = 0  # that changed besides
    went_to: JobId | None = None  # the newer job that took over
    stopped_by: JobId | None = None  # the job that asked for it
    running: tuple[Phrase, ...] = ()  # what a status tells: subjects of what runs, waits and was changed
    waiting: tuple[Phrase, ...] = ()
    made: tuple[Phrase, ...] = ()
    made_live: int = 0  # how many of those, the oldest, are live
    something_live: bool = False  # from whichever conversation
    stopped: tuple[Phrase, ...] = ()
    preview_url: str | None = None
    live_url: str | None = None
    clashes: tuple[str, ...] = ()  # changes that a publish cannot be joined with
    stale_lock: StaleLock | None = None  # for the site's developer
    empty_folders: EmptyFolders | None = None  # likewise
    usage: Usage = Usage()


class ReportKind(StrEnum):
    HEARTBEAT = "heartbeat"
    FINISHED = "finished"


class WorkerReport(Message):
    """What a worker tells the relay over the output queue. Counts only if its fence is the one that runs the job."""

    kind: ReportKind
    pair: Pair
    job_id: JobId
    fence: Fence
    container_id: ContainerId
    sent_at: Moment
    outcome: Outcome | None = None


class PictureOrder(Message):
    """Input of the picture function: the pages that a job changed, the one that changed most first."""

    pair: Pair
    job_id: JobId
    thread_id: ThreadId
    pages: tuple[ChangedPage, ...]


class PicturesTaken(Message):
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


ParseResult.model_rebuild()
