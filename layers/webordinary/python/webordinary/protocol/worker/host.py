"""What the protocol asks of the machine that it runs on: time, threads, and the rights of one pair."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from webordinary.platform.clients import Clock
from webordinary.platform.messages import Job, Pair
from webordinary.platform.queues import Queues
from webordinary.platform.settings import Timing
from webordinary.protocol.worker.lease import Lease
from webordinary.protocol.worker.run import Run
from webordinary.protocol.worker.running_job import Interrupts, RunningJob
from webordinary.tables.claim_requests import ClaimRequests
from webordinary.tables.jobs import JobsTable
from webordinary.tables.ownership import Ownership, OwnershipTable

# Asked before anything is published; raises PairLostError when it is too late.
MayPublish = Callable[[], None]


@dataclass(frozen=True)
class OwnAccess:
    """What a worker reaches with its own rights, before it has a pair."""

    queues: Queues
    ownership: OwnershipTable
    jobs: JobsTable
    claims: ClaimRequests


class Place(Protocol):
    """The worker's place in the fleet. `idle` and `busy` raise NotRegisteredError where it has none any more."""

    def idle(self) -> None: ...
    def busy(self, pair: Pair, job_id: str) -> None: ...
    def leaving(self) -> None: ...
    def gone(self) -> None: ...
    def make_room(self) -> bool:
        """Whether a worker whose pair is quiet should leave for somebody who waits."""


class NoPlace:
    """For a worker that somebody started by hand: no fleet counts it, and none stops it."""

    def idle(self) -> None:
        """Nobody wants to know."""

    def busy(self, pair: Pair, job_id: str) -> None:
        """Nobody wants to know."""

    def leaving(self) -> None:
        """Nobody wants to know."""

    def gone(self) -> None:
        """Nobody wants to know."""

    def make_room(self) -> bool:
        return False


@dataclass(frozen=True)
class PairAccess:
    """Tables and queues with the rights of one pair, and what carries out its jobs."""

    ownership: OwnershipTable
    jobs: JobsTable
    claims: ClaimRequests
    queues: Queues
    prepare: Callable[[Job, MayPublish], Run]


class Host(Protocol):
    container_id: str
    timing: Timing
    clock: Clock

    def monotonic(self) -> float: ...

    def wait(self, seconds: float) -> None:
        """Waits, not longer than until the worker is told to go."""

    def is_leaving(self) -> bool:
        """Whether the worker was told to go."""

    def keep(self, lease: Lease) -> AbstractContextManager[None]:
        """Renews the lease in time and sees to it that its end is noticed, while the body runs."""

    def listen(self, interrupts: Interrupts) -> AbstractContextManager[None]:
        """Polls for interrupts whenever a job is attended to, while the body runs."""

    def attend(self, running: RunningJob) -> AbstractContextManager[None]:
        """Beats for the job and minds its time while the body runs. No beat is under way afterwards."""

    def enter(self, ownership: Ownership) -> PairAccess:
        """The rights of the pair that was claimed."""
