"""Scales the fleet to demand: compares the workers that are needed with the workers that exist.

`policies.fleet_plan` decides how many workers start or stop. Each pass first checks the taken slots (`slot_checks`),
then stops surplus workers, starts missing ones (`launcher`), and records for how many waiting pairs there is no free
slot: that many quiet workers should yield.

Waiting pairs are read before workers: a worker becomes busy before its pair's request is cleared, so a worker seen in
between counts twice rather than never.

Only the run of each minute reads the states of all tasks: ECS limits such reads, and a larger fleet runs more often. A
run for a request reads the states of ending workers; one for the end of a task also that of this task.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws import clients
from webordinary.aws.alb_routes import LiveRoutes
from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.ecs_tasks import Tasks, TaskState
from webordinary.aws.fleet_trigger import REQUEST
from webordinary.aws.parallel import RunAll, in_threads, one_by_one
from webordinary.aws.telemetry import count, logger
from webordinary.contract.settings import FleetSettings, SparePolicy, Timing
from webordinary.protocol.policies import FleetSize, WorkerCounts, fleet_plan, rate_at, updated_rate
from webordinary.protocol.worker_requests import WorkerRequests
from webordinary.steps.fleet.findings import FleetPass, FleetResult
from webordinary.steps.fleet.launcher import PARALLEL_LAUNCHES, WorkerLauncher
from webordinary.steps.fleet.slot_checks import SlotChecks
from webordinary.tables.claim_rates import ClaimRate, ClaimRates
from webordinary.tables.fleet_decisions import FleetDecision, FleetDecisions, Reason
from webordinary.tables.ownership import OwnershipTable
from webordinary.tables.workers import Phase, WorkerEntry, WorkersTable

MAX_PASSES = 3
ENDING = frozenset({Phase.LEAVING, Phase.STOPPING, Phase.GONE})


def tasks_to_read(event: dict[str, Any]) -> Collection[str] | None:
    """The tasks whose state a run for this event reads, besides those of ending workers; None means all tasks."""
    if event == REQUEST:
        return ()
    ended = event.get("detail", {}).get("taskArn") if event.get("source") == "aws.ecs" else None
    return (ended.rpartition("/")[2],) if isinstance(ended, str) else None


@dataclass(frozen=True)
class Fleet:
    workers: WorkersTable
    worker_requests: WorkerRequests
    ownership: OwnershipTable
    tasks: Tasks
    size: FleetSize
    timing: Timing
    clock: Clock = utc_now
    new_id: Callable[[], str] = lambda: uuid.uuid4().hex
    routes: LiveRoutes | None = None
    claims: ClaimRates | None = None  # only if spare workers follow the rate of claims
    decisions: FleetDecisions | None = None
    run_all: RunAll = one_by_one

    @classmethod
    def from_settings(cls, settings: FleetSettings) -> Self:
        dynamodb, names, timing = clients.dynamodb(), settings.names, settings.timing
        return cls(
            workers=WorkersTable(dynamodb, names, timing),
            worker_requests=WorkerRequests.from_settings(settings, creates_queues=False, invokes_fleet=False),
            ownership=OwnershipTable(dynamodb, names, timing),
            tasks=Tasks(clients.ecs(), settings),
            size=FleetSize(
                maximum=settings.max_workers,
                spare=settings.spare_workers,
                policy=settings.spare_policy,
                on_demand=settings.on_demand_workers,
                spot_weight=settings.spot_weight,
            ),
            timing=timing,
            routes=LiveRoutes.from_settings(settings),
            claims=ClaimRates(dynamodb, names) if settings.spare_policy is SparePolicy.ADAPTIVE else None,
            decisions=FleetDecisions(dynamodb, names),
            run_all=in_threads(PARALLEL_LAUNCHES),
        )

    @cached_property
    def _launcher(self) -> WorkerLauncher:
        return WorkerLauncher(self.workers, self.tasks, self.size, self.clock, self.new_id, self.run_all)

    @cached_property
    def _checks(self) -> SlotChecks:
        return SlotChecks(
            self.workers,
            self.worker_requests,
            self.ownership,
            self.tasks,
            self.timing,
            self.clock,
            self.routes,
            self._launcher,
        )

    def run(self, has_time: Callable[[], bool] = lambda: True, tasks: Collection[str] | None = None) -> FleetResult:
        claim_rate = self._claim_rate()
        current = FleetPass()
        for _ in range(MAX_PASSES):
            earlier, current = current, FleetPass()
            self._scale(current, claim_rate, has_time, tasks)
            current.add(earlier)
            if not current.outdated or not has_time():
                break
        result = current.result()
        count("Fleet.workers", result.workers)
        count("Fleet.busy", result.busy)
        count("Fleet.waiting", result.waiting)
        count("Fleet.missing", result.missing)
        self._record(current, claim_rate)
        return result

    def _scale(
        self, current: FleetPass, claim_rate: ClaimRate, has_time: Callable[[], bool], tasks: Collection[str] | None
    ) -> None:
        waiting = self.worker_requests.waiting()
        checked = (self._checks.check(current, entry, state) for entry, state in self._existing(tasks))
        current.taken = [entry for entry in checked if entry is not None]
        served = {entry.pair.key: entry.since for entry in current.taken if entry.phase is Phase.BUSY and entry.pair}
        # A request that is newer than the pair's worker: the worker hangs, and its lease has expired.
        current.waiting = sum(key not in served or sent_at > served[key] for key, sent_at in waiting.items())
        plan = fleet_plan(self.size, self.timing, current.waiting, self._counts(current), claim_rate, self.clock())
        current.spare, current.reason = plan.spare, plan.reason
        self._checks.stop_surplus(current, plan.stops)
        self._launcher.launch(current, plan.launches, has_time)
        # Counted again: ECS may have started fewer workers.
        counts = self._counts(current)
        current.missing = max(0, current.waiting - counts.available - counts.ending)
        self.workers.note_shortage(current.missing, serves=counts.busy > 0)

    def _counts(self, current: FleetPass) -> WorkerCounts:
        idle = [entry for entry in current.taken if entry.phase is Phase.IDLE]
        return WorkerCounts(
            starting=current.count(Phase.STARTING),
            idle=len(idle),
            idle_long=sum(map(self._checks.is_surplus_long, idle)),
            busy=current.count(Phase.BUSY),
            ending=current.count(*ENDING),
        )

    def _claim_rate(self) -> ClaimRate:
        if self.claims is None:
            return ClaimRate()
        before, claims = self.claims.read()
        if claims == before.counted:
            return before
        rate = updated_rate(self.timing, before, claims, self.clock())
        self.claims.note(before, rate)
        return rate

    def _record(self, current: FleetPass, claim_rate: ClaimRate) -> None:
        """Records what this run did and why. A failure must not keep the fleet from running."""
        reason = current.reason
        if reason is Reason.STEADY and (current.freed or current.stopped):
            reason = Reason.CLEANUP
        if self.decisions is None or reason is Reason.STEADY:
            return
        counts = self._counts(current)
        decision = FleetDecision(
            at=self.clock(),
            reason=reason,
            waiting=current.waiting,
            spare=current.spare,
            starting=counts.starting,
            idle=counts.idle,
            busy=counts.busy,
            ending=counts.ending,
            maximum=self.size.maximum,
            started=current.started,
            stopped=current.stopped,
            freed=current.freed,
            missing=current.missing,
            claims_per_hour=round(3600 * rate_at(self.timing, claim_rate, self.clock())),
        )
        try:
            self.decisions.record(decision)
        except (BotoCoreError, ClientError) as error:
            logger().warning("Could not record a decision; the fleet continues.", extra={"cause": str(error)})

    def _existing(self, tasks: Collection[str] | None) -> Iterator[tuple[WorkerEntry, TaskState | None]]:
        """Every taken slot, and the state of its task: None if ECS does not know it, running if it is not read."""
        entries = self.workers.all()
        started = {entry.task_id: entry.phase for entry in entries if entry.task_id}
        read = [one for one, phase in started.items() if tasks is None or one in tasks or phase in ENDING]
        states = {**dict.fromkeys(started.keys() - set(read), TaskState.RUNNING), **self.tasks.states(read)}
        return ((entry, states.get(entry.task_id or "")) for entry in entries)
