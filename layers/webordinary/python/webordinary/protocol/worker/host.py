"""What the protocol needs from its host: time, background tasks, and AWS clients for one pair."""

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

# Called before every push and upload; raises PairLostError if the lease is lost.
CheckLease = Callable[[], None]


@dataclass(frozen=True)
class ClaimedPair:
    """A pair that this worker has claimed, with the credentials for it."""

    ownership: Ownership
    job_id: str  # an open job of the pair
    credentials: PairCredentials
    claim_sent_at: float  # monotonic; a lower bound of the claim's time

    @classmethod
    def from_grant(cls, grant: Grant, asked_at: float) -> ClaimedPair:
        """`asked_at` is when the call started. The broker waited for a worker request first and claimed after that."""
        ownership = Ownership(grant.pair, grant.container_id, grant.fence, grant.lease_expires_at)
        return cls(ownership, grant.job_id, grant.credentials, asked_at + grant.waited_seconds)


class BrokerApi(Protocol):
    """The calls that a worker makes to the broker. Each raises NotRegisteredError if the worker should end."""

    def pair(self) -> ClaimedPair | None:
        """The claimed pair, or None if no worker is requested. The same pair again if the last response was lost."""

    def should_yield(self) -> bool:
        """Whether an idle worker should end because other pairs wait for a slot."""

    def leaving(self) -> None: ...
    def gone(self) -> None:
        """The worker ends. If its pair has waiting jobs, the broker requests the next worker."""


@dataclass(frozen=True)
class PairAccess:
    """Tables and queues with the credentials of one pair, and the factory for runs of its jobs."""

    ownership: OwnershipTable
    jobs: JobsTable
    queues: Queues
    prepare: Callable[[Job, CheckLease], Run]


class Host(Protocol):
    timing: Timing
    clock: Clock

    def monotonic(self) -> float: ...

    def is_shutting_down(self) -> bool:
        """Whether the worker is shutting down."""

    def keep_renewed(self, lease: Lease) -> AbstractContextManager[None]:
        """Renews the lease while the body runs, and calls `lease.lose` at its deadline."""

    def listen(self, interrupts: Interrupts) -> AbstractContextManager[None]:
        """Polls for interrupts while the body runs, but only while a job is supervised."""

    def supervise(self, running: RunningJob) -> AbstractContextManager[None]:
        """Sends heartbeats and enforces the time limit while the body runs. No heartbeat is in flight afterwards."""

    def open_pair(self, claimed: ClaimedPair) -> PairAccess:
        """Makes tables, queues and tools with the pair's credentials."""
