"""Runs actors one remote call at a time, in an order that somebody else chooses.

An actor is ordinary code in a thread of its own. Before each remote call it stops and waits for its turn, so the
chooser decides about every interleaving, and the same choices give the same run. Only one thread ever runs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable


class ActorKilledError(BaseException):
    """Ends an actor where it stands. Derived from BaseException so that no code under test can catch it."""


_in_this_thread = threading.local()


def _acquired_lock() -> threading.Lock:
    """A lock that one thread opens for another: a semaphore for two, without the work that one for many needs."""
    lock = threading.Lock()
    lock.acquire()
    return lock


def current_actor() -> Actor | None:
    """The actor whose code is running, if it is an actor's."""
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
        """Whether this is that thread of a process, on its way to a remote call."""
        return self.name.endswith(thread) and self.about_to not in ("", "sleep") and not self.finished

    def hang(self, until: int) -> None:
        """The call that the actor is about to make takes its time; once for each call."""
        if not self._hung:
            self._hung = True
            self.wakes_at = until

    def step(self) -> None:
        """Lets the actor go on until its next remote call, its next sleep or its end."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)
            self._thread.start()
        else:
            self._turn.release()
        self._back.acquire()
        if self.error is not None:
            raise self.error

    def kill(self) -> None:
        """The process dies: whatever call it was about to make is not made."""
        self._killed = True
        self.crashed = True
        if self._thread is None:
            self.finished = True
        elif not self.finished:
            self.step()

    def pause_before(self, call: str) -> None:
        """Called by the actor itself: gives the turn back and waits for the next one."""
        if self._killed:
            raise ActorKilledError  # what clears up after an error does not run in a process that is gone
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
