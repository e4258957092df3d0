"""Asks for a worker for a pair that nobody owns, at most once per window.

The rules (window, growing distances, breaker) are those of the worker-requests table. Once a request was sent, the
fleet is called, so that a worker is there to take it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from webordinary.aws import clients
from webordinary.aws.fleet_trigger import FleetTrigger
from webordinary.aws.queue_provisioning import PairQueues
from webordinary.aws.queues import Queues
from webordinary.contract.messages.ownership import ClaimOrder, RequestDecision
from webordinary.contract.settings import Settings
from webordinary.tables.pauses import Pauses
from webordinary.tables.worker_requests import WorkerRequests


@dataclass(frozen=True)
class Claim:
    worker_requests: WorkerRequests

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        names, timing = settings.names, settings.timing
        queues, fleet = Queues(clients.sqs(), names), FleetTrigger(clients.functions(), names)
        ensure = PairQueues(clients.sqs(), names, timing, settings.kms_key_arn).ensure
        paused = Pauses(clients.dynamodb(), names).is_paused
        return cls(
            WorkerRequests(
                clients.dynamodb(),
                queues,
                names,
                timing,
                on_sent=fleet.invoke,
                before_sending=ensure,
                is_paused=paused,
            ),
        )

    def run(self, order: ClaimOrder) -> RequestDecision:
        return self.worker_requests.request(order.pair, order.job_id)
