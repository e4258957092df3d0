"""Many things side by side: all of them, no more at once than allowed, and nothing behind anybody's back."""

from __future__ import annotations

import threading
from functools import partial

import pytest

from webordinary_worker.parallel import run_all

PATIENCE_SECONDS = 30


def test_all_are_done() -> None:
    done: list[int] = []

    run_all([partial(done.append, number) for number in range(100)])
    run_all([])

    assert sorted(done) == list(range(100))


def test_they_wait_side_by_side() -> None:
    meeting = threading.Barrier(4, timeout=PATIENCE_SECONDS)  # one after the other, they would never meet

    def meet() -> None:
        meeting.wait()

    run_all([meet] * 8, at_once=4)


def test_no_more_are_under_way_than_allowed() -> None:
    lock, under_way, most = threading.Lock(), 0, 0
    meeting = threading.Barrier(3, timeout=PATIENCE_SECONDS)

    def work() -> None:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        meeting.wait()
        with lock:
            under_way -= 1

    run_all([work] * 9, at_once=3)

    assert most == 3


def test_what_was_begun_is_over_when_another_fails() -> None:
    begun: list[str] = []
    over: list[str] = []
    failing = threading.Event()

    def slow() -> None:
        begun.append("slow")
        failing.wait(PATIENCE_SECONDS)
        over.append("slow")

    def fail() -> None:
        failing.set()
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        run_all([slow, fail], at_once=2)
    assert begun == over == ["slow"]


def test_after_a_failure_none_is_begun_any_more() -> None:
    begun: list[int] = []

    def fail() -> None:
        begun.append(1)
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        run_all([fail] * 1000, at_once=4)
    assert len(begun) <= 4
