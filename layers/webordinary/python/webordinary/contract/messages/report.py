"""Reports of workers to relay_callback, sent through the output queue."""

from enum import StrEnum

from webordinary.contract.ids import ContainerId, Fence, JobId, Timestamp
from webordinary.contract.messages.base import Message, Pair
from webordinary.contract.messages.outcome import Outcome


class ReportKind(StrEnum):
    HEARTBEAT = "heartbeat"
    FINISHED = "finished"


class WorkerReport(Message):
    """A report of a worker to the relay. Ignored unless its fence is the one that runs the job."""

    kind: ReportKind
    pair: Pair
    job_id: JobId
    fence: Fence
    container_id: ContainerId
    sent_at: Timestamp
    outcome: Outcome | None = None


class UnreadableReport(Message):
    """A dead letter: a message that the relay could not read, with the sender that SQS recorded."""

    body: str
    group: str
    sender_id: str | None = None
