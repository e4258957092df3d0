"""Orphaned messages: deletes what dead workers left, and no message of an open job."""

from __future__ import annotations

import pytest

from tests.support.world import PAIR, World
from webordinary.contract.messages.outcome import Outcome
from webordinary.steps.sweep.orphaned_messages import CHECKED_FOR, OrphanedMessages


def clear(world: World) -> int:
    return OrphanedMessages(world.ownership, world.jobs, world.queues).delete(lambda: True)


def leave_a_message(world: World, job_id: str = "mail-1") -> None:
    world.queues.send_in_order("input", world.job(job_id), group=PAIR.key, deduplication_id=job_id, pair=PAIR)


def after_the_lease(world: World) -> None:
    world.clock.advance(world.timing.lease_seconds + world.timing.clock_margin_seconds + 1)


@pytest.fixture
def reported(world: World) -> World:
    """A worker has reported its job and not yet deleted its message."""
    fence = world.ownership.claim(PAIR, "worker-a").fence
    world.jobs.record(world.job(), "token")
    leave_a_message(world)
    world.jobs.start(PAIR, "mail-1", fence)
    world.tokens.settle(world.jobs.finish(PAIR, "mail-1", fence, Outcome(state="done")))
    return world


def test_message_of_a_finished_job_is_deleted_after_worker_death(reported: World) -> None:
    after_the_lease(reported)

    assert clear(reported) == 1
    assert reported.waiting("input", PAIR) == []


def test_message_is_left_to_a_live_owner(reported: World) -> None:
    assert clear(reported) == 0
    assert len(reported.waiting("input", PAIR)) == 1


def test_pair_with_an_open_job_is_left_to_its_next_owner(reported: World) -> None:
    reported.jobs.record(reported.job("mail-2"), "token-2")
    leave_a_message(reported, "mail-2")
    after_the_lease(reported)

    assert clear(reported) == 0
    assert len(reported.waiting("input", PAIR)) == 2


def test_pair_with_a_released_lease_is_not_checked(reported: World) -> None:
    reported.ownership.release_lease(reported.ownership.inspect(PAIR))
    after_the_lease(reported)

    assert clear(reported) == 0


def test_pair_of_a_long_dead_owner_is_not_checked(reported: World) -> None:
    after_the_lease(reported)
    reported.clock.advance(CHECKED_FOR.total_seconds())

    assert clear(reported) == 0


def test_cleanup_does_not_change_ownership(reported: World) -> None:
    after_the_lease(reported)
    before = reported.ownership.inspect(PAIR)

    clear(reported)

    assert reported.ownership.inspect(PAIR) == before


def test_new_job_during_the_cleanup_stays_in_its_queue(reported: World, monkeypatch: pytest.MonkeyPatch) -> None:
    reported.waiting("input", PAIR)
    reported.jobs.record(reported.job("mail-2"), "token-2")
    leave_a_message(reported, "mail-2")
    after_the_lease(reported)
    monkeypatch.setattr(reported.jobs, "has_open_jobs", lambda _pair: False)  # the read came too early

    assert clear(reported) == 0
    assert len(reported.waiting("input", PAIR)) == 1
