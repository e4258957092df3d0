"""Discrete events of one fleet: mails, workers, the fleet function and the sweep, in virtual time.

Decisions are the shipped policies' (`webordinary.protocol.policies`): how long a worker stays, how many workers start
or stop, when a request is repeated or given up. The order of things follows the shipped functions:

- A mail of a pair without an owner requests a worker and calls the fleet; the longest waiting request is claimed first.
- The fleet also runs when a task ends and every minute; its calls of RunTask take their time.
- The sweep repeats requests, or gives up when the breaker is open.
- When the fleet is full, quiet workers leave when they next ask.
- A Spot interruption requeues the running job; the next worker of the pair runs it from the start.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from tools.simulation.measures import Measures
from tools.simulation.settings import Scenario
from tools.simulation.workload import DAY, Conversation, ReplyKind, Workload
from webordinary.aws.ecs_tasks import Capacity
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.ownership import RequestVerdict
from webordinary.contract.outcomes import Result
from webordinary.contract.settings import SparePolicy
from webordinary.protocol.policies import (
    RequestState,
    WorkerCounts,
    fleet_plan,
    next_request,
    stay_seconds,
    updated_rate,
)
from webordinary.steps.fleet import PARALLEL_LAUNCHES
from webordinary.tables.claim_rates import ClaimRate
from webordinary.tables.workers import serves_lately

START = datetime(2029, 1, 1, tzinfo=UTC)  # a Monday
OUTCOMES = {
    ReplyKind.EDIT: Outcome(state="done", result=Result.CHANGED),
    ReplyKind.QUESTION: Outcome(state="done", result=Result.ASKED),
    ReplyKind.PUBLISH: Outcome(state="done", result=Result.PUBLISHED),
    ReplyKind.THANKS: Outcome(state="done", result=Result.NOTHING_CHANGED),
}
Arrival = tuple[float, str, Conversation]  # time of the first mail, pair


@dataclass(eq=False)
class _Worker:
    capacity: Capacity
    launched_at: float
    pair: _Pair | None = None
    since: float = 0.0  # idle or quiet since then
    turn: int = 0  # counts its jobs: events of earlier ones are outdated
    ended: bool = False


@dataclass(eq=False)
class _Waiting:
    """A mail that waits for its job to start."""

    arrived: float
    conversation: Conversation
    position: int


@dataclass(eq=False)
class _Pair:
    name: str
    mails: deque[_Waiting] = field(default_factory=deque)
    worker: _Worker | None = None
    running: _Waiting | None = None
    request: RequestState | None = None
    wants_worker: bool = False


class FleetRun:
    def __init__(self, scenario: Scenario, workload: Workload, random: Random) -> None:
        self.timing, self.size = scenario.timing, scenario.size
        self.workload, self.random = workload, random
        self.measures = Measures()
        self.now = 0.0
        self._events: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._order = 0
        self._pairs: dict[str, _Pair] = {}
        self._unclaimed: deque[_Pair] = deque()
        self._idle: deque[_Worker] = deque()
        self._quiet: dict[_Worker, None] = {}
        self._starting = self._busy = self._ending = 0
        self._taken = {Capacity.ON_DEMAND: 0, Capacity.SPOT: 0}
        self._rate, self._claims, self._is_full, self._missing = ClaimRate(), 0, False, 0
        self._served_at: datetime | None = None
        self._fleet_free = 0.0
        self._minutes_run = True
        self._stay = {kind: stay_seconds(self.timing, outcome) for kind, outcome in OUTCOMES.items()}

    def run(self, arrivals: Iterable[Arrival], until: float) -> Measures:
        """Runs until `until`; the measures then include workers that still run."""
        self._next_arrival(iter(arrivals))
        self._at(0.0, self._minute)
        while self._events and self._events[0][0] <= until:
            self.now, _, event, facts = heapq.heappop(self._events)
            event(*facts)
        self.now = until
        for worker in [*self._idle, *(pair.worker for pair in self._pairs.values() if pair.worker)]:
            self.measures.add_lifetime(worker.capacity, until - worker.launched_at)
        self.measures.idle_seconds += sum(until - worker.since for worker in self._idle)
        return self.measures

    # ── mails ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _next_arrival(self, arrivals: Iterator[Arrival]) -> None:
        arrival = next(arrivals, None)
        if arrival is not None:
            self._at(arrival[0], self._first_mail, arrival, arrivals)

    def _first_mail(self, arrival: Arrival, arrivals: Iterator[Arrival]) -> None:
        self._next_arrival(arrivals)
        self._mail(arrival[1], arrival[2], 0)

    def _mail(self, name: str, conversation: Conversation, position: int) -> None:
        pair = self._pairs.get(name)
        if pair is None:
            pair = self._pairs[name] = _Pair(name)
        self.measures.mail(self.now)
        if not self._minutes_run:
            self._minutes_run = True
            self._at(self.now + self.timing.sweep_seconds, self._minute)
        pair.mails.append(_Waiting(self.now, conversation, position))
        if pair.worker is None:
            self._request(pair)
        elif pair.running is None:
            self._quiet.pop(pair.worker, None)
            self.measures.quiet_seconds += self.now - pair.worker.since
            self._start_job(pair, pair.worker, self.workload.between("worker.message_seconds", self.random))

    def _request(self, pair: _Pair) -> RequestVerdict:
        now = self._time()
        decision = next_request(
            self.timing, pair.request, now, jitter=self.random.random(), fleet_is_full=self._is_full
        )
        if decision.verdict is RequestVerdict.SENT:
            pair.request = RequestState(decision.attempts, now, decision.next_allowed_at)
            if not pair.wants_worker:
                pair.wants_worker = True
                self._unclaimed.append(pair)
            self._claim_waiting()
            self._fleet()
        return decision.verdict

    # ── workers ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _claim_waiting(self) -> None:
        while self._idle and self._unclaimed:
            worker, pair = self._idle.popleft(), self._unclaimed.popleft()
            self.measures.idle_seconds += self.now - worker.since
            pair.wants_worker, pair.request = False, None
            pair.worker, worker.pair = worker, pair
            self._busy += 1
            self._claims += 1
            self.measures.claim(self.now)
            self._start_job(pair, worker, self.workload.between("worker.claim_seconds", self.random))

    def _start_job(self, pair: _Pair, worker: _Worker, delay: float) -> None:
        waiting = pair.running = pair.mails.popleft()
        worker.turn += 1
        self.measures.waited(self.now + delay - waiting.arrived, first=waiting.position == 0)
        mail = waiting.conversation[waiting.position]
        self._at(self.now + delay + mail.job_seconds, self._job_done, pair, worker, worker.turn)

    def _job_done(self, pair: _Pair, worker: _Worker, turn: int) -> None:
        if worker.turn != turn or worker.ended or pair.running is None:
            return
        done, pair.running = pair.running, None
        mail = done.conversation[done.position]
        self.measures.job_seconds += mail.job_seconds
        self.measures.answered += 1
        if mail.gap is not None:
            self._at(self.now + mail.gap, self._mail, pair.name, done.conversation, done.position + 1)
        if pair.mails:
            self._start_job(pair, worker, self.workload.between("worker.message_seconds", self.random))
            return
        worker.since = self.now
        self._quiet[worker] = None
        self._at(self.now + self._stay[mail.kind], self._leave, worker, worker.turn)
        if self._missing > 0:
            self._ask_to_yield(1)

    def _leave(self, worker: _Worker, turn: int) -> None:
        """The worker releases its pair and ends, unless a job has started since."""
        pair = worker.pair
        if worker.turn != turn or worker.ended or pair is None or pair.running is not None:
            return
        self._quiet.pop(worker, None)
        self.measures.quiet_seconds += self.now - worker.since
        self._busy -= 1
        pair.worker, pair.request = None, None
        self._end(worker)

    def _end(self, worker: _Worker) -> None:
        worker.ended = True
        self._ending += 1
        self._at(self.now + self.workload.number("worker.end_seconds"), self._ended, worker)

    def _ended(self, worker: _Worker) -> None:
        self._ending -= 1
        self._taken[worker.capacity] -= 1
        self.measures.add_lifetime(worker.capacity, self.now - worker.launched_at)
        self._fleet()

    def _interrupted(self, worker: _Worker) -> None:
        """AWS takes a Spot worker back: its job is requeued."""
        if worker.ended:
            return
        self.measures.interruptions += 1
        pair = worker.pair
        if pair is None:
            if worker in self._idle:
                self._idle.remove(worker)
                self.measures.idle_seconds += self.now - worker.since
                self._end(worker)
            return
        running, pair.running, pair.worker, pair.request = pair.running, None, None, None
        self._quiet.pop(worker, None)
        self._busy -= 1
        if running is not None:
            self.measures.repeated_jobs += 1
            pair.mails.appendleft(_Waiting(self.now, running.conversation, running.position))
        self._end(worker)
        if pair.mails:
            self._request(pair)

    def _ready(self, worker: _Worker) -> None:
        self._starting -= 1
        worker.since = self.now
        self._idle.append(worker)
        self._claim_waiting()
        if worker.capacity is Capacity.SPOT:
            rate = self.workload.number("worker.spot_interruptions_per_day") / DAY
            if rate > 0:
                self._at(self.now + self.random.expovariate(rate), self._interrupted, worker)

    # ── the fleet function and the sweep ─────────────────────────────────────────────────────────────────────────────

    def _fleet(self) -> None:
        now = self._time()
        if self._claims != self._rate.counted:
            self._rate = updated_rate(self.timing, self._rate, self._claims, now)
        plan = fleet_plan(self.size, self.timing, len(self._unclaimed), self._counts(), self._rate, now)
        for _ in range(plan.launches):
            self._launch()
        for _ in range(plan.stops):
            worker = self._idle.popleft()
            self.measures.idle_seconds += self.now - worker.since
            self._end(worker)
        self._served_at = now if self._busy else self._served_at
        self._is_full, self._missing = plan.is_full and serves_lately(self.timing, self._served_at, now), plan.missing
        if plan.missing > 0:
            self._ask_to_yield(plan.missing)
        self.measures.fleet(self.now, self._starting, len(self._idle), self._busy - len(self._quiet), len(self._quiet))

    def _counts(self) -> WorkerCounts:
        long_ago = self.now - self.timing.surplus_seconds
        idle_long = 0
        for worker in self._idle:  # the longest idle one comes first
            if worker.since >= long_ago:
                break
            idle_long += 1
        return WorkerCounts(self._starting, len(self._idle), idle_long, self._busy, self._ending)

    def _launch(self) -> None:
        capacity = self.size.capacity_of_next(
            on_demand=self._taken[Capacity.ON_DEMAND], spot=self._taken[Capacity.SPOT]
        )
        self._taken[capacity] += 1
        self._starting += 1
        seconds = self.workload.number("fleet_function.run_task_seconds") / PARALLEL_LAUNCHES
        self._fleet_free = max(self.now, self._fleet_free) + seconds
        self.measures.launch(self._fleet_free)
        worker = _Worker(capacity, self._fleet_free)
        if self.random.random() < self.workload.number("worker.never_starts"):
            self._at(self.now + self.timing.worker_start_seconds, self._never_registered, worker)
            return
        self._at(self._fleet_free + self.workload.between("worker.start_seconds", self.random), self._ready, worker)

    def _never_registered(self, worker: _Worker) -> None:
        self._starting -= 1
        self._end(worker)

    def _ask_to_yield(self, number: int) -> None:
        """Quiet workers ask once per renewal interval; as many as are missing leave."""
        for worker in list(self._quiet)[:number]:
            self._quiet.pop(worker)
            wait = self.random.random() * self.timing.renewal_seconds
            self._at(self.now + wait, self._yield, worker, worker.turn)

    def _yield(self, worker: _Worker, turn: int) -> None:
        if worker.turn == turn and not worker.ended and worker.pair is not None and worker.pair.running is None:
            self.measures.yields += 1
            self._leave(worker, turn)

    def _minute(self) -> None:
        for pair in list(self._unclaimed):
            if self._request(pair) is RequestVerdict.BREAKER_OPEN:
                self._unclaimed.remove(pair)
                pair.wants_worker = False
                self.measures.given_up += len(pair.mails)
                pair.mails.clear()
        self._fleet()
        self._minutes_run = not self._is_settled()
        if self._minutes_run:
            self._at(self.now + self.timing.sweep_seconds, self._minute)

    def _is_settled(self) -> bool:
        """Whether further minutes change nothing until the next mail: a simulation of months skips them."""
        is_spare_steady = not self._idle or (
            self.size.policy is SparePolicy.FIXED and len(self._idle) == self.size.spare
        )
        return is_spare_steady and not (self._unclaimed or self._starting or self._busy or self._ending)

    # ── time ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _time(self) -> datetime:
        return START + timedelta(seconds=self.now)

    def _at(self, time: float, event: Callable[..., None], *facts: Any) -> None:
        self._order += 1
        heapq.heappush(self._events, (time, self._order, event, facts))
