"""The host of the worker protocol in virtual time; a job's work is a few sleeps.

Where the shipped host uses threads, this one uses actors of the same process: they run, pause and die together, and
the scheduler chooses which one runs next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

from tests.model.fixtures import TIMING
from tests.model.scheduler import Actor
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Failure, Result
from webordinary.protocol.worker.host import CheckLease, ClaimedPair, PairAccess
from webordinary.protocol.worker.lease import Lease
from webordinary.protocol.worker.run import CancelReason, JobCancelledError
from webordinary.protocol.worker.running_job import Interrupts, RunningJob
from webordinary.tables.ownership import Ownership

if TYPE_CHECKING:
    from tests.model.processes import Tables
    from tests.model.world import World

RESULTS = (Result.CHANGED, Result.ASKED, Result.PUBLISHED)
Body = Callable[[Callable[[], bool]], None]  # its argument tells whether to continue


class ModelRun:
    """A job's work: a few sleeps, which a cancellation cuts short, then a publish."""

    def __init__(self, world: World, actor: Actor, owned: Ownership, check_lease: CheckLease) -> None:
        self._world = world
        self._actor = actor
        self._pair = owned.pair
        self._fence = owned.fence
        self._check_lease = check_lease
        self._cancelled: CancelReason | None = None

    def cancel(self, reason: CancelReason) -> None:
        if self._cancelled is None or reason is CancelReason.LOST:
            self._cancelled = reason
        self._actor.wakes_at = self._world.now

    def run(self) -> Outcome:
        random = self._world.random
        for _ in range(random.randint(1, self._world.faults.max_sleeps)):
            self._check()
            self._world.sleep(random.randint(500, self._world.faults.longest_sleep))
        self._check()
        self._publish()
        if random.random() < 0.2:
            return self.outcome_failed(Failure.AGENT_FAILED)
        # Each result makes the worker stay for another time.
        return Outcome(state="done", result=RESULTS[self._fence % len(RESULTS)], summary=f"fence {self._fence}")

    def keep_partial_work(self) -> str | None:
        self._world.sleep(self._world.random.randint(100, 2_000))
        self._publish()
        return "0123abcd"

    def dollars_so_far(self) -> float:
        return 0.25

    def discard_partial_work(self) -> None:
        """The model keeps no files."""

    def outcome_preempted(self, commit: str | None) -> Outcome:
        return Outcome(state="preempted", commit=commit)

    def outcome_failed(self, failure: Failure, detail: str = "") -> Outcome:  # noqa: ARG002
        return Outcome(state="failed", failure=failure)

    def _publish(self) -> None:
        self._check_lease()
        if not self._world.faults.clock_beyond_margin:  # else only the fence protects a publish
            self._world.monitor.published(self._pair.key, self._fence)

    def _check(self) -> None:
        if self._cancelled is not None:
            raise JobCancelledError(self._cancelled)


class ModelHost:
    timing = TIMING

    def __init__(self, world: World, container_id: str, tables: Tables, clock: Callable[[], datetime]) -> None:
        self.container_id = container_id
        self.clock = clock
        self.lease: Lease | None = None
        self.opening_pair: Pair | None = None
        self.leaving_pair: Pair | None = None
        self.shutdown_requested = False
        self.is_registered = False
        self.actors: list[Actor] = []
        self._world = world
        self._tables = tables

    @property
    def is_busy(self) -> bool:
        """Whether it serves a pair, regardless of the table."""
        return self.lease is not None

    def monotonic(self) -> float:
        return self._world.now / 1000

    def _wait(self, seconds: float) -> None:
        self._world.sleep(int(seconds * 1000))

    def is_shutting_down(self) -> bool:
        return self.shutdown_requested

    def open_pair(self, claimed: ClaimedPair) -> PairAccess:
        def prepare(_job: Job, check_lease: CheckLease) -> ModelRun:
            return ModelRun(self._world, self.actors[0], claimed.ownership, check_lease)

        tables = self._tables
        return PairAccess(tables.ownership, tables.jobs, tables.queues, prepare)

    @contextmanager
    def keep_renewed(self, lease: Lease) -> Iterator[None]:
        def renew(active: Callable[[], bool]) -> None:
            pause: float | None = self.timing.renewal_seconds
            while pause is not None and active():
                self._wait(pause)
                if active():
                    pause = lease.renew()

        def watch_deadline(active: Callable[[], bool]) -> None:
            while active() and not lease.is_lost:
                self._wait(lease.seconds_left)
            if active():
                lease.lose()

        self.lease = lease
        try:
            with self._background("renewal", renew), self._background("deadline", watch_deadline):
                yield
        finally:
            self.lease = None

    @contextmanager
    def listen(self, interrupts: Interrupts) -> Iterator[None]:
        def poll(active: Callable[[], bool]) -> None:
            while active():
                if interrupts.running is not None:
                    interrupts.poll(TIMING.long_poll_seconds)
                self._world.sleep(self._world.random.randint(200, 3_000))

        pair, self.opening_pair = self.opening_pair, None
        try:
            with self._background("interrupts", poll):
                yield
        finally:
            self.leaving_pair = pair

    @contextmanager
    def supervise(self, running: RunningJob) -> Iterator[None]:
        ends_at = self._world.now + int(self.timing.job_seconds * 1000)

        def beat(active: Callable[[], bool]) -> None:
            while active():
                self._wait(self.timing.beat_seconds)
                if active():
                    running.beat()

        def limit(active: Callable[[], bool]) -> None:
            self._world.sleep(ends_at - self._world.now)
            if active():
                running.time_is_up()

        with self._background("limit", limit):
            try:
                with self._background("beat", beat) as beats:
                    yield
            finally:
                self._wait_for(beats)

    def _wait_for(self, beats: Actor) -> None:
        while beats.about_to != "sleep" and not beats.finished:  # a heartbeat is in flight
            self._world.sleep(20)

    @contextmanager
    def _background(self, name: str, body: Body) -> Iterator[Actor]:
        """Runs `body` as another actor of the process. After the block `active()` is False and the actor ends."""
        ended: list[bool] = []
        actor = Actor(f"{self.container_id} {name}", lambda: body(lambda: not ended))
        self.actors.append(actor)
        try:
            yield actor
        finally:
            ended.append(True)
