"""Says whether a pair has a live owner, so that the state machine requests a worker early where it has none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from webordinary.aws import clients
from webordinary.aws.clients import Clock, utc_now
from webordinary.contract.messages.job import OwnershipQuestion
from webordinary.contract.messages.ownership import OwnershipAnswer
from webordinary.contract.settings import Settings
from webordinary.tables.ownership import OwnershipTable


@dataclass(frozen=True)
class CheckOwnership:
    ownership: OwnershipTable
    clock: Clock = utc_now

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(OwnershipTable(clients.dynamodb(), settings.names, settings.timing))

    def run(self, question: OwnershipQuestion) -> OwnershipAnswer:
        ownership = self.ownership.inspect(question.job.pair)
        if not ownership.is_live(self.clock(), self.ownership.clock_margin):
            return OwnershipAnswer(owned=False)
        return OwnershipAnswer(owned=True, container_id=ownership.container_id, fence=ownership.fence)
