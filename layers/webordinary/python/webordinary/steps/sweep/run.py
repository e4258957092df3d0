"""One run of the sweep: its counters, its time, and what it looked up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Lock

from webordinary.aws.clients import Clock
from webordinary.aws.telemetry import logger
from webordinary.contract.messages.base import Pair
from webordinary.protocol.worker_requests import WorkerRequests
from webordinary.tables.projects import ProjectConfigs

# What each other task may take before the open jobs are checked, however many of them there are.
SHARE = timedelta(seconds=5)


@dataclass(frozen=True)
class SweepRun:
    """Shared by the threads of one run."""

    has_time: Callable[[], bool]
    clock: Clock
    projects: ProjectConfigs
    worker_requests: WorkerRequests
    is_paused: Callable[[str], bool]
    tally: Counter[str] = field(default_factory=Counter)
    _users: dict[str, Collection[str]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def add(self, name: str, number: int = 1) -> None:
        with self._lock:
            self.tally[name] += number

    def own_share(self) -> Callable[[], bool]:
        """The time limit of a task that must not wait until all open jobs are checked."""
        ends_at = self.clock() + SHARE
        return lambda: self.clock() < ends_at

    def is_onboarded(self, pair: Pair) -> bool:
        """Reads each project once, unless its users lack this one: they may have been added since."""
        if pair.user not in self._users.get(pair.project, ()):
            self._users[pair.project] = self.projects.users_of(pair.project)
        return pair.user in self._users[pair.project]

    def isolated(self, pair: Pair | None, action: Callable[[], object]) -> None:
        """Counts and logs a failure, so that one tenant's failure does not affect the others."""
        try:
            action()
        except Exception as error:
            logger().error("Sweep skipped a record.", extra={"pair": pair.key if pair else None, "cause": repr(error)})
            self.add("not_done")
