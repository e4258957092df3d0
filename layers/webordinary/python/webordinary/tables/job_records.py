"""Records of the jobs table, including those that this version cannot read.

A record may be damaged or written by a newer version. It must affect its own job only: callers that iterate get an
UnreadableJob in its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from webordinary.contract.errors import InvalidMessageError, WebordinaryError
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import Outcome


class JobState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    PREEMPTED = "preempted"

    @property
    def is_final(self) -> bool:
        return self not in (JobState.WAITING, JobState.RUNNING)


@dataclass(frozen=True)
class JobRecord:
    job: Job
    state: JobState
    fence: int | None
    task_token: str | None
    outcome: Outcome | None
    updated_at: int  # epoch milliseconds

    @property
    def pair(self) -> Pair:
        return self.job.pair

    @property
    def job_id(self) -> str:
        return self.job.job_id

    @property
    def received_at(self) -> str:
        return self.job.received_at.isoformat()


@dataclass(frozen=True)
class UnreadableJob:
    """The keys of a record that this version cannot read. `pair` is None if its key is invalid too."""

    pair: Pair | None
    job_id: str
    state: str
    received_at: str
    cause: str


class UnreadableJobError(WebordinaryError):
    """This version cannot read the record of a job."""

    def __init__(self, unreadable: UnreadableJob) -> None:
        super().__init__(f"Unreadable record of job {unreadable.job_id}: {unreadable.cause}")
        self.unreadable = unreadable


def read_record(item: dict[str, Any]) -> JobRecord:
    """Parses an item of the table; raises UnreadableJobError."""
    try:
        outcome = item.get("outcome")
        return JobRecord(
            job=Job.read(item["job"]),
            state=JobState(item["state"]),
            fence=item.get("fence"),
            task_token=item.get("taskToken"),
            outcome=Outcome.read(outcome) if outcome else None,
            updated_at=item["updatedAt"],
        )
    except (InvalidMessageError, KeyError, ValueError, TypeError) as error:
        raise UnreadableJobError(_unreadable(item, error)) from error


def _unreadable(item: dict[str, Any], error: Exception) -> UnreadableJob:
    try:
        pair = Pair.from_key(str(item.get("projectKey", "")))
    except InvalidMessageError:
        pair = None
    cause = str(error) if isinstance(error, InvalidMessageError) else type(error).__name__
    return UnreadableJob(
        pair=pair,
        job_id=str(item.get("jobId", "")),
        state=str(item.get("state", "")),
        received_at=str(item.get("receivedAt", "")),
        cause=cause,
    )
