"""The main loop: one pair per worker, retries, and release of the slot."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from webordinary.tables.workers import NotRegisteredError
from webordinary_worker.runtime.main_loop import run_until_served


class ScriptedWorker:
    """A worker that handles a number of requests and then sets the shutdown event."""

    def __init__(self, shutdown: threading.Event, requests: int = 1, serves: Callable[[], bool] = lambda: True) -> None:
        self.shutdown = shutdown
        self.left = requests
        self.answered = 0
        self.has_served = False
        self.is_gone = False
        self._serves = serves

    def serve_next(self) -> None:
        if self.left == 0:
            self.shutdown.set()
            return
        self.left -= 1
        self.answered += 1
        self.has_served = self._serves()

    def leave(self) -> None:
        self.is_gone = True


def run(worker: ScriptedWorker) -> ScriptedWorker:
    protocol_worker: Any = worker
    run_until_served(protocol_worker, worker.shutdown)
    return worker


def fail() -> bool:
    raise EndpointConnectionError(endpoint_url="https://sqs.example.com")


def test_worker_ends_after_its_first_pair_and_gives_up_its_slot() -> None:
    worker = run(ScriptedWorker(threading.Event(), requests=2))

    assert (worker.answered, worker.is_gone) == (1, True)


def test_worker_without_a_pair_asks_again() -> None:
    assert run(ScriptedWorker(threading.Event(), requests=2, serves=lambda: False)).answered == 2


def test_worker_without_a_slot_ends_at_once() -> None:
    def refuse() -> bool:
        raise NotRegisteredError("slot-0001")

    worker = run(ScriptedWorker(threading.Event(), requests=2, serves=refuse))

    assert (worker.answered, worker.is_gone) == (1, True)


def test_worker_that_failed_with_a_pair_serves_no_other() -> None:
    shutdown = threading.Event()

    def fail_with_a_pair() -> bool:
        worker.has_served = True
        return fail()

    worker = ScriptedWorker(shutdown, requests=2, serves=fail_with_a_pair)

    assert run(worker).answered == 1


def test_aws_errors_are_retried_with_backoff(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    shutdown = threading.Event()
    monkeypatch.setattr(shutdown, "wait", pauses.append)

    run(ScriptedWorker(shutdown, requests=7, serves=fail))

    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]
