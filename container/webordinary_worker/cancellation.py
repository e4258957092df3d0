"""A job's stop button: pressed by the lease keeper, a signal, an interrupt or the clock; felt by whatever runs.

A pressed button does not come up again. Losing the lease outranks every other reason, because it forbids publishing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum

from webordinary.platform.errors import WebordinaryError


class StopReason(StrEnum):
    LOST = "lost"  # somebody else may own the pair: publish nothing more
    SHUTDOWN = "shutdown"  # this worker goes away: leave the job to another
    INTERRUPTED = "interrupted"  # a newer mail goes first: keep the partial work
    TIMED_OUT = "timed_out"  # the job took longer than a job may


Reaction = Callable[[StopReason], None]


class StoppedError(WebordinaryError):
    """The job was stopped before it was done; what happens to it depends on the reason."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(f"The job was stopped ({reason}).")
        self.reason = reason


class Stop:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reason: StopReason | None = None
        self._reactions: list[Reaction] = []

    @property
    def reason(self) -> StopReason | None:
        return self._reason

    def request(self, reason: StopReason) -> None:
        with self._lock:
            if self._reason is None or reason is StopReason.LOST:
                self._reason = reason
            reactions = list(self._reactions)
        for react in reactions:
            react(reason)

    def check(self) -> None:
        if self._reason is not None:
            raise StoppedError(self._reason)

    @contextmanager
    def reacting(self, reaction: Reaction) -> Iterator[None]:
        """Calls `reaction` when the button is pressed meanwhile, at once if it already is."""
        with self._lock:
            self._reactions.append(reaction)
            pressed = self._reason
        if pressed is not None:
            reaction(pressed)
        try:
            yield
        finally:
            with self._lock:
                self._reactions.remove(reaction)
