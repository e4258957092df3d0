"""One run of a job, as the protocol sees it."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from webordinary.contract.errors import WebordinaryError
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Failure


class CancelReason(StrEnum):
    LOST = "lost"  # another worker may own the pair: push and upload nothing
    SHUTDOWN = "shutdown"  # this worker ends: requeue the job for the next one
    INTERRUPTED = "interrupted"  # a newer job goes first: keep the partial work
    TIMED_OUT = "timed_out"  # the job exceeded its time limit


class JobCancelledError(WebordinaryError):
    """The job was cancelled before it was done; the reason decides what happens to it."""

    def __init__(self, reason: CancelReason) -> None:
        super().__init__(f"The job was cancelled ({reason}).")
        self.reason = reason


class Run(Protocol):
    """One run of a job. The constructor does nothing; `run` returns the outcome or raises JobCancelledError."""

    def run(self) -> Outcome: ...
    def cancel(self, reason: CancelReason) -> None:
        """May be called at any time, also before `run`, and from any background task."""

    def keep_partial_work(self) -> str | None:
        """Commits and pushes the changes of a cancelled run. Returns the commit, or None if there were none."""

    def dollars_so_far(self) -> float:
        """What the job has cost since `run` was called. May be called at any time, from any background task."""

    def discard_partial_work(self) -> None: ...
    def outcome_preempted(self, commit: str | None) -> Outcome: ...
    def outcome_failed(self, failure: Failure, detail: str = "") -> Outcome: ...
