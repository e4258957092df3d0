"""One job on its way, as the protocol sees it."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from webordinary.contract.errors import WebordinaryError
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Failure


class CancelReason(StrEnum):
    LOST = "lost"  # somebody else may own the pair: publish nothing more
    SHUTDOWN = "shutdown"  # this worker goes away: leave the job to another
    INTERRUPTED = "interrupted"  # a newer mail goes first: keep the partial work
    TIMED_OUT = "timed_out"  # the job took longer than a job may


class JobCancelledError(WebordinaryError):
    """The job was cancelled before it was done; what happens to it depends on the reason."""

    def __init__(self, reason: CancelReason) -> None:
        super().__init__(f"The job was cancelled ({reason}).")
        self.reason = reason


class Run(Protocol):
    """A job on its way. Making one does nothing yet; `run` returns the outcome or raises JobCancelledError."""

    def run(self, *, after_interrupted: bool) -> Outcome: ...
    def cancel(self, reason: CancelReason) -> None:
        """May be called at any time, also before `run`, and by anybody."""

    def keep_partial_work(self) -> str | None:
        """Publishes what a cancelled job has done so far. Returns the commit, if there was anything."""

    def discard_partial_work(self) -> None: ...
    def outcome_preempted(self, commit: str | None) -> Outcome: ...
    def outcome_failed(self, failure: Failure, detail: str = "") -> Outcome: ...
