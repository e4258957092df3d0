"""A pause stops all work of agents and loses no mail."""

from __future__ import annotations

import threading

import pytest

from tests.support.brokered import InProcessBroker
from tests.support.world import PAIR, World
from webordinary.contract.messages.ownership import RequestVerdict
from webordinary.protocol.worker_requests import WorkerRequests
from webordinary.tables.jobs import JobState
from webordinary.tables.pauses import Pauses
from webordinary.tables.workers import NotRegisteredError, Phase
from webordinary_worker.runtime import pause_watcher


@pytest.fixture
def pauses(world: World) -> Pauses:
    return Pauses(world.dynamodb, world.names, world.clock)


def worker_requests_of(world: World, pauses: Pauses) -> WorkerRequests:
    parts = (world.dynamodb, world.queues, world.names, world.timing, world.clock, lambda: 0.0)
    return WorkerRequests(*parts, is_paused=pauses.is_paused)


def broker_of(world: World, pauses: Pauses) -> InProcessBroker:
    called = InProcessBroker(world)
    object.__setattr__(called.broker, "is_paused", pauses.is_paused)
    return called


@pytest.mark.parametrize(
    ("paused", "resumed", "left"),
    [
        (["bakery"], [], {"bakery"}),
        ([None], [], {"bakery", "garden"}),
        (["bakery"], ["bakery"], set()),
        ([None, "bakery"], [None], {"bakery"}),
        ([None, "bakery"], ["bakery"], {"bakery", "garden"}),
        (["bakery", "bakery"], ["bakery"], set()),
    ],
    ids=["one", "everything", "one again", "everything again", "one of everything", "twice"],
)
def test_pause_applies_to_one_project_or_to_all(
    pauses: Pauses, paused: list[str | None], resumed: list[str | None], left: set[str]
) -> None:
    for project in paused:
        pauses.pause(project)
    for project in resumed:
        pauses.resume(project)

    assert {project for project in ("bakery", "garden") if pauses.is_paused(project)} == left


def test_paused_project_requests_no_worker_and_counts_no_failure(world: World, pauses: Pauses) -> None:
    worker_requests = worker_requests_of(world, pauses)
    pauses.pause("bakery")
    verdicts = {worker_requests.request(PAIR, "mail-1").verdict for _ in range(10)}
    pauses.resume("bakery")

    assert verdicts == {RequestVerdict.PAUSED}
    assert world.waiting("unclaimed") == []
    assert worker_requests.request(PAIR, "mail-1").verdict is RequestVerdict.SENT


def test_paused_project_is_not_assigned_to_a_worker(world: World, pauses: Pauses) -> None:
    world.dispatch(world.job())
    pauses.pause()

    assert broker_of(world, pauses).pair() is None
    assert world.jobs.get(PAIR, "mail-1").state is JobState.WAITING
    assert world.workers.all()[0].phase is Phase.IDLE

    pauses.resume()
    assert worker_requests_of(world, pauses).request(PAIR, "mail-1").verdict is RequestVerdict.SENT


def test_busy_worker_of_a_paused_project_gets_no_grant_again(world: World, pauses: Pauses) -> None:
    world.dispatch(world.job())
    broker = broker_of(world, pauses)
    assert broker.pair() is not None
    pauses.pause("bakery")

    with pytest.raises(NotRegisteredError):
        broker.pair()


def test_worker_of_a_paused_project_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pause_watcher, "POLL_SECONDS", 0.001)
    answers = iter([False, False, True])
    stopped, ended = threading.Event(), threading.Event()

    pause_watcher.watch(lambda: next(answers), stopped.set, ended)

    assert stopped.wait(120)


def test_failed_pause_check_is_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pause_watcher, "POLL_SECONDS", 0.001)
    looks = iter([False, True])
    stopped = threading.Event()

    def look() -> bool:
        if next(looks):
            return True
        raise NotRegisteredError("slot-0001")

    pause_watcher.watch(look, stopped.set, threading.Event())

    assert stopped.wait(120)
