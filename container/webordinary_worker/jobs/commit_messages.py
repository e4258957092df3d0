"""Commit messages of jobs, with the trailers that later jobs read."""

from __future__ import annotations

from collections.abc import Iterable

from webordinary.contract.messages.job import Job
from webordinary.mail.commands.request_name import request_name
from webordinary.sites.live_releases import LiveRelease
from webordinary_worker.git.main_branch import PUBLISHES, REVERTS_RELEASE, UNPUBLISHES
from webordinary_worker.git.thread_commits import DECIDED_BY, INCLUDES_JOB, INTERRUPTED, INTERRUPTED_JOB, JOB, UNDOES

SUBJECT_CHARACTERS = 72
UNNAMED = "Change the site"
PUBLISH = "Publish: "


def subject_line(text: str, prefix: str = "") -> str:
    """The text on one line, short enough for one line of `git log`."""
    line = prefix + (" ".join("".join(char if char.isprintable() else " " for char in text).split()) or UNNAMED)
    if len(line) <= SUBJECT_CHARACTERS:
        return line
    cut = line[: SUBJECT_CHARACTERS - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut[len(prefix) + 20 :] else cut) + "…"


def commit_message(job: Job, name: str, includes: Iterable[str] = ()) -> str:
    """`includes`: interrupted jobs whose work is in the commit."""
    return f"{subject_line(name)}\n\nRequested by mail.\n\n{JOB}: {job.job_id}\n{_lines(INCLUDES_JOB, includes)}"


def separate_message(job: Job, name: str, includes: Iterable[str]) -> str:
    """For a change of interrupted jobs only, made by a job that changed nothing itself."""
    return f"{subject_line(name)}\n\nRequested by mail.\n\n{DECIDED_BY}: {job.job_id}\n{_lines(INCLUDES_JOB, includes)}"


def interrupted_message(job: Job, earlier: Iterable[str] = ()) -> str:
    # Not the trailer of a finished job: a resumed job must not take this commit for its result.
    subject = subject_line(request_name(job.instruction, job.subject), prefix=INTERRUPTED)
    jobs = (*(one for one in earlier if one != job.job_id), job.job_id)
    return f"{subject}\n\nPartial work: a newer mail interrupted this job.\n\n{_lines(INTERRUPTED_JOB, jobs)}"


def resumed_message(job: Job) -> str:
    reason = "Reverts the partial work; the job that resumed it commits all of it, or none."
    return f"resumed: partial work\n\n{reason}\n\n{DECIDED_BY}: {job.job_id}\n"


def failed_message(job: Job) -> str:
    return f"{subject_line('not deployed: ' + job.job_id)}\n\nReverts a change that could not be deployed.\n\n"


def undo_message(job: Job, subject: str, undone: str = "") -> str:
    line = subject_line(subject, prefix="Undo: ")
    trailers = f"{JOB}: {job.job_id}\n" + (f"{UNDOES}: {undone}\n" if undone else "")
    return f"{line}\n\nRequested by mail.\n\n{trailers}"


def publish_message(job: Job, subject: str, thread_id: str) -> str:
    line = subject_line(subject, prefix=PUBLISH)
    return f"{line}\n\nRequested by mail.\n\n{JOB}: {job.job_id}\n{PUBLISHES}: {thread_id}\n"


def unpublish_message(job: Job, subject: str, shown: LiveRelease) -> str:
    line = subject_line(subject.removeprefix(PUBLISH), prefix="Unpublish: ")
    trailers = f"{JOB}: {job.job_id}\n{REVERTS_RELEASE}: {shown.number}\n"
    if shown.thread_id:
        trailers += f"{UNPUBLISHES}: {shown.thread_id}\n"
    return f"{line}\n\nRequested by mail.\n\n{trailers}"


def _lines(key: str, values: Iterable[str]) -> str:
    return "".join(f"{key}: {value}\n" for value in values)
