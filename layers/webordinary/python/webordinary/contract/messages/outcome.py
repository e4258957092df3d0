"""Outcomes of jobs: codes and facts."""

import hashlib
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, FiniteFloat, StringConstraints

from webordinary.contract.ids import JobId, LanguageCode, Phrase, Words
from webordinary.contract.messages.base import Message
from webordinary.contract.outcomes import ChangeState, Command, EarlierFate, Failure, PageChange, Result, RiskKind
from webordinary.contract.sizes import cut
from webordinary.contract.values import limit

# An outcome that is too large is cut in these steps: bytes of its texts, bytes of texts in lists, entries of lists.
CUTS = ((24_000, 500, 12), (4000, 250, 10), (1000, 100, 3))
NOT_CUT = frozenset({"branch", "previewUrl", "liveUrl", "path", "packages", "digest"})


def _first_files(files: object) -> object:
    """The first files: an older worker reports all of them."""
    return tuple(files)[: limit("changed_files")] if isinstance(files, list | tuple) else files


class Usage(Message):
    """Tokens, cost and duration of one job."""

    input_tokens: int = 0
    output_tokens: int = 0
    dollars: FiniteFloat = 0.0
    seconds: FiniteFloat = 0.0


class NotDone(Message):
    """A part of the request that was not done."""

    what: Phrase
    why: Phrase = ""


class ChangedPage(Message):
    """A page whose built form changed: its path, and its text before and after if short."""

    path: Annotated[str, StringConstraints(max_length=500)]
    change: PageChange
    title: Phrase = ""
    before: Phrase = ""
    after: Phrase = ""


class Risk(Message):
    """Something that a change adds and that can hurt visitors. `detail` names the host, the address or the file."""

    kind: RiskKind
    detail: Phrase = ""


class StaleLock(Message):
    """A lock file that does not match its manifest: other packages were installed."""

    file: Phrase
    packages: Annotated[str, StringConstraints(pattern="^[0-9a-f]{1,64}$")]  # stable until the lock file is fixed


class EmptyFolders(Message):
    """Folders that stay empty because their repositories (submodules) are not fetched."""

    folders: Annotated[tuple[Phrase, ...], Field(max_length=10)]
    detail: Words  # technical: the repositories, and why
    digest: Annotated[str, StringConstraints(pattern="^[0-9a-f]{1,64}$")]  # stable until it is fixed


class EarlierWork(Message):
    """What this job did with the work of an earlier job that was interrupted or never answered."""

    job_id: JobId
    request: Phrase = ""  # the earlier mail in a few words
    fate: EarlierFate
    commit: str | None = None  # of the change that is separate, or undone
    subject: Phrase = ""  # of that change


class Outcome(Message):
    """How a job ended. `state` is the job's final state."""

    state: Literal["done", "failed", "preempted"]
    result: Result | None = None
    failure: Failure | None = None
    understood: Command | None = None  # named by the agent; only undo has been carried out
    release: int | None = None  # the live release that a question is about
    summary: Words = ""  # written by the agent
    detail: Words = ""  # technical: build output, the name of an error
    question: Words = ""  # asked by the agent
    not_done: Annotated[tuple[NotDone, ...], Field(max_length=10)] = ()
    language: LanguageCode = ""  # of the mail, according to the agent
    subject: Words = ""  # of the change that was made or undone
    changes: int = 0  # active changes of the thread
    commit: Annotated[str, StringConstraints(max_length=100)] | None = None
    tree: Annotated[str, StringConstraints(max_length=100)] | None = None  # of the commit that a question is about
    branch: Annotated[str, StringConstraints(max_length=500)] | None = None
    changed_files: Annotated[tuple[str, ...], BeforeValidator(_first_files)] = ()
    more_files: int = 0  # further changed files
    pages: Annotated[tuple[ChangedPage, ...], Field(max_length=limit("changed_pages"))] = ()  # most changed first
    more_pages: int = 0  # further changed pages
    risks: Annotated[tuple[Risk, ...], Field(max_length=limit("risks"))] = ()
    more_risks: int = 0
    reverted_files: Annotated[tuple[Phrase, ...], Field(max_length=limit("reverted_files"))] = ()  # not the agent's
    more_reverted_files: int = 0
    published: tuple[str, ...] = ()  # commits of the changes that a publish made or kept live
    undone: str | None = None  # the commit of the change that was undone
    still_live: bool = False  # whether the undone change is on the live site until the next publish
    earlier: Annotated[tuple[EarlierWork, ...], Field(max_length=20)] = ()
    handed_over: bool = False  # of a preempted job: the newer job gets its request and its partial work
    went_to: JobId | None = None  # the newer job that preempted it
    stopped_by: JobId | None = None  # the job with the stop command
    running: tuple[Phrase, ...] = ()  # for a status: subjects of running jobs, waiting jobs and changes
    waiting: tuple[Phrase, ...] = ()
    made: tuple[Phrase, ...] = ()
    made_states: tuple[ChangeState, ...] = ()  # of the changes in `made`; empty in outcomes of older versions
    made_live: int = 0  # only in outcomes of older versions: how many of the oldest changes are live
    something_live: bool = False  # whether the project has a live release
    stopped: tuple[Phrase, ...] = ()
    preview_url: Annotated[str, StringConstraints(max_length=2000)] | None = None
    live_url: Annotated[str, StringConstraints(max_length=2000)] | None = None
    clashes: tuple[str, ...] = ()  # changes that conflict with a publish
    stale_lock: StaleLock | None = None  # for the site's developer
    empty_folders: EmptyFolders | None = None  # for the site's developer
    usage: Usage = Field(default_factory=Usage)

    def bounded(self) -> Self:
        """This outcome, cut if it is larger than queues, tables and executions take."""
        outcome = self
        for longest, longest_listed, most in CUTS:
            if len(outcome.wire_text().encode()) <= limit("outcome_bytes"):
                break
            smaller = self.read(_cut(self.wire(), longest, longest_listed, most))
            left_out = {
                "more_files": self.more_files + len(self.changed_files) - len(smaller.changed_files),
                "more_pages": self.more_pages + len(self.pages) - len(smaller.pages),
                "more_risks": self.more_risks + len(self.risks) - len(smaller.risks),
                "more_reverted_files": self.more_reverted_files
                + len(self.reverted_files)
                - len(smaller.reverted_files),
            }
            outcome = smaller.model_copy(update=left_out)
        return outcome

    def digest_of_question(self) -> str:
        """Identifies what a question to publishers shows of this outcome: its pages and risks."""
        names = ("pages", "more_pages", "risks", "more_risks")
        shown = type(self)(state="done", **{name: getattr(self, name) for name in names})
        return hashlib.sha256(shown.wire_text().encode()).hexdigest()

    def for_execution(self) -> Self:
        """What the state machine needs. The job's record holds the rest, and the reply function reads it there."""
        shown = [page for page in self.pages if page.change is not PageChange.REMOVED] or [*self.pages]
        page = [ChangedPage(path=one.path, change=one.change) for one in shown[:1]]
        return type(self)(
            state=self.state,
            result=self.result,
            failure=self.failure,
            understood=self.understood,
            preview_url=self.preview_url,
            pages=tuple(page),
        )


def _cut(value: Any, longest: int, longest_listed: int, most: int, name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _cut(inner, longest, longest_listed, most, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [_cut(inner, longest_listed, longest_listed, most, name) for inner in value[:most]]
    return cut(value, longest) if isinstance(value, str) and name not in NOT_CUT else value
