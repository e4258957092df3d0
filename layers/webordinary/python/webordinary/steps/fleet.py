"""Scales the fleet to demand: compares the workers that are needed with the workers that exist.

    needed   = pairs that wait for a worker + spare workers
    existing = workers that are starting or idle, with the current task definition
    launches = needed - existing, while there are free slots

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
between counts twice rather than never. Concurrent runs compete for the same slots, lowest first; a run that finds a
slot taken starts another pass.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Self

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws import clients
from webordinary.aws.alb_routes import LiveRoutes
from webordinary.aws.clients import Clock, utc_now
from webordinary.aws.ecs_tasks import Capacity, Launch, TaskNotStartedError, Tasks, TaskState
from webordinary.aws.telemetry import count, logger, milestone
from webordinary.contract.messages.base import Message, Pair
from webordinary.contract.messages.ownership import RequestVerdict
from webordinary.contract.settings import FleetSettings, Timing
from webordinary.tables.ownership import OwnershipLostError, OwnershipTable
from webordinary.tables.worker_requests import WorkerRequests
from webordinary.tables.workers import Phase, WorkerEntry, WorkersTable, slot_name

MAX_PASSES = 3


class FleetResult(Message):
    """What one run saw and did."""

    waiting: int = 0
    workers: int = 0
    busy: int = 0
    started: int = 0
    stopped: int = 0
    freed: int = 0
    missing: int = 0


@dataclass(frozen=True)
class FleetSize:
    maximum: int
    spare: int = 0
    on_demand: int = 0
    spot_weight: int = 0

    def capacity_of_next(self, taken: list[WorkerEntry]) -> Capacity:
        """The first `on_demand` workers on demand, then `spot_weight` on Spot for each further one on demand."""
        spot = sum(entry.launch.capacity is Capacity.SPOT for entry in taken)
        beyond = len(taken) - spot - self.on_demand
        return Capacity.SPOT if beyond >= 0 and spot < self.spot_weight * (beyond + 1) else Capacity.ON_DEMAND


@dataclass
class _Pass:
    """The findings of one pass over all slots."""

    taken: list[WorkerEntry] = field(default_factory=list)
    waiting: int = 0
    started: int = 0
    stopped: int = 0
    freed: int = 0
    missing: int = 0
    outdated: bool = False  # another pass is needed to see the current state

    def count(self, *phases: Phase) -> int:
        return sum(entry.phase in phases for entry in self.taken)

    def result(self, before: FleetResult) -> FleetResult:
        return FleetResult(
            waiting=self.waiting,
            workers=len(self.taken),
            busy=self.count(Phase.BUSY),
            started=before.started + self.started,
            stopped=before.stopped + self.stopped,
            freed=before.freed + self.freed,
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

    @classmethod
    def from_settings(cls, settings: FleetSettings) -> Self:
        dynamodb, names, timing = clients.dynamodb(), settings.names, settings.timing
        return cls(
            workers=WorkersTable(dynamodb, names, timing),
            worker_requests=WorkerRequests.from_settings(settings, creates_queues=False, invokes_fleet=False),
            ownership=OwnershipTable(dynamodb, names, timing),
            tasks=Tasks(clients.ecs(), settings),
            size=FleetSize(
                settings.max_workers, settings.spare_workers, settings.on_demand_workers, settings.spot_weight
            ),
            timing=timing,
            routes=LiveRoutes.from_settings(settings),
        )

    def run(self) -> FleetResult:
        result = FleetResult()
        for _ in range(MAX_PASSES):
            current = _Pass()
            self._scale(current)
            result = current.result(before=result)
            if not current.outdated:
                break
        count("Fleet.workers", result.workers)
        count("Fleet.busy", result.busy)
        count("Fleet.waiting", result.waiting)
        count("Fleet.missing", result.missing)
        return result

    def _scale(self, current: _Pass) -> None:
        waiting = self.worker_requests.waiting()
        checked = (self._check(current, entry, state) for entry, state in self._existing())
        current.taken = [entry for entry in checked if entry is not None]
        served = {entry.pair.key for entry in current.taken if entry.phase is Phase.BUSY and entry.pair is not None}
        current.waiting = len(waiting - served)
        needed = current.waiting + self.size.spare
        self._stop_surplus(current, needed)
        self._launch(current, needed - current.count(Phase.STARTING, Phase.IDLE))
        becoming_free = current.count(Phase.STARTING, Phase.IDLE, Phase.LEAVING, Phase.STOPPING, Phase.GONE)
        current.missing = max(0, current.waiting - becoming_free)
        self.workers.note_shortage(current.missing)

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
            return self._start(current, entry)
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

    def _stop_surplus(self, current: _Pass, needed: int) -> None:
        surplus = current.count(Phase.STARTING, Phase.IDLE) - needed
        for entry in [entry for entry in current.taken if entry.phase is Phase.IDLE]:
            if surplus > 0 and self._seconds_in_phase(entry) > self.timing.surplus_seconds:
                current.taken[current.taken.index(entry)] = self._stop(current, entry, "No pair waits for it.")
                surplus -= 1

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

    def _launch(self, current: _Pass, launches: int) -> None:
        """Starts workers while there are free slots. Stops at a slot that a concurrent run has taken."""
        names = [slot_name(number) for number in range(1, self.size.maximum + 1)]
        free = [name for name in names if name not in {entry.launch.slot for entry in current.taken}]
        available = self.size.maximum - len(current.taken)
        for slot in free[: max(0, min(launches, available))]:
            capacity = self.size.capacity_of_next(current.taken)
            entry = self._take(slot, capacity)
            if entry is None:
                current.outdated = True
                return
            started = self._start(current, entry)
            if started is None and capacity is Capacity.SPOT:
                entry = self._take(slot, Capacity.ON_DEMAND)
                started = self._start(current, entry) if entry else None
            if started is not None:
                current.taken.append(started)

    def _take(self, slot: str, capacity: Capacity) -> WorkerEntry | None:
        launch = Launch(self.new_id(), slot, capacity)
        definition = self.tasks.definition
        if not self.workers.take(launch, definition):
            return None
        return WorkerEntry(launch, Phase.STARTING, 0, self.clock(), definition)

    def _start(self, current: _Pass, entry: WorkerEntry) -> WorkerEntry | None:
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
        current.started += 1
        return replace(entry, task_id=task_id)

    def _seconds_in_phase(self, entry: WorkerEntry) -> float:
        return (self.clock() - entry.since).total_seconds()
