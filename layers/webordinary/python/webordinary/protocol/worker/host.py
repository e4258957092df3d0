"""What the protocol asks of the machine that it runs on: time, threads, and the rights of one pair."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from webordinary.aws.clients import Clock
from webordinary.aws.queues import Queues
from webordinary.contract.messages.broker import Grant, PairCredentials
from webordinary.contract.messages.job import Job
from webordinary.contract.settings import Timing
from webordinary.protocol.worker.lease import Lease
from webordinary.protocol.worker.run import Run
from webordinary.protocol.worker.running_job import Interrupts, RunningJob
from webordinary.tables.jobs import JobsTable
from webordinary.tables.ownership import Ownership, OwnershipTable

# Asked before anything is published; raises PairLostError when it is too late.
CheckLease = Callable[[], None]


@dataclass(frozen=True)
class Granted:
    """A pair that the worker owns, and what opens the access to it."""

    ownership: Ownership
    job_id: str  # for which a worker was asked
    credentials: PairCredentials
    claim_sent_at: float  # by the host's monotonic time, and never too late

    @classmethod
    def by(cls, grant: Grant, asked_at: float) -> Granted:
        """`asked_at` is when the broker was asked. It waited for a request first, and began after that: so the claim
        was made no earlier than this says."""
        ownership = Ownership(grant.pair, grant.container_id, grant.fence, grant.lease_expires_at)
        return cls(ownership, grant.job_id, grant.credentials, asked_at + grant.waited_seconds)


class Broker(Protocol):
    """What a worker without a pair can do: ask. Every method raises NotRegisteredError where it should end."""

    def pair(self) -> Granted | None:
        """A pair to serve; None if nobody waited for a worker just now. The same pair again if the last answer got
        lost."""

    def should_yield(self) -> bool:
        """Whether a worker whose pair is quiet should leave for somebody who waits."""

    def leaving(self) -> None: ...
    def gone(self) -> None:
        """The worker ends. If something waits for its pair, a successor is asked for."""


@dataclass(frozen=True)
class PairAccess:
    """Tables and queues with the rights of one pair, and what carries out its jobs."""

    ownership: OwnershipTable
    jobs: JobsTable
    queues: Queues
    prepare: Callable[[Job, CheckLease], Run]


class Host(Protocol):
    timing: Timing
    clock: Clock

    def monotonic(self) -> float: ...

    def is_leaving(self) -> bool:
        """Whether the worker was told to go."""

    def keep(self, lease: Lease) -> AbstractContextManager[None]:
        """Renews the lease in time and sees to it that its end is noticed, while the body runs."""

    def listen(self, interrupts: Interrupts) -> AbstractContextManager[None]:
        """Polls for interrupts whenever a job is attended to, while the body runs."""

    def attend(self, running: RunningJob) -> AbstractContextManager[None]:
        """Beats for the job and minds its time while the body runs. No beat is under way afterwards."""

    def enter(self, granted: Granted) -> PairAccess:
        """The rights of the pair that was claimed."""
