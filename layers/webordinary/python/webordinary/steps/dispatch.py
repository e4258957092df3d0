"""Hands a job to its pair: records it, puts it on the pair's queue, and only then looks for an owner.

In this order no owner can leave unseen: it looks for waiting jobs after its release, and so finds this one, or it has
released before the look here, which then finds no owner.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from webordinary.aws import clients
from webordinary.aws.fleet_trigger import FleetCalls
from webordinary.aws.queue_provisioning import PairQueues, QueueNotReadyError
from webordinary.aws.queues import Queues
from webordinary.aws.telemetry import count, logger, milestone, trace_of_this_call
from webordinary.contract.messages.job import DispatchOrder
from webordinary.contract.settings import Settings
from webordinary.protocol.task_tokens import TaskTokens
from webordinary.tables.claim_requests import ClaimRequests
from webordinary.tables.jobs import JobsTable
from webordinary.tables.ownership import OwnershipTable
from webordinary.tables.pauses import Pauses


@dataclass(frozen=True)
class Dispatch:
    jobs: JobsTable
    queues: Queues
    ownership: OwnershipTable
    claims: ClaimRequests
    tokens: TaskTokens

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        dynamodb, names, timing = clients.dynamodb(), settings.names, settings.timing
        ensure = PairQueues(clients.sqs(), names, timing, settings.kms_key_arn).ensure
        jobs, queues = JobsTable(dynamodb, names), Queues(clients.sqs(), names, ensure)
        fleet = FleetCalls(clients.functions(), names)
        paused = Pauses(dynamodb, names).is_paused
        return cls(
            jobs=jobs,
            queues=queues,
            ownership=OwnershipTable(dynamodb, names, timing),
            claims=ClaimRequests(
                dynamodb,
                queues,
                names,
                timing,
                on_sent=fleet.call,
                before_sending=ensure,
                is_paused=paused,
            ),
            tokens=TaskTokens(clients.stepfunctions(), jobs),
        )

    def run(self, order: DispatchOrder) -> None:
        job = order.job.model_copy(update={"trace": trace_of_this_call() or ""})
        record = self.jobs.record(job, order.task_token)
        if record.state.is_final:
            self.tokens.settle(record, token=order.task_token)
            return
        try:
            self.queues.send_in_order("input", job, group=job.pair.key, deduplication_id=job.job_id, pair=job.pair)
        except QueueNotReadyError as error:
            logger().warning(str(error), extra={"job_id": job.job_id})
            count("QueuesNotReady")
            return  # recorded as waiting: the sweep sends it and asks for an owner
        milestone("job_dispatched", job_id=job.job_id, pair=job.pair.key, thread_id=job.thread_id)
        if not self.ownership.is_owned(job.pair):
            self.claims.request(job.pair, job.job_id)
