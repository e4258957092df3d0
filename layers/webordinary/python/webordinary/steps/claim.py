"""Asks for a worker for a pair that nobody owns, at most once per window.

The rules (window, growing distances, breaker) are those of the claim-requests table. Once a request was sent, the
fleet is called, so that a worker is there to take it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from webordinary.platform import clients
from webordinary.platform.fleet_calls import FleetCalls
from webordinary.platform.messages import ClaimDecision, ClaimOrder
from webordinary.platform.queues import Queues
from webordinary.platform.settings import Settings
from webordinary.tables.claim_requests import ClaimRequests


@dataclass(frozen=True)
class Claim:
    claims: ClaimRequests

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        queues, fleet = Queues(clients.sqs(), settings.names), FleetCalls(clients.functions(), settings.names)
        return cls(ClaimRequests(clients.dynamodb(), queues, settings.names, settings.timing, on_sent=fleet.call))

    def run(self, order: ClaimOrder) -> ClaimDecision:
        return self.claims.request(order.pair, order.job_id)
