"""Quiet queues: deletes the queues of quiet pairs only."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.support.world import PAIR, World
from webordinary.aws.queue_provisioning import PairQueues
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.outcome import Outcome
from webordinary.steps.sweep.quiet_queues import INTERVAL, QuietQueues

OTHER = Pair(project="garden", user="bob")


@pytest.fixture
def quiet(world: World) -> QuietQueues:
    pair_queues = PairQueues(world.sqs, world.names, world.timing)
    return QuietQueues(
        pair_queues, world.queues, world.jobs, world.ownership, world.idempotency, world.timing, world.clock
    )


def served_and_left(world: World, pair: Pair = PAIR) -> None:
    world.ownership.release_lease(world.ownership.claim(pair, "worker-a"))


def long_after(world: World) -> None:
    world.clock.advance(world.timing.quiet_seconds + 1)


def has_queues(quiet: QuietQueues, pair: Pair = PAIR) -> bool:
    return pair in quiet.pair_queues.list_page(None)[0]


def test_only_queues_of_a_quiet_pair_are_deleted(world: World, quiet: QuietQueues) -> None:
    quiet.pair_queues.ensure(OTHER)
    served_and_left(world)
    long_after(world)
    served_and_left(world, OTHER)

    assert quiet.delete(lambda: True) == 1
    assert (has_queues(quiet), has_queues(quiet, OTHER)) == (False, True)


def test_queues_without_any_owner_are_deleted_by_their_age(world: World, quiet: QuietQueues) -> None:
    world.clock.now = datetime.now(UTC)  # SQS uses its own clock
    assert not quiet.is_quiet(PAIR)

    long_after(world)

    assert quiet.is_quiet(PAIR)
    assert quiet.delete(lambda: True) == 1
    assert not has_queues(quiet)


def test_recently_served_pair_keeps_its_queues(world: World, quiet: QuietQueues) -> None:
    served_and_left(world)
    world.clock.advance(world.timing.quiet_seconds - 1)

    assert quiet.delete(lambda: True) == 0


def test_pair_with_an_open_job_keeps_its_queues(world: World, quiet: QuietQueues) -> None:
    served_and_left(world)
    long_after(world)
    world.jobs.record(world.job(), "token")

    assert quiet.delete(lambda: True) == 0


def test_pair_with_an_owner_keeps_its_queues(world: World, quiet: QuietQueues) -> None:
    held = world.ownership.claim(PAIR, "worker-a")
    long_after(world)
    world.ownership.renew(held)

    assert quiet.delete(lambda: True) == 0


def test_queue_with_a_message_is_not_deleted(world: World, quiet: QuietQueues) -> None:
    served_and_left(world)
    long_after(world)
    world.queues.send_in_order("input", world.job(), group=PAIR.key, deduplication_id="1", pair=PAIR)

    assert quiet.delete(lambda: True) == 0
    assert len(world.waiting("input", PAIR)) == 1


def test_mail_after_the_deletion_is_served(world: World, quiet: QuietQueues) -> None:
    world.jobs.record(world.job("old"), "token")
    world.jobs.conclude(PAIR, "old", Outcome(state="done"), settled=True)
    served_and_left(world)
    long_after(world)
    quiet.delete(lambda: True)

    quiet.pair_queues.ensure(PAIR)
    world.dispatch(world.job("new"))

    assert len(world.waiting("input", PAIR)) == 1


def test_cleanup_runs_once_an_hour_and_stops_without_time(world: World, quiet: QuietQueues) -> None:
    served_and_left(world)
    long_after(world)

    assert quiet.delete(lambda: False) == 0
    assert quiet.delete(lambda: True) == 0  # at most once an hour

    world.clock.advance(INTERVAL.total_seconds())
    assert quiet.delete(lambda: True) == 1


def test_cleanup_continues_with_the_next_page(
    world: World, quiet: QuietQueues, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webordinary.aws.queue_provisioning.LISTED_AT_ONCE", 1)
    quiet.pair_queues.ensure(OTHER)
    for pair in (PAIR, OTHER):
        served_and_left(world, pair)
    long_after(world)

    deleted = 0
    for _ in range(4):  # one of the listed queues is the dead-letter queue
        deleted += quiet.delete(lambda: True)
        world.clock.advance(INTERVAL.total_seconds())

    assert deleted == 2
