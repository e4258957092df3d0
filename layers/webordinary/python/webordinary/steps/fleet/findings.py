"""What a run of the fleet finds and does, a pass at a time."""

from __future__ import annotations

from dataclasses import dataclass, field

from webordinary.contract.messages.base import Message
from webordinary.tables.fleet_decisions import Reason
from webordinary.tables.workers import Phase, WorkerEntry


class FleetResult(Message):
    """What one run saw and did."""

    waiting: int = 0
    workers: int = 0
    busy: int = 0
    started: int = 0
    stopped: int = 0
    freed: int = 0
    missing: int = 0


@dataclass
class FleetPass:
    """The findings of one pass over all slots."""

    taken: list[WorkerEntry] = field(default_factory=list)
    waiting: int = 0
    started: int = 0
    stopped: int = 0
    freed: int = 0
    missing: int = 0
    spare: int = 0
    reason: Reason = Reason.STEADY
    outdated: bool = False  # another pass is needed to see the current state

    def count(self, *phases: Phase) -> int:
        return sum(entry.phase in phases for entry in self.taken)

    def add(self, earlier: FleetPass) -> None:
        """Adds what an earlier pass of the same run did."""
        self.started += earlier.started
        self.stopped += earlier.stopped
        self.freed += earlier.freed
        if earlier.reason is not Reason.STEADY:
            self.reason = earlier.reason

    def result(self) -> FleetResult:
        return FleetResult(
            waiting=self.waiting,
            workers=len(self.taken),
            busy=self.count(Phase.BUSY),
            started=self.started,
            stopped=self.stopped,
            freed=self.freed,
            missing=self.missing,
        )
