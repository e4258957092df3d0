"""Reports of a pair's owner to relay_callback. Each has its own deduplication id."""

from __future__ import annotations

import itertools

from webordinary.aws.clients import Clock
from webordinary.aws.queues import Queues
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.report import ReportKind, WorkerReport
from webordinary.tables.ownership import Ownership


class Reports:
    def __init__(self, queues: Queues, ownership: Ownership, clock: Clock) -> None:
        self._queues = queues
        self._ownership = ownership
        self._clock = clock
        self._numbers = itertools.count(1)

    def heartbeat(self, job_id: str) -> None:
        self._send(ReportKind.HEARTBEAT, job_id, None)

    def finished(self, job_id: str, outcome: Outcome) -> None:
        self._send(ReportKind.FINISHED, job_id, outcome)

    def _send(self, kind: ReportKind, job_id: str, outcome: Outcome | None) -> None:
        fence = self._ownership.fence
        report = WorkerReport(
            kind=kind,
            pair=self._ownership.pair,
            job_id=job_id,
            fence=fence,
            container_id=self._ownership.container_id or "",
            sent_at=self._clock(),
            outcome=outcome,
        )
        self._queues.send_in_order(
            "output",
            report,
            group=self._ownership.pair.key,
            deduplication_id=f"{job_id}-{fence}-{kind}-{next(self._numbers)}",
        )
