"""A job's cancellation token: cancelled by the lease, a signal, an interrupt or a timeout.

A cancelled token stays cancelled. A lost lease overrides every other reason, because it forbids publishing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from webordinary.protocol.worker.run import CancelReason, JobCancelledError

Reaction = Callable[[CancelReason], None]


class CancellationToken:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reason: CancelReason | None = None
        self._reactions: list[Reaction] = []

    @property
    def reason(self) -> CancelReason | None:
        return self._reason

    def cancel(self, reason: CancelReason) -> None:
        with self._lock:
            if self._reason is None or reason is CancelReason.LOST:
                self._reason = reason
            reactions = list(self._reactions)
        for react in reactions:
            react(reason)

    def check(self) -> None:
        if self._reason is not None:
            raise JobCancelledError(self._reason)

    @contextmanager
    def on_cancel(self, reaction: Reaction) -> Iterator[None]:
        """Calls `reaction` if the job is cancelled during the block; immediately if it already is."""
        with self._lock:
            self._reactions.append(reaction)
            cancelled = self._reason
        if cancelled is not None:
            reaction(cancelled)
        try:
            yield
        finally:
            with self._lock:
                self._reactions.remove(reaction)
