"""Messages about ownership of pairs: checks, interrupts and worker requests. They name jobs by their ids only."""

from enum import StrEnum

from webordinary.contract.ids import ContainerId, Fence, JobId, Timestamp
from webordinary.contract.messages.base import Message, Pair


class OwnershipAnswer(Message):
    owned: bool
    container_id: ContainerId | None = None
    fence: Fence | None = None


class Interrupt(Message):
    """Asks the owner of a pair to stop the running job in favour of a newer mail."""

    pair: Pair
    running_job_id: JobId
    newer_job_id: JobId
    same_thread: bool
    stop: bool = False  # the newer mail is a stop command
    sent_at: Timestamp


class WorkerRequest(Message):
    """Requests an idle worker for a pair. Sent to the unclaimed queue."""

    pair: Pair
    job_id: JobId
    requested_at: Timestamp


class ClaimOrder(Message):
    """Input of the claim function: the pair that needs a worker, and its job."""

    pair: Pair
    job_id: JobId


class RequestVerdict(StrEnum):
    SENT = "sent"
    RATE_LIMITED = "rate_limited"
    BREAKER_OPEN = "breaker_open"
    PAUSED = "paused"  # no request until an operator resumes the project


class RequestDecision(Message):
    verdict: RequestVerdict
    next_allowed_at: Timestamp
    attempts: int
