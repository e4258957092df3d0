"""Has as many workers as are waited for: compares what is wanted with what there is, and starts the difference.

    wanted   = pairs that wait for a worker + spare
    existing = workers that start or are idle, of the newest task definition
    launches = wanted - existing, while there are free slots

| it finds | it does |
|---|---|
| a launch whose answer was lost | asks for it again: ECS knows it by its id and starts no second task |
| a worker that has ended | frees its slot; if it did not leave properly, releases its pair and asks again for it |
| one of them that had a pair | hides what it may still seem to show |
| a worker that did not register in time | stops it; another is started in its stead |
| a worker whose health check fails | stops it, also a busy one: its job is put back, and goes on elsewhere |
| an idle worker of an older task definition, or one too many for a while | stops it |
| pairs that wait, and no slot left | notes how many: that many quiet workers make room |

What waits is looked at before the workers: a worker becomes busy before its pair's request is cleared, so that one seen
in between counts twice rather than never. Two runs at once go for the same slots, lowest first; the one that comes
second finds the slot taken and looks at everything anew.
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
from webordinary.aws.queues import Queues
from webordinary.aws.telemetry import count, logger, milestone
from webordinary.contract.messages.base import Message, Pair
from webordinary.contract.messages.ownership import RequestVerdict
from webordinary.contract.settings import FleetSettings, Timing
from webordinary.tables.ownership import OwnershipLostError, OwnershipTable
from webordinary.tables.pauses import Pauses
from webordinary.tables.worker_requests import WorkerRequests
from webordinary.tables.workers import Phase, WorkerEntry, WorkersTable, slot_name

LOOKS = 3


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
        """So many on demand first, then `spot_weight` on spot capacity for each further one on demand."""
        spot = sum(entry.launch.capacity is Capacity.SPOT for entry in taken)
        beyond = len(taken) - spot - self.on_demand
        return Capacity.SPOT if beyond >= 0 and spot < self.spot_weight * (beyond + 1) else Capacity.ON_DEMAND


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
            worker_requests=WorkerRequests(
                dynamodb, Queues(clients.sqs(), names), names, timing, is_paused=Pauses(dynamodb, names).is_paused
            ),
            ownership=OwnershipTable(dynamodb, names, timing),
            tasks=Tasks(clients.ecs(), settings),
            size=FleetSize(
                settings.max_workers, settings.spare_workers, settings.on_demand_workers, settings.spot_weight
            ),
            timing=timing,
            routes=LiveRoutes.by(names, settings.cluster, settings.live_listener_arn),
        )

    def run(self) -> FleetResult:
        result = FleetResult()
        for _ in range(LOOKS):
            look = _Look(self)
            complete = look.run()
            result = look.result(before=result)
            if complete:
                break
        count("Fleet.workers", result.workers)
        count("Fleet.busy", result.busy)
        count("Fleet.waiting", result.waiting)
        count("Fleet.missing", result.missing)
        return result


@dataclass
class _Look:
    """One look at what waits and at every slot, and what follows from it."""

    parts: Fleet
    waiting: int = 0
    started: int = 0
    stopped: int = 0
    freed: int = 0
    missing: int = 0
    asked_again: bool = False
    taken: list[WorkerEntry] = field(default_factory=list)

    def run(self) -> bool:
        """Whether it saw everything: no other run was at work, and it asked for nobody itself."""
        asked_for = self.parts.worker_requests.waiting()
        self.taken = [found for entry in self._existing() if (found := self._tend(*entry)) is not None]
        served = {entry.pair.key for entry in self.taken if entry.phase is Phase.BUSY and entry.pair is not None}
        self.waiting = len(asked_for - served)
        wanted = self.waiting + self.parts.size.spare
        self._stop_surplus(wanted)
        in_peace = self._launch(wanted - self._count(Phase.STARTING, Phase.IDLE))
        coming = self._count(Phase.STARTING, Phase.IDLE, Phase.LEAVING, Phase.STOPPING, Phase.GONE)
        self.missing = max(0, self.waiting - coming)
        self.parts.workers.note_shortage(self.missing)
        return in_peace and not self.asked_again

    def result(self, before: FleetResult) -> FleetResult:
        return FleetResult(
            waiting=self.waiting,
            workers=len(self.taken),
            busy=self._count(Phase.BUSY),
            started=before.started + self.started,
            stopped=before.stopped + self.stopped,
            freed=before.freed + self.freed,
            missing=self.missing,
        )

    def _existing(self) -> Iterator[tuple[WorkerEntry, TaskState | None]]:
        """Every taken slot, and the state of its task (None: ECS knows nothing of it)."""
        entries = self.parts.workers.all()
        states = self.parts.tasks.states(entry.task_id for entry in entries if entry.task_id)
        return ((entry, states.get(entry.task_id or "")) for entry in entries)

    def _tend(self, entry: WorkerEntry, state: TaskState | None) -> WorkerEntry | None:
        """The entry as it is afterwards; None if its slot is free."""
        overdue = self._seconds_in_phase(entry) > self.parts.timing.worker_start_seconds
        if state is TaskState.ENDED or (state is None and overdue):
            self._bury(entry, surely=state is TaskState.ENDED)
            return None
        if entry.task_id is None:
            return self._start(entry)
        if state is TaskState.UNHEALTHY:
            return self._stop_unhealthy(entry)
        outdated = entry.definition != self.parts.tasks.definition
        starting, idle = entry.phase is Phase.STARTING, entry.phase is Phase.IDLE
        if (starting and overdue) or (outdated and (starting or idle)):
            return self._stop(entry, "It did not register in time." if overdue else "There is a newer task definition.")
        if entry.phase is Phase.STOPPING:
            self._stop_task(entry, "It is stopped again.")
        return entry

    def _bury(self, entry: WorkerEntry, *, surely: bool) -> None:
        left = entry.phase is Phase.GONE
        if entry.pair is not None and entry.job_id is not None and not left:
            if surely:
                self._release(entry.pair, entry.task_id)
            # It may have died with the request cleared and the pair not served.
            verdict = self.parts.worker_requests.request(entry.pair, entry.job_id).verdict
            self.asked_again = self.asked_again or verdict is RequestVerdict.SENT
        if entry.holds is not None:
            self._clear_route(entry.launch.slot)
        if not self.parts.workers.free(entry.launch.slot, entry.launch.launch_id, entry.step):
            self.asked_again = True  # it was given a pair after it had been looked at: the next look sees that
            return
        self.freed += 1
        if not left:
            logger().warning("A worker ended without leaving.", extra={"task": entry.task_id})

    def _release(self, pair: Pair, task_id: str | None) -> None:
        """Whose task has ended acts for nobody any more: its successor need not wait for the lease to end."""
        owner = self.parts.ownership.inspect(pair)
        if owner.container_id is not None and owner.container_id == task_id:
            with suppress(OwnershipLostError):
                self.parts.ownership.release_lease(owner)

    def _clear_route(self, slot: str) -> None:
        """Before its slot is free: whoever has it next may be shown at once."""
        if self.parts.routes is None:
            return
        try:
            self.parts.routes.clear(slot)
        except (BotoCoreError, ClientError) as error:
            # Whoever looks waits for the load balancer to give up, until the next worker of this slot is shown.
            logger().warning("A live preview could not be hidden.", extra={"slot": slot, "cause": str(error)})
            count("LivePreviews.failed")

    def _stop_surplus(self, wanted: int) -> None:
        surplus = self._count(Phase.STARTING, Phase.IDLE) - wanted
        for entry in [entry for entry in self.taken if entry.phase is Phase.IDLE]:
            if surplus > 0 and self._seconds_in_phase(entry) > self.parts.timing.surplus_seconds:
                self.taken[self.taken.index(entry)] = self._stop(entry, "Nobody waits for it.")
                surplus -= 1

    def _stop(self, entry: WorkerEntry, reason: str) -> WorkerEntry:
        if not self.parts.workers.stop(entry):
            return replace(entry, phase=Phase.BUSY)  # it has moved on since it was looked at
        self.stopped += 1
        self._stop_task(entry, reason)
        return replace(entry, phase=Phase.STOPPING)

    def _stop_unhealthy(self, entry: WorkerEntry) -> WorkerEntry:
        reason = "Its health check fails."
        count("Fleet.unhealthy")
        if entry.phase in (Phase.STARTING, Phase.IDLE):
            return self._stop(entry, reason)
        self._stop_task(entry, reason)  # its slot is free, and its pair asked for again, once it has ended
        return entry

    def _stop_task(self, entry: WorkerEntry, reason: str) -> None:
        try:
            self.parts.tasks.stop(entry.task_id or "", reason)
        except (BotoCoreError, ClientError) as error:
            logger().warning("A worker could not be stopped yet.", extra={"task": entry.task_id, "cause": str(error)})

    def _launch(self, launches: int) -> bool:
        """Starts so many workers, as far as there are slots. False if another run takes slots at the same time."""
        numbers = range(1, self.parts.size.maximum + 1)
        free = [name for name in map(slot_name, numbers) if name not in {e.launch.slot for e in self.taken}]
        room = self.parts.size.maximum - len(self.taken)
        for slot in free[: max(0, min(launches, room))]:
            capacity = self.parts.size.capacity_of_next(self.taken)
            entry = self._take(slot, capacity)
            if entry is None:
                return False
            started = self._start(entry)
            if started is None and capacity is Capacity.SPOT:
                entry = self._take(slot, Capacity.ON_DEMAND)
                started = self._start(entry) if entry else None
            if started is not None:
                self.taken.append(started)
        return True

    def _take(self, slot: str, capacity: Capacity) -> WorkerEntry | None:
        launch = Launch(self.parts.new_id(), slot, capacity)
        definition = self.parts.tasks.definition
        if not self.parts.workers.take(launch, definition):
            return None
        return WorkerEntry(launch, Phase.STARTING, 0, self.parts.clock(), definition)

    def _start(self, entry: WorkerEntry) -> WorkerEntry | None:
        """Asks ECS for the launch's task. None if there is none, and its slot is free again."""
        launch = entry.launch
        try:
            task_id = self.parts.tasks.run(launch)
        except TaskNotStartedError as error:
            logger().error(str(error))
            count("Fleet.not_started")
            self.parts.workers.free(launch.slot, launch.launch_id)
            return None
        except (BotoCoreError, ClientError) as error:
            # It may have been started all the same: the slot stays taken, and the next run asks again.
            logger().error("ECS did not say whether it started a worker.", extra={"cause": str(error)})
            return entry
        self.parts.workers.note_task(launch, task_id)
        milestone("worker_started", container_id=task_id, slot=launch.slot, capacity=launch.capacity.value)
        self.started += 1
        return replace(entry, task_id=task_id)

    def _count(self, *phases: Phase) -> int:
        return sum(entry.phase in phases for entry in self.taken)

    def _seconds_in_phase(self, entry: WorkerEntry) -> float:
        return (self.parts.clock() - entry.since).total_seconds()
