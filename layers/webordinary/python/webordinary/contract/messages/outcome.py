"""How a job ended, in codes and facts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from webordinary.contract.ids import JobId, LanguageCode, Phrase, Words
from webordinary.contract.messages.base import Message
from webordinary.contract.outcomes import Failure, PageChange, Result
from webordinary.contract.values import limit


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
    pages: Annotated[tuple[ChangedPage, ...], Field(max_length=limit("changed_pages"))] = ()  # most changed first
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
