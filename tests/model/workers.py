"""A worker as the protocol wants it, reduced to its remote calls. The work itself is a few rests of virtual time.

`Habits` are the orders of calls that the protocol prescribes; the mutation tests break them one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from webordinary.platform.messages import ClaimRequest, Failure, Job, Outcome, Pair, ReportKind, WorkerReport
from webordinary.platform.queues import Queues, Received
from webordinary.platform.settings import Timing
from webordinary.tables.claim_requests import ClaimRequests
from webordinary.tables.jobs import JobNotStartableError, JobsTable, JobState, StaleReportError
from webordinary.tables.ownership import Ownership, OwnershipLostError, OwnershipTable, PairOwnedError

REQUEST_VISIBILITY_SECONDS = 60  # longer than two renewals: a request must not come back while its taker looks alive


@dataclass(frozen=True)
class Habits:
    looks_before_releasing: bool = False
    deletes_request_before_claiming: bool = False


CORRECT = Habits()


@dataclass(frozen=True)
class Tools:
    """What a worker process has: its own clock, and clients that reach the shared tables and queues."""

    ownership: OwnershipTable
    jobs: JobsTable
    claims: ClaimRequests
    queues: Queues
    clock: Callable[[], datetime]
    rest: Callable[[int], None]  # milliseconds
    random: Random
    timing: Timing
    longest_rest: int  # milliseconds of work between two calls


class _PairLostError(Exception):
    """The pair must be left: the lease is over, or others have given this fence up."""


class Worker:
    def __init__(self, container_id: str, tools: Tools, habits: Habits) -> None:
        self.container_id = container_id
        self.held: Ownership | None = None
        self.told_to_leave = False
        self.settling_in: Pair | None = None
        self.leaving: Pair | None = None
        self._tools = tools
        self._habits = habits

    def may_act(self) -> bool:
        """The local deadline rule: until the end that the last successful claim or renewal asked for when sent."""
        return self.held is not None and self._deadline(self.held) > self._tools.clock()

    def live(self) -> None:
        tools = self._tools
        while True:
            received = tools.queues.receive("unclaimed", wait_seconds=20, visibility_seconds=REQUEST_VISIBILITY_SECONDS)
            if received is None:
                tools.rest(tools.random.randint(500, 8_000))
            else:
                self._answer(received)

    def _answer(self, received: Received) -> None:
        tools, pair = self._tools, ClaimRequest.read(received.body).pair
        self.settling_in = pair
        if self._habits.deletes_request_before_claiming:
            tools.queues.delete("unclaimed", received)
        try:
            self.held = tools.ownership.claim(pair, self.container_id)
        except PairOwnedError as lost:
            self._leave_it_to(lost.ownership, received)
            self.settling_in = None
            return
        tools.claims.clear(pair)
        tools.queues.delete("unclaimed", received)
        self.settling_in = None
        self._serve(pair)
        self.leaving = pair
        self._leave(pair)
        self.leaving = None

    def _leave_it_to(self, owner: Ownership, received: Received) -> None:
        """An owner that renews will see the job. One that missed renewals may be dead: ask again after its lease."""
        tools, timing = self._tools, self._tools.timing
        lease_end = self._deadline(owner)
        alive_until = tools.clock() + timedelta(seconds=timing.lease_seconds - 2 * timing.renewal_seconds)
        if lease_end >= alive_until:
            tools.queues.delete("unclaimed", received)
        else:
            left = lease_end + tools.ownership.clock_margin - tools.clock()
            tools.queues.hide("unclaimed", received, max(0, int(left.total_seconds())) + 1)

    def _serve(self, pair: Pair) -> None:
        tools = self._tools
        idle_since = tools.clock()
        try:
            while not self.told_to_leave and tools.clock() - idle_since < timedelta(seconds=tools.timing.idle_seconds):
                self._stay_owner()
                received = tools.queues.receive(
                    "input", wait_seconds=20, visibility_seconds=tools.timing.input_visibility_seconds, pair=pair
                )
                if received is None:
                    tools.rest(tools.random.randint(500, 8_000))
                else:
                    self._take_up(Job.read(received.body), received)
                    idle_since = tools.clock()
        except _PairLostError:
            return

    def _take_up(self, job: Job, received: Received) -> None:
        tools, fence = self._tools, self._fence()
        try:
            tools.jobs.start(job.pair, job.job_id, fence)
        except JobNotStartableError as refused:
            self._skip(job, received, refused)
            return
        ending = tools.random.choice(["done", "done", "done", "failed", "preempted", "put back"])
        for _ in range(tools.random.randint(1, 4)):
            tools.rest(tools.random.randint(500, tools.longest_rest))
            self._stay_owner()
            tools.queues.hide("input", received, tools.timing.input_visibility_seconds, job.pair)
            self._report(job, ReportKind.HEARTBEAT)
        if ending == "put back":
            self._give_way(job, received)
        else:
            self._report(job, ReportKind.FINISHED, self._outcome(ending))
            tools.queues.delete("input", received, job.pair)

    def _skip(self, job: Job, received: Received, refused: JobNotStartableError) -> None:
        tools, record = self._tools, refused.record
        if record is not None and record.state.is_final:
            tools.queues.delete("input", received, job.pair)
        elif record is not None and record.state == JobState.RUNNING and record.fence == self._fence():
            # Started by this worker, which does not run it: the answer to an earlier start got lost.
            self._requeue(job)
            tools.queues.hide("input", received, 0, job.pair)
        else:
            tools.queues.hide("input", received, 0, job.pair)
            raise _PairLostError

    def _give_way(self, job: Job, received: Received) -> None:
        """A newer mail of another thread goes first: this job goes to the end of the queue and waits again."""
        tools = self._tools
        again = f"{job.job_id}-again-{tools.random.randint(0, 10**9)}"
        tools.queues.send_in_order("input", job, group=job.pair.key, deduplication_id=again, pair=job.pair)
        self._requeue(job)
        tools.queues.delete("input", received, job.pair)

    def _requeue(self, job: Job) -> None:
        try:
            self._tools.jobs.requeue(job.pair, job.job_id, self._fence(), by_its_runner=True)
        except StaleReportError as error:
            if error.record is None or error.record.state != JobState.WAITING:
                raise _PairLostError from error

    def _report(self, job: Job, kind: ReportKind, outcome: Outcome | None = None) -> None:
        tools, fence = self._tools, self._fence()
        report = WorkerReport(
            kind=kind,
            pair=job.pair,
            job_id=job.job_id,
            fence=fence,
            container_id=self.container_id,
            sent_at=tools.clock(),
            outcome=outcome,
        )
        once = f"{job.job_id}-{fence}-{kind}-{tools.clock().timestamp()}"
        tools.queues.send_in_order("output", report, group=job.pair.key, deduplication_id=once)

    def _outcome(self, ending: str) -> Outcome:
        failure = Failure.AGENT_FAILED if ending == "failed" else None
        return Outcome.read({"state": ending, "summary": f"fence {self._fence()}", "failure": failure})

    def _stay_owner(self) -> None:
        """Renews when it is time. Raises when the pair is lost, be it by the local deadline alone."""
        tools, held = self._tools, self.held
        if held is None or not self.may_act():
            raise _PairLostError
        sent_at = self._deadline(held) - timedelta(seconds=tools.timing.lease_seconds)
        if tools.clock() - sent_at < timedelta(seconds=tools.timing.renewal_seconds):
            return
        try:
            self.held = tools.ownership.renew(held, active=True)
        except OwnershipLostError as error:
            raise _PairLostError from error
        if not self.may_act():
            raise _PairLostError

    def _leave(self, pair: Pair) -> None:
        tools, held, self.held = self._tools, self.held, None
        self.told_to_leave = False
        looked_too_early = self._waiting(pair) if self._habits.looks_before_releasing else None
        if held is not None:
            try:
                tools.ownership.release(held)
            except OwnershipLostError:
                return  # its successor serves what waits
        tools.claims.clear(pair)
        waiting = self._waiting(pair) if looked_too_early is None else looked_too_early
        if waiting:
            tools.claims.request(pair, waiting[0])

    def _waiting(self, pair: Pair) -> list[str]:
        records = self._tools.jobs.open_jobs_of(pair)
        return [record.job.job_id for record in records if record.state == JobState.WAITING]

    def _fence(self) -> int:
        if self.held is None:
            raise _PairLostError
        return self.held.fence

    def _deadline(self, ownership: Ownership) -> datetime:
        if ownership.lease_expires_at is None:
            raise _PairLostError
        return ownership.lease_expires_at
