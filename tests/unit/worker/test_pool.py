"""A worker among others: protected while it owns a pair, clean before the next one, and patient with trouble."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from botocore.exceptions import EndpointConnectionError

from webordinary.platform.queues import Received
from webordinary_worker import pool
from webordinary_worker.pool import Pool
from webordinary_worker.protection import ProtectionError, TaskProtection


class Protection(TaskProtection):
    """Stands in for ECS, which cannot be had here: notes the switch."""

    def __init__(self) -> None:
        super().__init__(None)
        self.is_on = False

    def on(self) -> None:
        self.is_on = True

    def off(self) -> None:
        self.is_on = False


class ScriptedWorker:
    """A worker's protocol as the pool sees it: so many requests, then the shutdown."""

    def __init__(self, shutdown: threading.Event, requests: int = 1, answer: Callable[[], bool] = lambda: True) -> None:
        self.shutdown = shutdown
        self.left = requests
        self.answered = 0
        self.refused = 0
        self._answer = answer

    def receive_request(self) -> Received | None:
        if self.left == 0:
            self.shutdown.set()
            return None
        self.left -= 1
        return Received(body="", receipt="", attempt=1)

    def answer(self, _: Received) -> bool:
        self.answered += 1
        return self._answer()

    def refuse(self, _: Received) -> None:
        self.refused += 1


def pool_of(worker: ScriptedWorker, **more: Any) -> Pool:
    given: Any = worker
    return Pool(given, **{"protection": Protection(), "clean": lambda: None, "shutdown": worker.shutdown, **more})


def test_a_pair_is_served_only_under_protection() -> None:
    protection, seen = Protection(), []

    def answer() -> bool:
        seen.append(protection.is_on)
        return True

    pool_of(ScriptedWorker(threading.Event(), answer=answer), protection=protection).run()

    assert (seen, protection.is_on) == ([True], False)


def test_protection_ends_even_if_serving_failed() -> None:
    protection = Protection()

    def fail() -> bool:
        raise EndpointConnectionError(endpoint_url="https://sqs.example.com")

    pool_of(ScriptedWorker(threading.Event(), answer=fail), protection=protection).run()

    assert not protection.is_on


def test_without_protection_there_is_no_claim(monkeypatch: Any) -> None:
    monkeypatch.setattr(pool, "UNPROTECTED_PAUSE_SECONDS", 0)
    worker = ScriptedWorker(threading.Event())

    class Refusing(Protection):
        def on(self) -> None:
            raise ProtectionError(True, "a deployment is running")

    pool_of(worker, protection=Refusing()).run()

    assert (worker.answered, worker.refused) == (0, 1)


def test_the_disk_is_cleaned_before_the_first_pair_and_after_each() -> None:
    cleaned: list[str] = []

    pool_of(ScriptedWorker(threading.Event(), requests=2), clean=lambda: cleaned.append("clean")).run()

    assert len(cleaned) == 3


def test_a_worker_may_end_after_its_first_pair() -> None:
    worker = ScriptedWorker(threading.Event(), requests=2)

    pool_of(worker, exit_after_release=True).run()

    assert worker.answered == 1


def test_a_worker_that_served_nobody_goes_on_waiting() -> None:
    worker = ScriptedWorker(threading.Event(), requests=2, answer=lambda: False)

    pool_of(worker, exit_after_release=True).run()

    assert worker.answered == 2


def test_trouble_with_aws_is_waited_out(monkeypatch: Any) -> None:
    pauses: list[float] = []
    shutdown = threading.Event()
    monkeypatch.setattr(shutdown, "wait", pauses.append)

    def fail() -> bool:
        raise EndpointConnectionError(endpoint_url="https://sqs.example.com")

    pool_of(ScriptedWorker(shutdown, requests=7, answer=fail)).run()

    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]
