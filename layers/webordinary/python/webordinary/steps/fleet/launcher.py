"""Starts workers in free slots, a batch at a time.

Concurrent runs compete for the same slots, lowest first; a run that finds a slot taken starts another pass. A run that
runs out of time leaves the rest to the next one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws.clients import Clock
from webordinary.aws.ecs_tasks import Capacity, Launch, TaskNotStartedError, Tasks
from webordinary.aws.parallel import RunAll
from webordinary.aws.telemetry import count, logger, milestone
from webordinary.protocol.policies import FleetSize
from webordinary.steps.fleet.findings import FleetPass
from webordinary.tables.workers import Phase, WorkerEntry, WorkersTable, slot_name

# ECS starts about 20 tasks a second, and RunTask takes about 0.3 seconds.
PARALLEL_LAUNCHES = 6
BATCH = 30  # launches between two checks of the remaining time


@dataclass(frozen=True)
class WorkerLauncher:
    workers: WorkersTable
    tasks: Tasks
    size: FleetSize
    clock: Clock
    new_id: Callable[[], str]
    run_all: RunAll

    def launch(self, current: FleetPass, launches: int, has_time: Callable[[], bool]) -> None:
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

    def _capacities(self, current: FleetPass, number: int) -> list[Capacity]:
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
        started = self.start(entry) if entry is not None else None
        if entry is not None and started is None and capacity is Capacity.SPOT:
            entry = self._take(slot, Capacity.ON_DEMAND)
            started = self.start(entry) if entry is not None else None
        return entry, started

    def _take(self, slot: str, capacity: Capacity) -> WorkerEntry | None:
        launch = Launch(self.new_id(), slot, capacity)
        definition = self.tasks.definition
        if not self.workers.take(launch, definition):
            return None
        return WorkerEntry(launch, Phase.STARTING, 0, self.clock(), definition)

    def start(self, entry: WorkerEntry) -> WorkerEntry | None:
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
