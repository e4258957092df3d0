"""Threads that sleep until another thread notifies them, without a guess how long that takes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

TIMEOUT_SECONDS = 120.0  # only a hang reaches it


class RecordedCondition(threading.Condition):
    """Records that a thread sleeps until it is notified."""

    def __init__(self) -> None:
        super().__init__()
        self.asleep = threading.Event()

    def wait(self, timeout: float | None = None) -> bool:
        self.asleep.set()
        return super().wait(timeout)


@contextmanager
def sleeping_thread(owner: Any, wait: Callable[[], object]) -> Iterator[None]:
    """Runs `wait`, which sleeps on the owner's condition `_changed`. The block must wake it up."""
    owner._changed = condition = RecordedCondition()
    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    assert condition.asleep.wait(TIMEOUT_SECONDS), "the thread did not wait"
    yield
    thread.join(TIMEOUT_SECONDS)
    assert not thread.is_alive(), "the thread was not woken up"
