"""Parallel tasks: all run, at most a number of them at once, and all have ended when `run_all` returns."""

from __future__ import annotations

import threading
from functools import partial

import pytest

from webordinary_worker.parallel import run_all

TIMEOUT_SECONDS = 120  # only a hang reaches it


def test_all_tasks_run() -> None:
    done: list[int] = []

    run_all([partial(done.append, number) for number in range(100)])
    run_all([])

    assert sorted(done) == list(range(100))


def test_tasks_run_in_parallel() -> None:
    meeting = threading.Barrier(4, timeout=TIMEOUT_SECONDS)  # one after the other, they would time out

    def meet() -> None:
        meeting.wait()

    run_all([meet] * 8, max_parallel=4)


def test_parallel_tasks_are_limited() -> None:
    lock, running, most = threading.Lock(), 0, 0
    meeting = threading.Barrier(3, timeout=TIMEOUT_SECONDS)

    def work() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        meeting.wait()
        with lock:
            running -= 1

    run_all([work] * 9, max_parallel=3)

    assert most == 3


def test_running_tasks_have_ended_when_another_fails() -> None:
    started: list[str] = []
    ended: list[str] = []
    failing = threading.Event()

    def slow() -> None:
        started.append("slow")
        failing.wait(TIMEOUT_SECONDS)
        ended.append("slow")

    def fail() -> None:
        failing.set()
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        run_all([slow, fail], max_parallel=2)
    assert started == ended == ["slow"]


def test_no_task_starts_after_a_failure() -> None:
    started: list[int] = []

    def fail() -> None:
        started.append(1)
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        run_all([fail] * 1000, max_parallel=4)
    assert len(started) <= 4
