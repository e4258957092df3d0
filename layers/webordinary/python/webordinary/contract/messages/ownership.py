"""Messages about who owns a pair: checks, interrupts and requests for a worker."""

from __future__ import annotations

from enum import StrEnum

from webordinary.contract.ids import ContainerId, Fence, JobId, Timestamp
from webordinary.contract.messages.base import Message, Pair
from webordinary.contract.messages.job import Job


class OwnershipQuestion(Message):
    job: Job


class OwnershipAnswer(Message):
    owned: bool
    container_id: ContainerId | None = None
    fence: Fence | None = None


class Interrupt(Message):
    """Tells the owner of a pair that a newer mail should not wait for the running job."""

    pair: Pair
    running_job_id: JobId
    newer_job_id: JobId
    same_thread: bool
    stop: bool = False  # the newer mail asks for nothing else
    sent_at: Timestamp


class WorkerRequest(Message):
    """Asks any idle worker to become the owner of a pair. Sent to the unclaimed queue."""

    pair: Pair
    job_id: JobId
    requested_at: Timestamp


class ClaimOrder(Message):
    """Input of the claim function: ask for a claim on behalf of a job."""

    pair: Pair
    job_id: JobId


class RequestVerdict(StrEnum):
    SENT = "sent"
    RATE_LIMITED = "rate_limited"
    BREAKER_OPEN = "breaker_open"
    PAUSED = "paused"  # nobody is asked until an operator lets the project go on


class RequestDecision(Message):
    verdict: RequestVerdict
    next_allowed_at: Timestamp
    attempts: int
