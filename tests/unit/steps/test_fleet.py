"""fleet: starts and stops workers to match demand."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, cast

import pytest
from botocore.exceptions import EndpointConnectionError

from tests.support.brokered import RegisteredWorker
from tests.support.world import World
from webordinary.aws.ecs_tasks import Capacity, Launch, TaskNotStartedError, TaskState
from webordinary.aws.fleet_trigger import REQUEST
from webordinary.contract.messages.base import Pair
from webordinary.protocol.policies import FleetSize
from webordinary.steps.fleet import Fleet, FleetResult, tasks_to_read
from webordinary.tables.workers import Phase

PAIRS = [Pair(project="bakery", user=f"user{number}") for number in range(9)]
DEFINITION = "arn:aws:ecs:eu-west-1:123456789012:task-definition/webordinary-workers:2"


class RecordedTasks:
    """A fake ECS that records launches. One launch id is one task, however often it is requested."""

    def __init__(self) -> None:
        self.definition = DEFINITION
        self.started: dict[str, Launch] = {}
        self.stop_calls: list[str] = []
        self.over: set[str] = set()
        self.unknown: set[str] = set()
        self.unhealthy: set[str] = set()
        self.read: list[str] = []  # the tasks whose states were read
        self.before_run: Callable[[Launch], None] = lambda _: None

    def run(self, launch: Launch) -> str:
        self.before_run(launch)
        task_id = f"task-{launch.launch_id}"
        self.started[task_id] = launch
        return task_id

    def stop(self, task_id: str, _reason: str) -> None:
        self.stop_calls.append(task_id)

    def states(self, task_ids: Iterable[str]) -> dict[str, TaskState]:
        known = [task_id for task_id in task_ids if task_id not in self.unknown]
        self.read += known
        return {task_id: self._state(task_id) for task_id in known}

    def _state(self, task_id: str) -> TaskState:
        if task_id in self.over:
            return TaskState.ENDED
        return TaskState.UNHEALTHY if task_id in self.unhealthy else TaskState.RUNNING


class Scene:
    """A world with a fleet and registered workers."""

    def __init__(self, world: World, **size: Any) -> None:
        self.world = world
        self.tasks = RecordedTasks()
        self._ids = itertools.count(1)
        self.size = FleetSize(**{"maximum": 3, **size})
        self.routes: Any = None

    def fleet(self) -> Fleet:
        world = self.world
        return Fleet(
            world.workers,
            world.worker_requests,
            world.ownership,
            cast(Any, self.tasks),
            self.size,
            world.timing,
            world.clock,
            lambda: f"launch{next(self._ids)}",
            self.routes,
        )

    def run(self) -> FleetResult:
        return self.fleet().run()

    def ask_for(self, *pairs: Pair) -> None:
        for pair in pairs:
            self.world.worker_requests.request(pair, "mail-1")

    def register(self, task_id: str, serving: Pair | None = None) -> RegisteredWorker:
        launch = self.tasks.started[task_id]
        registration = RegisteredWorker(self.world, launch, task_id)
        registration.idle()
        if serving is not None:
            self.world.worker_requests.clear(serving)
            registration.busy(serving, "mail-1")
        return registration

    def register_all(self) -> None:
        for task_id in list(self.tasks.started):
            self.register(task_id)

    def phases(self) -> Counter[Phase]:
        return Counter(entry.phase for entry in self.world.workers.all())


def test_pair_of_a_hanging_worker_gets_another_worker(world: World) -> None:
    scene = Scene(world)
    scene.ask_for(PAIRS[0])
    scene.run()
    (hanging,) = scene.tasks.started
    scene.register(hanging, serving=PAIRS[0])
    world.clock.advance(world.timing.lease_seconds + world.timing.clock_margin_seconds + 1)
    scene.ask_for(PAIRS[0])  # as the sweep does when the lease has expired

    result = scene.run()

    assert (result.waiting, result.started, result.busy) == (1, 1, 1)


def test_run_for_a_request_reads_only_the_tasks_of_ending_workers(world: World) -> None:
    scene = Scene(world)
    scene.ask_for(*PAIRS[:2])
    scene.run()
    busy, leaving = scene.tasks.started
    scene.register(busy, serving=PAIRS[0])
    scene.register(leaving, serving=PAIRS[1]).leaving()
    scene.tasks.over |= {busy, leaving}
    scene.tasks.read.clear()

    result = scene.fleet().run(tasks=tasks_to_read(REQUEST))

    assert scene.tasks.read == [leaving]
    assert (result.freed, result.busy) == (1, 1)


def test_run_for_the_end_of_a_task_frees_its_busy_worker(world: World) -> None:
    scene = Scene(world)
    scene.ask_for(*PAIRS[:2])
    scene.run()
    first, second = scene.tasks.started
    scene.register(first, serving=PAIRS[0])
    scene.register(second, serving=PAIRS[1])
    scene.tasks.over |= {first, second}
    event = {"source": "aws.ecs", "detail": {"taskArn": f"arn:aws:ecs:eu-west-1:123456789012:task/any/{first}"}}

    assert scene.fleet().run(tasks=tasks_to_read(event)).freed == 1
    assert scene.run().freed == 1  # the run of each minute reads all


@pytest.mark.parametrize("event", [{}, {"source": "aws.events"}, {"source": "aws.ecs"}])
def test_scheduled_and_unknown_events_read_all_tasks(event: dict[str, Any]) -> None:
    assert tasks_to_read(event) is None


def test_no_waiting_pair_starts_no_worker(world: World) -> None:
    scene = Scene(world)

    scene.run()

    assert scene.tasks.started == {}


def test_one_worker_is_started_per_waiting_pair(world: World) -> None:
    scene = Scene(world)
    scene.ask_for(*PAIRS[:2])

    assert scene.run().started == 2


def test_starting_and_idle_workers_reduce_launches(world: World) -> None:
    scene = Scene(world)
    scene.ask_for(PAIRS[0])
    scene.run()
    scene.ask_for(PAIRS[1])
    scene.run()
    scene.register_all()
    scene.run()

    assert len(scene.tasks.started) == 2


def test_busy_worker_does_not_reduce_launches(world: World) -> None:
    scene = Scene(world)
    scene.ask_for(PAIRS[0])
    scene.run()
    scene.register("task-launch1", serving=PAIRS[0])
    scene.ask_for(PAIRS[1])
    scene.run()

    assert len(scene.tasks.started) == 2


def test_pair_of_a_busy_worker_does_not_count_as_waiting(world: World) -> None:
    scene = Scene(world)
    scene.ask_for(PAIRS[0])
    scene.run()
    scene.register("task-launch1").busy(PAIRS[0], "mail-1")  # its request is not cleared yet
    scene.run()

    assert len(scene.tasks.started) == 1


def test_ended_task_releases_its_pair_at_once(world: World) -> None:
    scene = Scene(world)
    scene.ask_for(PAIRS[0])
    scene.run()
    scene.register("task-launch1", serving=PAIRS[0])
    world.ownership.claim(PAIRS[0], "task-launch1")
    scene.tasks.over.add("task-launch1")

    scene.run()

    assert world.ownership.inspect(PAIRS[0]).container_id is None


class RecordedRoutes:
    """Records which slots lost their route, and whether they were free at that time."""

    def __init__(self, world: World, error: Exception | None = None) -> None:
        self._world = world
        self._error = error
        self.cleared: list[tuple[str, bool]] = []

    def clear(self, slot: str) -> None:
        self.cleared.append((slot, self._world.workers.entry(slot) is None))
        if self._error:
            raise self._error


def ended(world: World, routes: RecordedRoutes, *, holding: bool) -> FleetResult:
    """A run of the fleet after the task of its only worker has ended."""
    scene = Scene(world)
    scene.routes = routes
    scene.ask_for(PAIRS[0])
    scene.run()
    worker = scene.register("task-launch1", serving=PAIRS[0] if holding else None)
    if holding:
        world.workers.hold(worker.entry, "task-launch1", "call")
    scene.tasks.over.add("task-launch1")
    return scene.run()


def test_route_is_cleared_before_the_slot_is_freed(world: World) -> None:
    routes = RecordedRoutes(world)

    ended(world, routes, holding=True)

    assert routes.cleared == [("slot-0001", False)]


def test_worker_without_a_pair_has_no_route_to_clear(world: World) -> None:
    routes = RecordedRoutes(world)

    ended(world, routes, holding=False)

    assert routes.cleared == []


def test_slot_is_freed_if_clearing_the_route_fails(world: World) -> None:
    routes = RecordedRoutes(world, EndpointConnectionError(endpoint_url="-"))

    assert ended(world, routes, holding=True).freed == 1


def test_ended_task_does_not_release_the_pair_of_a_new_owner(world: World) -> None:
    scene = Scene(world)
    scene.ask_for(PAIRS[0])
    scene.run()
    scene.register("task-launch1", serving=PAIRS[0])
    world.ownership.claim(PAIRS[0], "task-launch9")
    scene.tasks.over.add("task-launch1")

    scene.run()

    assert world.ownership.inspect(PAIRS[0]).container_id == "task-launch9"


def test_task_unknown_to_ecs_keeps_its_pair(world: World) -> None:
    scene = Scene(world)
    scene.ask_for(PAIRS[0])
    scene.run()
    scene.register("task-launch1", serving=PAIRS[0])
    world.ownership.claim(PAIRS[0], "task-launch1")
    scene.tasks.unknown.add("task-launch1")
    world.clock.advance(world.timing.worker_start_seconds + 1)

    scene.run()

    assert world.ownership.inspect(PAIRS[0]).container_id == "task-launch1"


def test_fleet_never_exceeds_the_maximum(world: World) -> None:
    scene = Scene(world, maximum=3, spare=2)
    scene.ask_for(*PAIRS)
    for _ in range(3):
        scene.run()

    assert len(scene.tasks.started) == 3


def test_spare_workers_are_started_in_addition(world: World) -> None:
    scene = Scene(world, maximum=5, spare=2)
    scene.run()
    scene.register("task-launch1", serving=PAIRS[0])
    scene.run()
    scene.ask_for(PAIRS[1])
    scene.run()

    assert len(scene.tasks.started) == 4


def test_full_fleet_records_the_number_of_missing_slots(world: World) -> None:
    scene = Scene(world, maximum=1)
    scene.ask_for(*PAIRS[:3])
    scene.run()
    scene.register("task-launch1", serving=PAIRS[0])

    assert scene.run().missing == 2
    assert [world.workers.should_yield() for _ in range(3)] == [True, True, False]


def test_leaving_worker_counts_as_a_free_slot(world: World) -> None:
    scene = Scene(world, maximum=1)
    scene.ask_for(*PAIRS[:2])
    scene.run()
    scene.register("task-launch1", serving=PAIRS[0]).leaving()

    assert scene.run().missing == 0
    assert not world.workers.should_yield()


def test_old_shortage_makes_no_worker_yield(world: World) -> None:
    world.workers.note_shortage(1)
    world.clock.advance(2 * world.timing.sweep_seconds + 1)

    assert not world.workers.should_yield()


def test_request_that_is_not_repeated_expires(world: World) -> None:
    scene = Scene(world)
    scene.ask_for(PAIRS[0])
    world.clock.advance(world.timing.claim_window_seconds + 2 * world.timing.sweep_seconds + 1)

    assert scene.run().started == 0


def test_only_idle_workers_with_an_old_task_definition_are_replaced(world: World) -> None:
    scene = Scene(world, spare=2)
    scene.run()
    scene.register("task-launch1")
    scene.register("task-launch2", serving=PAIRS[0])
    scene.tasks.definition = DEFINITION.replace(":2", ":3")
    scene.run()

    assert scene.tasks.stop_calls == ["task-launch1"]
    assert scene.phases() == {Phase.STOPPING: 1, Phase.BUSY: 1, Phase.STARTING: 1}


def test_worker_that_became_busy_since_the_read_is_not_stopped(world: World) -> None:
    scene = Scene(world, spare=1)
    scene.run()
    registration = scene.register("task-launch1")
    scene.tasks.definition = "newer"
    seen = world.workers.all()
    registration.busy(PAIRS[0], "mail-1")

    assert not world.workers.stop(seen[0])


def test_worker_that_never_registered_is_stopped_and_replaced(world: World) -> None:
    scene = Scene(world)
    scene.ask_for(PAIRS[0])
    scene.run()
    world.clock.advance(world.timing.worker_start_seconds + 1)
    scene.run()

    assert scene.tasks.stop_calls == ["task-launch1"]
    assert list(scene.tasks.started) == ["task-launch1", "task-launch2"]


def test_unhealthy_idle_worker_is_stopped_and_replaced(world: World) -> None:
    scene = Scene(world, spare=1)
    scene.run()
    scene.register_all()
    scene.tasks.unhealthy = {"task-launch1"}
    scene.run()

    assert scene.tasks.stop_calls == ["task-launch1"]
    assert list(scene.tasks.started) == ["task-launch1", "task-launch2"]


def test_unhealthy_busy_worker_is_stopped_and_its_pair_requested_after_its_end(
    world: World,
) -> None:
    scene = Scene(world)
    scene.ask_for(PAIRS[0])
    scene.run()
    scene.register("task-launch1", serving=PAIRS[0])
    scene.tasks.unhealthy = {"task-launch1"}
    scene.run()

    assert scene.tasks.stop_calls == ["task-launch1"]
    assert scene.phases() == {Phase.BUSY: 1}
    scene.tasks.over = {"task-launch1"}
    scene.run()
    assert list(scene.tasks.started) == ["task-launch1", "task-launch2"]


def test_stopping_worker_keeps_its_slot_until_its_task_has_ended(world: World) -> None:
    scene = Scene(world, maximum=1)
    scene.ask_for(PAIRS[0])
    scene.run()
    world.clock.advance(world.timing.worker_start_seconds + 1)
    scene.run()
    assert list(scene.tasks.started) == ["task-launch1"]

    scene.tasks.over.add("task-launch1")
    scene.run()

    assert list(scene.tasks.started) == ["task-launch1", "task-launch2"]


def test_dead_worker_is_removed_and_its_pair_requested_again(world: World) -> None:
    scene = Scene(world)
    scene.ask_for(PAIRS[0])
    scene.run()
    scene.register("task-launch1", serving=PAIRS[0])
    world.waiting("unclaimed")
    scene.tasks.over.add("task-launch1")

    assert scene.run().started == 1
    assert scene.phases() == {Phase.STARTING: 1}
    assert len(world.waiting("unclaimed")) == 1


def test_slot_is_freed_by_the_end_of_the_task_not_by_gone(world: World) -> None:
    scene = Scene(world, maximum=1)
    scene.ask_for(*PAIRS[:2])
    scene.run()
    scene.register("task-launch1", serving=PAIRS[0]).gone()
    assert scene.run().started == 0

    scene.tasks.over.add("task-launch1")

    assert scene.run().started == 1
    assert set(world.worker_requests.waiting()) == {PAIRS[1].key}  # no new request for a released pair


def test_task_not_yet_known_to_ecs_keeps_its_slot(world: World) -> None:
    scene = Scene(world)
    scene.ask_for(PAIRS[0])
    scene.run()
    scene.tasks.unknown.add("task-launch1")
    scene.run()
    assert list(scene.tasks.started) == ["task-launch1"]

    world.clock.advance(world.timing.worker_start_seconds + 1)
    scene.run()

    assert list(scene.tasks.started) == ["task-launch1", "task-launch2"]


def test_launch_with_a_lost_response_is_repeated_with_its_id(world: World) -> None:
    scene = Scene(world)
    scene.ask_for(PAIRS[0])

    def lose_the_answer(launch: Launch) -> None:
        scene.tasks.started[f"task-{launch.launch_id}"] = launch
        raise EndpointConnectionError(endpoint_url="https://ecs.example.com")

    scene.tasks.before_run = lose_the_answer
    scene.run()
    scene.tasks.before_run = lambda _: None
    scene.run()

    assert list(scene.tasks.started) == ["task-launch1"]
    assert [entry.task_id for entry in world.workers.all()] == ["task-launch1"]


def test_rejected_launch_frees_its_slot(world: World) -> None:
    scene = Scene(world)
    scene.ask_for(PAIRS[0])

    def refuse(launch: Launch) -> None:
        raise TaskNotStartedError(launch, "Capacity is unavailable at this time")

    scene.tasks.before_run = refuse
    scene.run()

    assert world.workers.all() == []


def test_worker_starts_on_demand_without_spot_capacity(world: World) -> None:
    scene = Scene(world, spot_weight=1)
    scene.ask_for(PAIRS[0])

    def refuse_spot(launch: Launch) -> None:
        if launch.capacity is Capacity.SPOT:
            raise TaskNotStartedError(launch, "Capacity is unavailable at this time")

    scene.tasks.before_run = refuse_spot
    scene.run()

    assert [launch.capacity for launch in scene.tasks.started.values()] == [Capacity.ON_DEMAND]


def test_capacity_is_split_between_on_demand_and_spot(world: World) -> None:
    scene = Scene(world, maximum=8, on_demand=1, spot_weight=2)
    scene.ask_for(*PAIRS)
    scene.run()

    kinds = Counter(launch.capacity for launch in scene.tasks.started.values())
    assert kinds == {Capacity.ON_DEMAND: 3, Capacity.SPOT: 5}


def test_two_concurrent_runs_start_as_many_workers_as_one(world: World) -> None:
    scene = Scene(world, maximum=5)
    scene.ask_for(*PAIRS[:2])
    others: list[FleetResult] = []

    def run_another_first(_: Launch) -> None:
        scene.tasks.before_run = lambda _: None
        others.append(scene.run())

    scene.tasks.before_run = run_another_first
    scene.run()

    assert others
    assert len(scene.tasks.started) == 2
    assert scene.phases() == {Phase.STARTING: 2}


def test_surplus_worker_is_stopped_after_idle_time(world: World) -> None:
    scene = Scene(world, spare=1)
    scene.ask_for(PAIRS[0])
    scene.run()
    scene.register_all()
    world.worker_requests.clear(PAIRS[0])
    scene.run()
    assert scene.tasks.stop_calls == []

    world.clock.advance(world.timing.surplus_seconds + 1)
    scene.run()

    assert len(scene.tasks.stop_calls) == 1
    assert scene.phases() == {Phase.STOPPING: 1, Phase.IDLE: 1}
