"""Places in the fleet: one launch each, and no write that comes late or from a stranger."""

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


def test_a_place_is_taken_once(world: World) -> None:
    assert world.workers.take(LAUNCH, "definition")
    assert not world.workers.take(Launch("launch2", LAUNCH.slot, Capacity.SPOT), "definition")


def test_an_entry_says_what_was_written(world: World) -> None:
    registered(world).busy(PAIR, "mail-1")

    (entry,) = world.workers.all()

    assert (entry.launch, entry.phase, entry.definition) == (LAUNCH, Phase.BUSY, "definition")
    assert (entry.task_id, entry.pair, entry.job_id) == ("task-1", PAIR, "mail-1")


def test_a_worker_whose_place_was_given_to_another_is_refused(world: World) -> None:
    world.workers.take(LAUNCH, "definition")
    world.workers.free(LAUNCH.slot, LAUNCH.launch_id)
    world.workers.take(Launch("launch2", LAUNCH.slot, Capacity.SPOT), "definition")

    with pytest.raises(NotRegisteredError):
        RegisteredWorker(world, LAUNCH, "task-1").idle()


def test_a_second_task_of_the_same_launch_is_refused(world: World) -> None:
    registered(world)

    with pytest.raises(NotRegisteredError):
        RegisteredWorker(world, LAUNCH, "task-2").idle()


def test_a_worker_that_is_to_be_stopped_cannot_become_busy(world: World) -> None:
    registration = registered(world)
    world.workers.stop(world.workers.all()[0])

    with pytest.raises(NotRegisteredError):
        registration.busy(PAIR, "mail-1")


def test_a_step_that_arrives_late_changes_nothing(world: World) -> None:
    registration = registered(world)
    seen = registration.entry
    registration.busy(PAIR, "mail-1")

    with pytest.raises(NotRegisteredError):
        world.workers.move(seen, "task-1", Phase.IDLE, "late", None)

    assert phase(world) is Phase.BUSY


def test_a_step_that_is_sent_twice_counts_once(world: World) -> None:
    seen = registered(world).entry
    for _ in range(2):
        world.workers.move(seen, "task-1", Phase.LEAVING, "call", None)

    (entry,) = world.workers.all()
    assert entry.step == seen.step + 1


def test_of_two_calls_that_saw_the_same_step_one_fails(world: World) -> None:
    seen = registered(world).entry
    world.workers.move(seen, "task-1", Phase.BUSY, "first", Assignment(PAIR, "mail-1"))

    with pytest.raises(NotRegisteredError):
        world.workers.move(seen, "task-1", Phase.BUSY, "second", Assignment(OTHER, "mail-2"))


def test_a_worker_that_holds_a_pair_takes_no_step_for_another_or_none(world: World) -> None:
    registration = registered(world)
    registration.busy(PAIR, "mail-1")
    held = world.workers.hold(registration.entry, "task-1", "call")

    for serving in (None, Assignment(OTHER, "mail-2")):
        with pytest.raises(NotRegisteredError):
            world.workers.move(held, "task-1", Phase.IDLE, "another", serving)

    assert world.workers.move(held, "task-1", Phase.LEAVING, "another", Assignment(PAIR, "mail-1")).holds == PAIR


def test_a_place_that_was_freed_remembers_no_pair(world: World) -> None:
    registration = registered(world)
    registration.busy(PAIR, "mail-1")
    world.workers.hold(registration.entry, "task-1", "call")
    world.workers.free(LAUNCH.slot, LAUNCH.launch_id)
    next_launch = Launch("launch2", LAUNCH.slot, Capacity.SPOT)

    assert registered(world, next_launch).entry.holds is None


def test_a_stop_that_was_decided_on_an_earlier_step_changes_nothing(world: World) -> None:
    registration = registered(world)
    seen = world.workers.all()[0]
    registration.busy(PAIR, "mail-1")
    registration.idle()

    assert not world.workers.stop(seen)


def test_a_place_that_was_freed_can_be_taken_again(world: World) -> None:
    registered(world).gone()
    assert phase(world) is Phase.GONE

    world.workers.free(LAUNCH.slot, LAUNCH.launch_id)

    assert world.workers.all() == []
    assert world.workers.take(Launch("launch2", LAUNCH.slot, Capacity.SPOT), "definition")
