"""Commit messages of jobs, with the trailers that later jobs read."""

from __future__ import annotations

from webordinary.contract.messages.job import Job
from webordinary.sites.live_releases import LiveRelease
from webordinary_worker.git.main_branch import PUBLISHES, REVERTS_RELEASE, UNPUBLISHES
from webordinary_worker.git.work_tree import INTERRUPTED_JOB, JOB, UNDOES

SUBJECT_CHARACTERS = 72


def subject_line(instruction: str, prefix: str = "") -> str:
    """The first words of the instruction, short enough for one line of `git log`."""
    first = next((line.strip() for line in instruction.splitlines() if line.strip()), "Change the site")
    line = prefix + " ".join("".join(char if char.isprintable() else " " for char in first).split())
    if len(line) <= SUBJECT_CHARACTERS:
        return line
    cut = line[: SUBJECT_CHARACTERS - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut[len(prefix) + 20 :] else cut) + "…"


def commit_message(job: Job) -> str:
    return f"{subject_line(job.instruction)}\n\nRequested by mail.\n\n{JOB}: {job.job_id}\n"


def interrupted_message(job: Job) -> str:
    # Not the trailer of a finished job: a resumed job must not take this commit for its result.
    subject = subject_line(job.instruction, prefix="interrupted: ")
    return f"{subject}\n\nPartial work: a newer mail interrupted this job.\n\n{INTERRUPTED_JOB}: {job.job_id}\n"


def resumed_message(job: Job) -> str:
    subject = subject_line(job.instruction, prefix="resumed: ")
    return f"{subject}\n\nReverts the partial work; the job's final commit contains it."


def undo_message(job: Job, subject: str, undone: str) -> str:
    line = subject_line(subject, prefix="Undo: ")
    return f"{line}\n\nRequested by mail.\n\n{JOB}: {job.job_id}\n{UNDOES}: {undone}\n"


def publish_message(job: Job, subject: str, thread_id: str) -> str:
    line = subject_line(subject, prefix="Publish: ")
    return f"{line}\n\nRequested by mail.\n\n{JOB}: {job.job_id}\n{PUBLISHES}: {thread_id}\n"


def unpublish_message(job: Job, subject: str, shown: LiveRelease) -> str:
    line = subject_line(subject.removeprefix("Publish: "), prefix="Unpublish: ")
    trailers = f"{JOB}: {job.job_id}\n{REVERTS_RELEASE}: {shown.number}\n"
    if shown.thread_id:
        trailers += f"{UNPUBLISHES}: {shown.thread_id}\n"
    return f"{line}\n\nRequested by mail.\n\n{trailers}"
