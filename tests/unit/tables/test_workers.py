"""Slots of the fleet: one launch each; delayed and foreign writes fail."""

from __future__ import annotations

import pytest

from tests.support.brokered import RegisteredWorker
from tests.support.world import PAIR, World
from webordinary.aws.ecs_tasks import Capacity, Launch
from webordinary.contract.messages.base import Pair
from webordinary.tables.workers import Assignment, NotRegisteredError, Phase

OTHER = Pair(project="garden", user="bob")
LAUNCH = Launch("launch1", "slot-0001", Capacity.SPOT)


def registered(world: World, launch: Launch = LAUNCH) -> RegisteredWorker:
    world.workers.take(launch, "definition")
    registration = RegisteredWorker(world, launch, "task-1")
    registration.idle()
    return registration


def phase(world: World) -> Phase:
    (entry,) = world.workers.all()
    return entry.phase


def test_slot_is_taken_once(world: World) -> None:
    assert world.workers.take(LAUNCH, "definition")
    assert not world.workers.take(Launch("launch2", LAUNCH.slot, Capacity.SPOT), "definition")


def test_entry_is_read_back_unchanged(world: World) -> None:
    registered(world).busy(PAIR, "mail-1")

    (entry,) = world.workers.all()

    assert (entry.launch, entry.phase, entry.definition) == (LAUNCH, Phase.BUSY, "definition")
    assert (entry.task_id, entry.pair, entry.job_id) == ("task-1", PAIR, "mail-1")


def test_worker_whose_slot_has_another_launch_is_rejected(world: World) -> None:
    world.workers.take(LAUNCH, "definition")
    world.workers.free(LAUNCH.slot, LAUNCH.launch_id)
    world.workers.take(Launch("launch2", LAUNCH.slot, Capacity.SPOT), "definition")

    with pytest.raises(NotRegisteredError):
        RegisteredWorker(world, LAUNCH, "task-1").idle()


def test_second_task_of_the_same_launch_is_rejected(world: World) -> None:
    registered(world)

    with pytest.raises(NotRegisteredError):
        RegisteredWorker(world, LAUNCH, "task-2").idle()


def test_stopping_worker_cannot_become_busy(world: World) -> None:
    registration = registered(world)
    world.workers.stop(world.workers.all()[0])

    with pytest.raises(NotRegisteredError):
        registration.busy(PAIR, "mail-1")


def test_delayed_step_changes_nothing(world: World) -> None:
    registration = registered(world)
    seen = registration.entry
    registration.busy(PAIR, "mail-1")

    with pytest.raises(NotRegisteredError):
        world.workers.move(seen, "task-1", Phase.IDLE, "late", None)

    assert phase(world) is Phase.BUSY


def test_repeated_step_counts_once(world: World) -> None:
    seen = registered(world).entry
    for _ in range(2):
        world.workers.move(seen, "task-1", Phase.LEAVING, "call", None)

    (entry,) = world.workers.all()
    assert entry.step == seen.step + 1


def test_of_two_calls_with_the_same_step_one_fails(world: World) -> None:
    seen = registered(world).entry
    world.workers.move(seen, "task-1", Phase.BUSY, "first", Assignment(PAIR, "mail-1"))

    with pytest.raises(NotRegisteredError):
        world.workers.move(seen, "task-1", Phase.BUSY, "second", Assignment(OTHER, "mail-2"))


def test_worker_that_holds_a_pair_cannot_change_it(world: World) -> None:
    registration = registered(world)
    registration.busy(PAIR, "mail-1")
    held = world.workers.hold(registration.entry, "task-1", "call")

    for serving in (None, Assignment(OTHER, "mail-2")):
        with pytest.raises(NotRegisteredError):
            world.workers.move(held, "task-1", Phase.IDLE, "another", serving)

    assert world.workers.move(held, "task-1", Phase.LEAVING, "another", Assignment(PAIR, "mail-1")).holds == PAIR


def test_freed_slot_has_no_pair(world: World) -> None:
    registration = registered(world)
    registration.busy(PAIR, "mail-1")
    world.workers.hold(registration.entry, "task-1", "call")
    world.workers.free(LAUNCH.slot, LAUNCH.launch_id)
    next_launch = Launch("launch2", LAUNCH.slot, Capacity.SPOT)

    assert registered(world, next_launch).entry.holds is None


def test_stop_with_a_stale_step_changes_nothing(world: World) -> None:
    registration = registered(world)
    seen = world.workers.all()[0]
    registration.busy(PAIR, "mail-1")
    registration.idle()

    assert not world.workers.stop(seen)


def test_freed_slot_can_be_taken_again(world: World) -> None:
    registered(world).gone()
    assert phase(world) is Phase.GONE

    world.workers.free(LAUNCH.slot, LAUNCH.launch_id)

    assert world.workers.all() == []
    assert world.workers.take(Launch("launch2", LAUNCH.slot, Capacity.SPOT), "definition")


@pytest.mark.parametrize(("seconds", "full"), [(0, True), (240, True), (400, False)])
def test_fleet_is_full_only_while_its_workers_serve_pairs(world: World, seconds: float, full: bool) -> None:
    world.workers.note_shortage(2, serves=True)
    world.clock.advance(seconds)
    world.workers.note_shortage(2)

    assert world.workers.is_full() is full


def test_fleet_whose_workers_never_served_a_pair_is_not_full(world: World) -> None:
    world.workers.note_shortage(2)

    assert not world.workers.is_full()
