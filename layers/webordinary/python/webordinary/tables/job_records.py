"""Records of the jobs table, including those that cannot be used.

A pair's workers may write records of their pair, so a record's key says whose job it is, and its content is a claim: a
job that names another pair or id is rejected. A record may also be damaged or written by a newer version. It must
affect its own job only: callers that iterate get an UnreadableJob in its place.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from webordinary.aws.telemetry import count, logger
from webordinary.contract.errors import InvalidMessageError, WebordinaryError
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import Outcome

Value = TypeVar("Value")


class JobState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    PREEMPTED = "preempted"

    @property
    def is_final(self) -> bool:
        return self not in (JobState.WAITING, JobState.RUNNING)


class JobRecord(NamedTuple):
    job: Job
    state: JobState
    fence: int | None
    task_token: str | None
    outcome: Outcome | None
    updated_at: int  # epoch milliseconds
    received_at: str  # ISO format; its place in the open-jobs index
    tries_again_at: str | None = None  # ISO format; when its mail is processed again

    @property
    def pair(self) -> Pair:
        return self.job.pair

    @property
    def job_id(self) -> str:
        return self.job.job_id


class UnreadableJob(NamedTuple):
    """The keys of a record that cannot be used. `pair` is None if its key is invalid too."""

    pair: Pair | None
    job_id: str
    state: str
    received_at: str
    cause: str
    is_foreign: bool = False  # its job names another pair or id than its key: no version of ours wrote it


class UnreadableJobError(WebordinaryError):
    """The record of a job cannot be used."""

    def __init__(self, unreadable: UnreadableJob) -> None:
        super().__init__(f"Unreadable record of job {unreadable.job_id}: {unreadable.cause}")
        self.unreadable = unreadable


class _ForeignJobError(ValueError):
    """The job of a record does not match its key."""

    def __init__(self, job: Job) -> None:
        super().__init__(f"its job is {job.job_id} of {job.pair}")


def read_record(item: dict[str, Any]) -> JobRecord:
    """Parses an item of the table; raises UnreadableJobError."""
    try:
        job, outcome = Job.read(item["job"]), item.get("outcome")
        if (job.pair.key, job.job_id) != (item["projectKey"], item["jobId"]):
            raise _ForeignJobError(job)
        return JobRecord(
            job=job,
            state=JobState(item["state"]),
            fence=_typed(item.get("fence"), int),
            task_token=_typed(item.get("taskToken"), str),
            outcome=Outcome.read(outcome) if outcome else None,
            updated_at=int(item["updatedAt"]),
            received_at=_typed(item.get("receivedAt"), str) or job.received_at.isoformat(),
            tries_again_at=_typed(item.get("triesAgainAt"), str),
        )
    except (InvalidMessageError, KeyError, ValueError, TypeError) as error:
        raise UnreadableJobError(_unreadable(item, error)) from error


def _typed(value: Any, kind: type[Value]) -> Value | None:
    if value is not None and not isinstance(value, kind):
        raise TypeError(f"a value is {type(value).__name__} instead of {kind.__name__}")
    return value


def _unreadable(item: dict[str, Any], error: Exception) -> UnreadableJob:
    try:
        pair = Pair.from_key(str(item.get("projectKey", "")))
    except InvalidMessageError:
        pair = None
    described = isinstance(error, InvalidMessageError | _ForeignJobError)
    return UnreadableJob(
        pair=pair,
        job_id=str(item.get("jobId", "")),
        state=str(item.get("state", "")),
        received_at=str(item.get("receivedAt", "")),
        cause=str(error) if described else type(error).__name__,
        is_foreign=isinstance(error, _ForeignJobError),
    )


def read_or_report(item: dict[str, Any]) -> JobRecord | UnreadableJob:
    try:
        return read_record(item)
    except UnreadableJobError as error:
        logger().error(str(error))
        count("UnreadableJobs")
        return error.unreadable
