"""Notes to the developer of a site, in separate mails."""

from __future__ import annotations

from webordinary.answers.blocks import Answer, Block, Style
from webordinary.answers.foreign_links import one_line
from webordinary.answers.languages import language_of
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import EmptyFolders, Outcome, StaleLock


def note_about_failure(job: Job, outcome: Outcome) -> Answer:
    """The technical details of a failure."""
    language = language_of(outcome.language, job.language)
    note = language.developer_note.format(project=job.pair.project)
    return Answer(language.code, (Block(note), Block(outcome.detail, Style.TECHNICAL)))


def note_about_lock(job: Job, stale: StaleLock) -> Answer:
    """The job succeeded, so the sender is not notified."""
    language = language_of(job.language)
    note = language.stale_lock.format(project=job.pair.project, lock=one_line(stale.file))
    return Answer(language.code, (Block(note),))


def note_about_empty_folders(job: Job, empty: EmptyFolders) -> Answer:
    language = language_of(job.language)
    folders = ", ".join(map(one_line, empty.folders))
    note = language.empty_folders.format(project=job.pair.project, folders=folders)
    return Answer(language.code, (Block(note), Block(empty.detail, Style.TECHNICAL)))
