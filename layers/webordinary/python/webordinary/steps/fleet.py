"""Scales the fleet to demand: compares the workers that are needed with the workers that exist.

`policies.fleet_plan` decides how many workers start or stop. Each run cleans up first:

| finding | action |
|---|---|
| a launch whose response was lost | repeats it: ECS knows the launch id and starts no second task |
| a worker whose task has ended | frees its slot; unless it left properly, releases its pair and requests a worker |
| such a worker that had a pair | removes its live-preview route |
| a worker that did not register in time | stops it; another one is started instead |
| a worker whose health check fails | stops it, even if busy: its job is requeued and continues on another worker |
| an idle worker with an old task definition, or surplus for a while | stops it |
| waiting pairs and no free slot | records how many: that many quiet workers should yield |

Waiting pairs are read before workers: a worker becomes busy before its pair's request is cleared, so a worker seen in
between counts twice rather than never.

Workers start in parallel, a batch at a time. Concurrent runs compete for the same slots, lowest first; a run that finds
a slot taken starts another pass. A run that runs out of time leaves the rest to the next one.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Self

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws import clients
from webordinary.aws.alb_routes import LiveRoutes
from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.ecs_tasks import Capacity, Launch, TaskNotStartedError, Tasks, TaskState
from webordinary.aws.parallel import RunAll, in_threads, one_by_one
from webordinary.aws.telemetry import count, logger, milestone
from webordinary.contract.messages.base import Message, Pair
from webordinary.contract.messages.ownership import RequestVerdict
from webordinary.contract.settings import FleetSettings, SparePolicy, Timing
from webordinary.protocol.policies import FleetSize, WorkerCounts, fleet_plan, rate_at, updated_rate
from webordinary.protocol.worker_requests import WorkerRequests
from webordinary.tables.claim_rates import ClaimRate, ClaimRates
from webordinary.tables.fleet_decisions import FleetDecision, FleetDecisions, Reason
from webordinary.tables.ownership import OwnershipLostError, OwnershipTable
from webordinary.tables.workers import Phase, WorkerEntry, WorkersTable, slot_name

MAX_PASSES = 3
# ECS starts about 20 tasks a second, and RunTask takes about 0.3 seconds.
PARALLEL_LAUNCHES = 6
BATCH = 30  # launches between two checks of the remaining time


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
class _Pass:
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

    def add(self, earlier: _Pass) -> None:
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

    def run(self, has_time: Callable[[], bool] = lambda: True) -> FleetResult:
        claim_rate = self._claim_rate()
        current = _Pass()
        for _ in range(MAX_PASSES):
            earlier, current = current, _Pass()
            self._scale(current, claim_rate, has_time)
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

    def _scale(self, current: _Pass, claim_rate: ClaimRate, has_time: Callable[[], bool]) -> None:
        waiting = self.worker_requests.waiting()
        checked = (self._check(current, entry, state) for entry, state in self._existing())
        current.taken = [entry for entry in checked if entry is not None]
        served = {entry.pair.key for entry in current.taken if entry.phase is Phase.BUSY and entry.pair is not None}
        current.waiting = len(waiting - served)
        plan = fleet_plan(self.size, self.timing, current.waiting, self._counts(current), claim_rate, self.clock())
        current.spare, current.reason = plan.spare, plan.reason
        self._stop_surplus(current, plan.stops)
        self._launch(current, plan.launches, has_time)
        # Counted again: ECS may have started fewer workers.
        counts = self._counts(current)
        current.missing = max(0, current.waiting - counts.available - counts.ending)
        self.workers.note_shortage(current.missing, serves=counts.busy > 0)

    def _counts(self, current: _Pass) -> WorkerCounts:
        idle = [entry for entry in current.taken if entry.phase is Phase.IDLE]
        return WorkerCounts(
            starting=current.count(Phase.STARTING),
            idle=len(idle),
            idle_long=sum(map(self._is_surplus_long, idle)),
            busy=current.count(Phase.BUSY),
            ending=current.count(Phase.LEAVING, Phase.STOPPING, Phase.GONE),
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

    def _record(self, current: _Pass, claim_rate: ClaimRate) -> None:
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
            logger().warning("Could not record a decision of the fleet.", extra={"cause": str(error)})

    def _existing(self) -> Iterator[tuple[WorkerEntry, TaskState | None]]:
        """Every taken slot, and the state of its task (None: unknown to ECS)."""
        entries = self.workers.all()
        states = self.tasks.states(entry.task_id for entry in entries if entry.task_id)
        return ((entry, states.get(entry.task_id or "")) for entry in entries)

    def _check(self, current: _Pass, entry: WorkerEntry, state: TaskState | None) -> WorkerEntry | None:
        """The entry after the action that its state requires; None if its slot was freed."""
        overdue = self._seconds_in_phase(entry) > self.timing.worker_start_seconds
        if state is TaskState.ENDED or (state is None and overdue):
            self._remove(current, entry, has_ended=state is TaskState.ENDED)
            return None
        if entry.task_id is None:
            started = self._start(entry)
            current.started += started is not None and started.task_id is not None
            return started
        if state is TaskState.UNHEALTHY:
            return self._stop_unhealthy(current, entry)
        outdated = entry.definition != self.tasks.definition
        starting, idle = entry.phase is Phase.STARTING, entry.phase is Phase.IDLE
        if (starting and overdue) or (outdated and (starting or idle)):
            reason = "It did not register in time." if overdue else "There is a newer task definition."
            return self._stop(current, entry, reason)
        if entry.phase is Phase.STOPPING:
            self._stop_task(entry, "It is stopped again.")
        return entry

    def _remove(self, current: _Pass, entry: WorkerEntry, *, has_ended: bool) -> None:
        has_left = entry.phase is Phase.GONE
        if entry.pair is not None and entry.job_id is not None and not has_left:
            if has_ended:
                self._release_lease(entry.pair, entry.task_id)
            # The worker may have died after its request was cleared and before it served the pair.
            verdict = self.worker_requests.request(entry.pair, entry.job_id).verdict
            current.outdated = current.outdated or verdict is RequestVerdict.SENT
        if entry.holds is not None:
            self._clear_route(entry.launch.slot)
        if not self.workers.free(entry.launch.slot, entry.launch.launch_id, entry.step):
            current.outdated = True  # it was assigned a pair since this pass read its entry
            return
        current.freed += 1
        if not has_left:
            logger().warning("A worker ended without leaving; freed its slot.", extra={"task": entry.task_id})

    def _release_lease(self, pair: Pair, task_id: str | None) -> None:
        """Releases the lease of an ended task, so that the next owner need not wait for its expiry."""
        owner = self.ownership.inspect(pair)
        if owner.container_id is not None and owner.container_id == task_id:
            with suppress(OwnershipLostError):
                self.ownership.release_lease(owner)

    def _clear_route(self, slot: str) -> None:
        """Called before the slot is freed: the next worker of the slot may be routed to at once."""
        if self.routes is None:
            return
        try:
            self.routes.clear(slot)
        except (BotoCoreError, ClientError) as error:
            # Requests time out at the load balancer until the next worker of this slot has a route.
            logger().warning("Could not remove a live-preview route.", extra={"slot": slot, "cause": str(error)})
            count("LivePreviews.failed")

    def _stop_surplus(self, current: _Pass, stops: int) -> None:
        idle = [entry for entry in current.taken if entry.phase is Phase.IDLE and self._is_surplus_long(entry)]
        for entry in idle[:stops]:
            current.taken[current.taken.index(entry)] = self._stop(current, entry, "No pair waits for it.")

    def _is_surplus_long(self, entry: WorkerEntry) -> bool:
        return self._seconds_in_phase(entry) > self.timing.surplus_seconds

    def _stop(self, current: _Pass, entry: WorkerEntry, reason: str) -> WorkerEntry:
        if not self.workers.stop(entry):
            return replace(entry, phase=Phase.BUSY)  # it changed since this pass read its entry
        current.stopped += 1
        self._stop_task(entry, reason)
        return replace(entry, phase=Phase.STOPPING)

    def _stop_unhealthy(self, current: _Pass, entry: WorkerEntry) -> WorkerEntry:
        reason = "Its health check fails."
        count("Fleet.unhealthy")
        if entry.phase in (Phase.STARTING, Phase.IDLE):
            return self._stop(current, entry, reason)
        self._stop_task(entry, reason)  # when it has ended, its slot is freed and its pair gets a new request
        return entry

    def _stop_task(self, entry: WorkerEntry, reason: str) -> None:
        try:
            self.tasks.stop(entry.task_id or "", reason)
        except (BotoCoreError, ClientError) as error:
            logger().warning(
                "Could not stop a worker; the next run retries.", extra={"task": entry.task_id, "cause": str(error)}
            )

    def _launch(self, current: _Pass, launches: int, has_time: Callable[[], bool]) -> None:
        """Starts workers in the lowest free slots, until a concurrent run takes one or the time ends."""
        taken = {entry.launch.slot for entry in current.taken}
        names = (slot_name(number) for number in range(1, self.size.maximum + 1))
        free = list(islice((name for name in names if name not in taken), launches))
        for start in range(0, len(free), BATCH):
            if current.outdated or not has_time():
                return
            batch = free[start : start + BATCH]
            capacities = self._capacities(current, len(batch))
            starts = [partial(self._start_in, slot, capacity) for slot, capacity in zip(batch, capacities, strict=True)]
            for entry, started in self.run_all(starts):
                current.outdated = current.outdated or entry is None
                if started is not None:
                    current.taken.append(started)
                    current.started += started.task_id is not None

    def _capacities(self, current: _Pass, number: int) -> list[Capacity]:
        """The capacity of each of the next workers."""
        spot = sum(entry.launch.capacity is Capacity.SPOT for entry in current.taken)
        on_demand = len(current.taken) - spot
        capacities = []
        for _ in range(number):
            capacities.append(self.size.capacity_of_next(on_demand=on_demand, spot=spot))
            is_spot = capacities[-1] is Capacity.SPOT
            spot, on_demand = spot + is_spot, on_demand + (not is_spot)
        return capacities

    def _start_in(self, slot: str, capacity: Capacity) -> tuple[WorkerEntry | None, WorkerEntry | None]:
        """Starts a worker in a slot. Returns the entry that took the slot, and the entry of the started worker."""
        entry = self._take(slot, capacity)
        started = self._start(entry) if entry is not None else None
        if entry is not None and started is None and capacity is Capacity.SPOT:
            entry = self._take(slot, Capacity.ON_DEMAND)
            started = self._start(entry) if entry is not None else None
        return entry, started

    def _take(self, slot: str, capacity: Capacity) -> WorkerEntry | None:
        launch = Launch(self.new_id(), slot, capacity)
        definition = self.tasks.definition
        if not self.workers.take(launch, definition):
            return None
        return WorkerEntry(launch, Phase.STARTING, 0, self.clock(), definition)

    def _start(self, entry: WorkerEntry) -> WorkerEntry | None:
        """Runs the task of a launch in ECS. None if ECS started none; the slot is free again."""
        launch = entry.launch
        try:
            task_id = self.tasks.run(launch)
        except TaskNotStartedError as error:
            logger().error(str(error))
            count("Fleet.not_started")
            self.workers.free(launch.slot, launch.launch_id)
            return None
        except (BotoCoreError, ClientError) as error:
            # The task may have been started: the slot stays taken, and the next run repeats the launch.
            logger().error("ECS did not confirm a launch; the next run repeats it.", extra={"cause": str(error)})
            count("Fleet.not_started")
            return entry
        self.workers.note_task(launch, task_id)
        milestone("worker_started", container_id=task_id, slot=launch.slot, capacity=launch.capacity.value)
        return replace(entry, task_id=task_id)

    def _seconds_in_phase(self, entry: WorkerEntry) -> float:
        return (self.clock() - entry.since).total_seconds()
