"""What a worker does with a claim request."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.support.world import PAIR, World
from webordinary.platform.messages import ClaimRequest
from webordinary.platform.queues import Queues, Received
from webordinary.tables.ownership import Ownership
from webordinary_worker.pool import Pool, seconds_until_claimable
from webordinary_worker.protection import ProtectionError, TaskProtection
from webordinary_worker.settings import WorkerSettings


class Protection(TaskProtection):
    """Stands in for ECS, which cannot be had here: notes the switch."""

    def __init__(self) -> None:
        super().__init__(None)
        self.is_on = False

    def on(self) -> None:
        self.is_on = True

    def off(self) -> None:
        self.is_on = False


@pytest.fixture
def settings(world: World) -> WorkerSettings:
    return WorkerSettings.load(
        {
            "WEBORDINARY_ACCOUNT": world.names.account,
            "WEBORDINARY_WORKSPACE": "/workspace",
            "WEBORDINARY_CACHE": "/cache",
            "WEBORDINARY_NODE_FOLDER": "/node",
            "WEBORDINARY_CONTAINER_ID": "worker-1",
            "WEBORDINARY_EXIT_AFTER_RELEASE": "true",
            "WEBORDINARY_TIMING": '{"long_poll_seconds": 0}',
        }
    )


def run_pool(
    world: World,
    settings: WorkerSettings,
    serve: Callable[[Ownership], None] = lambda _: None,
    protection: Protection | None = None,
    shutdown: threading.Event | None = None,
) -> None:
    """Runs a pool until its queue is empty once."""
    leaving = shutdown or threading.Event()

    class UntilEmpty(Queues):
        def receive(self, *arguments: Any, **more: Any) -> Received | None:
            received = super().receive(*arguments, **more)
            if received is None:
                leaving.set()
            return received

    Pool(
        settings,
        UntilEmpty(world.sqs, world.names),
        world.ownership,
        protection or Protection(),
        serve=lambda ownership, _, delete_request: (serve(ownership), delete_request()),  # type: ignore[arg-type]
        clean=lambda: None,
        shutdown=leaving,
        clock=world.clock,
    ).run()


def ask(world: World) -> None:
    world.queues.send("unclaimed", ClaimRequest(pair=PAIR, job_id="mail-1", requested_at=world.clock()))


def test_a_won_claim_is_served_by_its_winner(world: World, settings: WorkerSettings) -> None:
    ask(world)
    served: list[Ownership] = []

    run_pool(world, settings, served.append)

    assert [(one.pair, one.container_id) for one in served] == [(PAIR, "worker-1")]


def test_a_worker_that_dies_before_it_can_serve_leaves_the_request_for_another(
    world: World, settings: WorkerSettings
) -> None:
    class DiedError(BaseException):
        pass

    def die(_: Ownership) -> None:
        raise DiedError

    ask(world)
    with pytest.raises(DiedError):
        run_pool(world, settings, die)

    assert left_in_unclaimed(world) == 1


def test_a_pair_is_served_only_under_protection(world: World, settings: WorkerSettings) -> None:
    ask(world)
    protection = Protection()
    seen: list[bool] = []

    run_pool(world, settings, lambda _: seen.append(protection.is_on), protection)

    assert (seen, protection.is_on) == ([True], False)


def test_without_protection_there_is_no_claim(world: World, settings: WorkerSettings) -> None:
    ask(world)
    shutdown = threading.Event()

    class Refusing(Protection):
        def on(self) -> None:
            shutdown.set()
            raise ProtectionError(True, "a deployment is running")

    run_pool(world, settings, protection=Refusing(), shutdown=shutdown)

    assert world.ownership.inspect(PAIR).container_id is None
    assert left_in_unclaimed(world) == 1


def test_a_request_for_a_pair_with_a_live_owner_is_deleted(world: World, settings: WorkerSettings) -> None:
    world.ownership.claim(PAIR, "worker-2")
    ask(world)

    run_pool(world, settings)

    assert left_in_unclaimed(world) == 0


def test_a_request_for_a_pair_whose_owner_missed_renewals_is_kept(world: World, settings: WorkerSettings) -> None:
    world.ownership.claim(PAIR, "worker-2")
    world.clock.advance(50)
    ask(world)

    run_pool(world, settings)

    assert left_in_unclaimed(world) == 1


def test_a_request_that_cannot_be_read_is_dropped(world: World, settings: WorkerSettings) -> None:
    world.sqs.send_message(QueueUrl=world.queues.url("unclaimed"), MessageBody="{}")

    run_pool(world, settings)

    assert left_in_unclaimed(world) == 0


def test_a_kept_request_comes_back_when_the_pair_can_be_claimed(world: World) -> None:
    owner = Ownership(PAIR, "worker-2", 1, world.clock() + timedelta(seconds=10))

    seconds = seconds_until_claimable(owner, world.clock(), world.timing)

    assert seconds is not None
    assert 10 + world.timing.clock_margin_seconds < seconds <= 20


def left_in_unclaimed(world: World) -> int:
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    attributes = world.sqs.get_queue_attributes(QueueUrl=world.queues.url("unclaimed"), AttributeNames=names)
    return sum(int(attributes["Attributes"][name]) for name in names)
