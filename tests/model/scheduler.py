"""Runs actors one remote call at a time, in the order that the caller chooses.

An actor is ordinary code in a separate thread. Before each remote call it blocks until its next turn, so the caller
decides every interleaving, and the same choices repeat the same run. Only one thread runs at a time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable


class ActorKilledError(BaseException):
    """Ends an actor at its current call. Derived from BaseException so that no code under test can catch it."""


_in_this_thread = threading.local()


def _acquired_lock() -> threading.Lock:
    """A lock that another thread releases: a binary semaphore, cheaper than `threading.Semaphore`."""
    lock = threading.Lock()
    lock.acquire()
    return lock


def current_actor() -> Actor | None:
    """The actor of this thread, or None."""
    return getattr(_in_this_thread, "actor", None)


class Actor:
    def __init__(self, name: str, body: Callable[[], None]) -> None:
        self.name = name
        self.wakes_at = 0
        self.weight = 1
        self.about_to = ""
        self.paused = False
        self.finished = False
        self.crashed = False
        self.error: BaseException | None = None
        self._body = body
        self._killed = False
        self._hung = False
        self._turn = _acquired_lock()
        self._back = _acquired_lock()
        self._thread: threading.Thread | None = None

    def is_calling_as(self, thread: str) -> bool:
        """Whether this is the named thread of a process, about to make a remote call."""
        return self.name.endswith(thread) and self.about_to not in ("", "sleep") and not self.finished

    def hang(self, until: int) -> None:
        """Delays the pending call; at most once per call."""
        if not self._hung:
            self._hung = True
            self.wakes_at = until

    def step(self) -> None:
        """Runs the actor until its next remote call, sleep or end."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)
            self._thread.start()
        else:
            self._turn.release()
        self._back.acquire()
        if self.error is not None:
            raise self.error

    def kill(self) -> None:
        """Ends the actor without making its pending call, as when its process dies."""
        self._killed = True
        self.crashed = True
        if self._thread is None:
            self.finished = True
        elif not self.finished:
            self.step()

    def pause_before(self, call: str) -> None:
        """Called by the actor: blocks until its next turn."""
        if self._killed:
            raise ActorKilledError  # a dead process runs no cleanup code
        self.about_to = call
        self._hung = False
        self._back.release()
        self._turn.acquire()
        if self._killed:
            raise ActorKilledError

    def _run(self) -> None:
        _in_this_thread.actor = self
        try:
            self._body()
        except ActorKilledError:
            pass
        except BaseException as error:
            self.error = error
        finally:
            self.finished = True
            self._back.release()
