"""The fleet: workers by phase with their pairs, leases and fences, and the pairs that wait."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from webordinary.contract.settings import Timing
from webordinary.protocol.policies import longest_stay, stay_seconds
from webordinary.protocol.worker_requests import PendingRequest
from webordinary.tables.fleet_decisions import FleetDecision
from webordinary.tables.items import from_milliseconds, milliseconds
from webordinary.tables.jobs import JobRecord
from webordinary.tables.ownership import Ownership
from webordinary.tables.workers import Phase, WorkerEntry
from webordinary_ops.console.data.reads import Reads, Unknown
from webordinary_ops.deployment import Deployment

MAX_SHOWN = 100
MAX_REQUESTS = 100
MAX_JOBS = 200
MAX_DECISIONS = 12


@dataclass(frozen=True)
class FleetWorker:
    entry: WorkerEntry
    ownership: Ownership | None
    job: JobRecord | None

    @property
    def short_task(self) -> str:
        return (self.entry.task_id or "").rpartition("/")[2][:8]

    @property
    def is_running(self) -> bool:
        return self.job is not None and self.job.state == "running"

    @property
    def dollars_so_far(self) -> float | None:
        """What the worker reports while its job runs."""
        if self.job is None or self.ownership is None or not self.is_running:
            return None
        return self.ownership.dollars_so_far(self.job.job_id, self.job.fence)

    def leaves_within(self, timing: Timing, now: datetime) -> timedelta | None:
        """How long a worker without work stays at most; None while it works, or if its last work is not known."""
        active = self.ownership.last_activity if self.ownership else None
        if active is None or self.is_running:
            return None
        stay, since = longest_stay(timing), active
        if self.job is not None and self.job.updated_at >= milliseconds(active):  # its last job
            stay, since = stay_seconds(timing, self.job.outcome), from_milliseconds(self.job.updated_at)
        return max(timedelta(0), since + timedelta(seconds=stay) - now)


@dataclass(frozen=True)
class FleetView:
    workers: tuple[FleetWorker, ...]
    requests: list[PendingRequest]
    decisions: list[FleetDecision]  # newest first
    now: datetime

    def in_phases(self, *phases: Phase) -> list[FleetWorker]:
        return [one for one in self.workers if one.entry.phase in phases]

    @property
    def sentence(self) -> str:
        """The board in one sentence."""
        working = sum(one.is_running for one in self.busy)
        counts = {
            "working": working,
            "waiting for mail": len(self.busy) - working,
            "starting": len(self.starting),
            "idle": len(self.idle),
            "ending": len(self.ending),
        }
        parts = ", ".join(f"{number} {words}" for words, number in counts.items() if number)
        places = f" of {self.decisions[0].maximum} slots" if self.decisions and self.decisions[0].maximum else ""
        if not parts:
            return "No worker runs now. Workers start on demand, serve one pair each, and end."
        return f"{len(self.workers)}{places or ' workers'}{' are taken' if places else ''}: {parts}."

    @property
    def starting(self) -> list[FleetWorker]:
        return self.in_phases(Phase.STARTING)

    @property
    def idle(self) -> list[FleetWorker]:
        return self.in_phases(Phase.IDLE)

    @property
    def busy(self) -> list[FleetWorker]:
        return self.in_phases(Phase.BUSY)

    @property
    def ending(self) -> list[FleetWorker]:
        return self.in_phases(Phase.LEAVING, Phase.STOPPING, Phase.GONE)


def read_fleet(deployment: Deployment, reads: Reads) -> FleetView | Unknown:
    return reads.attempt("fleet", lambda: _read(deployment))


def _read(deployment: Deployment) -> FleetView:
    """Six calls: slots, requests, decisions, the ownerships of shown pairs, open jobs, and the jobs of workers."""
    entries = deployment.workers.all()[:MAX_SHOWN]
    pairs = [entry.pair for entry in entries if entry.pair]
    owners = deployment.ownership.of_pairs(pairs)
    jobs = deployment.jobs.get_all(
        list(
            {(one.pair.key, one.job_id): (one.pair, one.job_id) for one in entries if one.pair and one.job_id}.values()
        )
    )
    # A worker is recorded with the job that it was requested for; it continues with newer jobs of its pair.
    running = {
        one.pair.key: one
        for one in deployment.jobs.first_open_jobs(MAX_JOBS)
        if isinstance(one, JobRecord) and one.state == "running"
    }
    workers = tuple(
        FleetWorker(
            one,
            owners.get(one.pair.key) if one.pair else None,
            (running.get(one.pair.key) if one.pair else None) or jobs.get(one.job_id or ""),
        )
        for one in entries
    )
    return FleetView(
        workers,
        deployment.worker_requests.pending(MAX_REQUESTS),
        deployment.fleet_decisions.latest()[:MAX_DECISIONS],
        deployment.clock(),
    )
