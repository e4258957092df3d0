"""A host of the worker protocol without threads: tests control time and concurrent events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.support.world import World
from webordinary.aws.clients import Clock
from webordinary.aws.queues import Queues
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Failure
from webordinary.contract.settings import Timing
from webordinary.protocol.worker.host import CheckLease, ClaimedPair, PairAccess
from webordinary.protocol.worker.lease import Lease
from webordinary.protocol.worker.run import CancelReason, JobCancelledError
from webordinary.protocol.worker.running_job import Interrupts, RunningJob

QUICK = Timing.model_validate({"long_poll_seconds": 0, "idle_seconds": 3, "idle_after_question_seconds": 20})


class ScriptedRun:
    """A job run that executes a function of the test and records calls."""

    def __init__(self, host: ManualHost, job: Job, check_lease: CheckLease) -> None:
        self._host = host
        self._job = job
        self._check_lease = check_lease
        self.cancelled: CancelReason | None = None
        self.discarded = False

    def run(self) -> Outcome:
        self._host.ran.append(self._job.job_id)
        works = self._host.works
        outcome = works.pop(0)(self) if works else Outcome(state="done")
        self.check()
        return outcome

    def check(self) -> None:
        if self.cancelled is not None:
            raise JobCancelledError(self.cancelled)

    def cancel(self, reason: CancelReason) -> None:
        self.cancelled = self.cancelled or reason

    def keep_partial_work(self) -> str | None:
        self._check_lease()
        return self._host.partial_work()

    def dollars_so_far(self) -> float:
        return self._host.dollars_so_far

    def discard_partial_work(self) -> None:
        self.discarded = True

    def outcome_preempted(self, commit: str | None) -> Outcome:
        return Outcome(state="preempted", commit=commit)

    def outcome_failed(self, failure: Failure, detail: str = "") -> Outcome:  # noqa: ARG002
        return Outcome(state="failed", failure=failure)


Work = Callable[[ScriptedRun], Outcome]


class ManualHost:
    """Time advances only through waits, empty polls and tests."""

    def __init__(self, world: World, timing: Timing = QUICK) -> None:
        self.world = world
        self.timing = timing
        self.clock: Clock = world.clock
        self.now = 1000.0
        self.shutting_down = False
        self.works: list[Work] = []
        self.ran: list[str] = []
        self.dollars_so_far = 0.0
        self.runs: list[ScriptedRun] = []
        self.leases: list[Lease] = []
        self.interrupts: Interrupts | None = None
        self.on_renewal_start: Callable[[Lease], None] = lambda _: None
        self.partial_work: Callable[[], str | None] = lambda: "0123abcd"
        self.queues: Queues = _TimedQueues(self)

    def monotonic(self) -> float:
        return self.now

    def is_shutting_down(self) -> bool:
        return self.shutting_down

    def open_pair(self, claimed: ClaimedPair) -> PairAccess:  # noqa: ARG002
        return self.access()

    def access(self) -> PairAccess:
        world = self.world

        def prepare(job: Job, check_lease: CheckLease) -> ScriptedRun:
            self.runs.append(ScriptedRun(self, job, check_lease))
            return self.runs[-1]

        return PairAccess(world.ownership, world.jobs, self.queues, prepare)

    @contextmanager
    def keep_renewed(self, lease: Lease) -> Iterator[None]:
        self.leases.append(lease)
        self.on_renewal_start(lease)
        yield

    @contextmanager
    def listen(self, interrupts: Interrupts) -> Iterator[None]:
        self.interrupts = interrupts
        yield

    @contextmanager
    def supervise(self, running: RunningJob) -> Iterator[None]:
        self.running = running
        yield


class _TimedQueues(Queues):
    """The world's queues. An empty poll takes a second, so that idle time ends."""

    def __init__(self, host: ManualHost) -> None:
        super().__init__(host.world.sqs, host.world.names)
        self._host = host

    def receive(self, *arguments: Any, **more: Any) -> Any:
        received = super().receive(*arguments, **more)
        if received is None:
            self._host.now += 1
        return received
