"""Requests a worker for a pair without an owner, at most once per window.

The worker-requests table applies the rules (window, backoff, breaker). After a request is sent, the fleet function is
invoked to start a worker for it.
"""

from __future__ import annotations

from typing import NamedTuple, Self

from webordinary.aws import clients
from webordinary.contract.messages.ownership import ClaimOrder, RequestDecision
from webordinary.contract.settings import Settings
from webordinary.protocol.worker_requests import WorkerRequests


class Claim(NamedTuple):
    worker_requests: WorkerRequests

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        clients.functions()  # most claims call the fleet
        return cls(WorkerRequests.from_settings(settings))

    def run(self, order: ClaimOrder) -> RequestDecision:
        return self.worker_requests.request(order.pair, order.job_id)
