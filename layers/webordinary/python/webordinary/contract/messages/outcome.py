"""Outcomes of jobs: codes and facts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from webordinary.contract.ids import JobId, LanguageCode, Phrase, Words
from webordinary.contract.messages.base import Message
from webordinary.contract.outcomes import ChangeState, EarlierFate, Failure, PageChange, Result
from webordinary.contract.values import limit


class Usage(Message):
    """Tokens, cost and duration of one job."""

    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float = 0.0
    seconds: float = 0.0


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
    summary: Words = ""  # written by the agent
    detail: Words = ""  # technical: build output, the name of an error
    question: Words = ""  # asked by the agent
    not_done: Annotated[tuple[NotDone, ...], Field(max_length=10)] = ()
    language: LanguageCode = ""  # of the mail, according to the agent
    subject: Words = ""  # of the change that was made or undone
    changes: int = 0  # active changes of the thread
    commit: str | None = None
    branch: str | None = None
    changed_files: tuple[str, ...] = ()
    pages: Annotated[tuple[ChangedPage, ...], Field(max_length=limit("changed_pages"))] = ()  # most changed first
    more_pages: int = 0  # further changed pages
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
    preview_url: str | None = None
    live_url: str | None = None
    clashes: tuple[str, ...] = ()  # changes that conflict with a publish
    stale_lock: StaleLock | None = None  # for the site's developer
    empty_folders: EmptyFolders | None = None  # for the site's developer
    usage: Usage = Usage()
