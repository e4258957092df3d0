"""Calls and waits with many pairs, in virtual time and as counts of calls: a change that adds calls fails here."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest

from tests.support.big_world import TIMING, BigWorld, job_of, pair_of
from tests.support.world import PAIR, World
from webordinary.aws.queue_provisioning import PairQueues
from webordinary.contract.messages.broker import BrokerAction
from webordinary.contract.messages.outcome import Outcome
from webordinary.protocol.worker_requests import WorkerRequests
from webordinary.steps.sweep.sweep import LOST_AFTER
from webordinary.tables.jobs import JobsTable
from webordinary.tables.ownership import OwnershipTable

# The budget of the sweep, in calls: each waiting job, each project, and each sweep.
# A waiting job: its pair's owner, its queue's length, its request, the heartbeat.
PER_JOB, PER_PROJECT, PER_SWEEP = 4, 2, 16
PER_REQUEST = 3  # once per window: lists the job, stores and sends the request
PER_LAUNCH = 3  # takes the slot, runs the task, notes the task
PER_FLEET_RUN = 6
# Each invocation of the broker.
PER_GRANT, PER_CREDENTIALS, PER_YIELD, PER_LEAVING, PER_GONE = 13, 2, 4, 2, 12


class CountedClient:
    """Counts the calls of a client, those of its paginators by page."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.calls: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        if name in ("exceptions", "meta"):
            return found
        if name == "get_paginator":
            return self._paginator

        def call(**given: Any) -> Any:
            self.calls[name] += 1
            return found(**given)

        return call

    def _paginator(self, operation: str) -> Any:
        paginator, calls = self._client.get_paginator(operation), self.calls

        class Paginator:
            def paginate(self, **given: Any) -> Any:
                for page in paginator.paginate(**given):
                    calls[operation] += 1
                    yield page

        return Paginator()


# ── the sweep ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("jobs", [10, 1000])
def test_sweep_calls_stay_within_the_budget_per_job(jobs: int) -> None:
    world = BigWorld()
    world.receive_mails(jobs)
    world.wait(LOST_AFTER.total_seconds() + 1)  # so that it looks for lost messages

    first = world.sweep()
    requested = world.calls.total()
    world.calls.clear()
    world.wait(60)
    second = world.sweep()

    per_job = PER_JOB + PER_PROJECT
    assert (first.claims, second.beats) == (jobs, jobs)
    assert requested <= jobs * (per_job + PER_REQUEST) + PER_SWEEP
    assert world.calls.total() <= jobs * per_job + PER_SWEEP


def test_sweep_calls_the_fleet_once() -> None:
    world = BigWorld()
    world.receive_mails(50)

    assert world.sweep().claims == 50
    assert world.fleet_calls == 1


def test_sweep_of_paused_jobs_only_sends_heartbeats() -> None:
    world = BigWorld()
    world.pause()
    world.receive_mails(100)
    world.wait(LOST_AFTER.total_seconds() + 1)

    world.sweep()

    # Each job: its pair's owner and the heartbeat. Each project: its users. The pause is read once.
    assert world.calls.total() <= 100 * 3 + PER_SWEEP


@pytest.mark.exhaustive
def test_heartbeats_of_20000_waiting_jobs_are_in_time() -> None:
    """One call at a time, 30 ms each: much slower than a sweep with threads."""
    world = BigWorld(milliseconds_per_call=30)
    world.pause()
    world.receive_mails(20_000)
    world.now = 0
    for index in range(20_000):
        world.tokens.begin(job_of(pair_of(index), world.clock()).job_id)

    started = world.now
    while world.now - started < 1.3 * TIMING.heartbeat_seconds * 1000:
        next_sweep = world.now + TIMING.sweep_seconds * 1000
        world.sweep()
        world.now = max(world.now, next_sweep)

    assert world.tokens.late == 0
    assert not any(world.tokens.is_over(f"mail-of-{pair_of(index).project}") for index in range(20_000))


def test_burst_of_one_pair_gets_heartbeats_from_sweeps_that_run_out_of_time() -> None:
    world = BigWorld(milliseconds_per_call=30)
    world.pause()
    burst = world.receive_burst(pair_of(0), 15)
    world.receive_mails(2000)

    started = world.now
    while world.now - started < 1.1 * TIMING.heartbeat_seconds * 1000:
        next_sweep = world.now + TIMING.sweep_seconds * 1000
        world.sweep()
        world.now = max(world.now, next_sweep)

    assert not any(world.tokens.is_over(job_id) for job_id in burst)


def test_dead_letters_are_handled_by_a_sweep_without_time_for_jobs() -> None:
    world = BigWorld()
    world.receive_mails(3)
    dead = job_of(pair_of(2), world.clock())
    world.queues.send_in_order("input_dead_letters", dead, group="g", deduplication_id="dead")

    result = world.sweep(milliseconds=0)

    assert (result.complete, result.dead_letters, result.looked_at) == (False, 1, 0)
    assert world.jobs.get(dead.pair, dead.job_id).state == "failed"


# ── the fleet ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_fleet_starts_500_workers_in_one_run() -> None:
    world = BigWorld(maximum=1000)
    world.receive_mails(500)
    world.sweep()
    world.calls.clear()

    assert world.fleet().started == 500
    assert world.calls.total() <= 500 * PER_LAUNCH + PER_FLEET_RUN


@pytest.mark.exhaustive
def test_paused_10000_pairs_resume_without_a_failure() -> None:
    world = BigWorld(maximum=2000)
    world.pause()
    world.receive_mails(10_000)
    for _ in range(2):
        world.wait(1800)
        world.sweep()
    world.resume()

    answered = run_until_answered(world, 10_000, job_seconds=240, sweep_every=4)

    assert answered == 10_000
    assert world.tokens.late == 0


@pytest.mark.parametrize("refused", [False, True], ids=["slots", "quota of ECS"])
def test_pairs_wait_for_hours_for_a_full_fleet_without_a_failure(refused: bool) -> None:
    world = BigWorld(maximum=100 if refused else 4)
    world.receive_mails(200)
    if refused:
        world.tasks.limit = 4

    answered = run_until_answered(world, 200, job_seconds=300)

    assert answered == 200
    assert world.now > 3 * 3600 * 1000  # the breaker alone would have given up after 97 minutes


def run_until_answered(world: BigWorld, jobs: int, job_seconds: float, sweep_every: int = 1) -> int:
    """Runs the functions each minute. Returns how many jobs a worker finished; none may be given up."""
    answered, minute = 0, 0
    while answered < jobs:
        if minute % sweep_every == 0:
            result = world.sweep()
            assert (result.given_up, result.project_gone, result.not_done) == (0, 0, 0)
        world.fleet()
        answered += world.serve(job_seconds)
        for _ in range(3):
            world.wait(20)
            world.renew_leases()
        minute += 1
        assert minute < 24 * 60
    return answered


# ── the broker ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("jobs", [10, 1000])
@pytest.mark.parametrize("of_one_pair", [False, True], ids=["of many pairs", "of one pair"])
def test_broker_calls_do_not_depend_on_the_number_of_waiting_jobs(jobs: int, of_one_pair: bool) -> None:
    world = BigWorld(maximum=1)
    world.receive_mails(1 if of_one_pair else jobs)
    if of_one_pair:
        world.receive_burst(pair_of(0), jobs)
    world.sweep()
    world.fleet()

    def calls_of(action: BrokerAction) -> int:
        world.calls.clear()
        answer = world.ask_broker(action)
        assert answer.registered
        assert (answer.grant is not None) is (action is BrokerAction.PAIR)
        return world.calls.total()

    assert calls_of(BrokerAction.PAIR) <= PER_GRANT
    assert calls_of(BrokerAction.CREDENTIALS) <= PER_CREDENTIALS
    assert calls_of(BrokerAction.SHOULD_YIELD) <= PER_YIELD
    assert calls_of(BrokerAction.LEAVING) <= PER_LEAVING
    assert calls_of(BrokerAction.GONE) <= PER_GONE


# ── single calls ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("finished", [10, 300])
def test_open_jobs_of_a_pair_cost_the_same_after_many_mails(world: World, finished: int) -> None:
    client: Any = CountedClient(world.dynamodb)
    jobs = JobsTable(client, world.names, world.clock)
    for number in range(finished):
        jobs.record(world.job(f"old-{number}", instruction="words " * 1000), "token")
        jobs.conclude(PAIR, f"old-{number}", Outcome(state="failed"), settled=True)
    jobs.record(world.job(), "token")
    client.calls.clear()

    assert jobs.has_open_jobs(PAIR)
    assert jobs.waiting_job_of(PAIR) == "mail-1"
    assert [record.job_id for record in jobs.open_jobs_of(PAIR)] == ["mail-1"]
    # Each reads the short list, and then one record.
    assert client.calls == {"query": 5, "batch_get_item": 1}


def test_scan_for_lapsed_owners_reads_only_owned_pairs(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for index in range(30):
        ownership = world.ownership.claim(pair_of(index), "worker")
        if index:
            world.ownership.release_lease(ownership)
    world.clock.advance(TIMING.lease_seconds + TIMING.clock_margin_seconds + 1)
    read: list[int] = []
    paginator = world.dynamodb.get_paginator

    def counting(operation: str) -> Any:
        found = paginator(operation)
        paginate = found.paginate

        def pages(**given: Any) -> Any:
            for page in paginate(**given):
                read.append(page["ScannedCount"])
                yield page

        found.paginate = pages
        return found

    monkeypatch.setattr(world.dynamodb, "get_paginator", counting)
    table = OwnershipTable(world.dynamodb, world.names, world.timing, world.clock)

    assert [one.pair for one in table.lapsed(timedelta(minutes=15))] == [pair_of(0)]
    assert sum(read) == 1


def test_request_for_a_pair_with_queues_creates_none(world: World) -> None:
    sqs: Any = CountedClient(world.sqs)
    ensure = PairQueues(sqs, world.names, world.timing).ensure
    requests = WorkerRequests(
        world.dynamodb, world.queues, world.names, world.timing, world.clock, before_sending=ensure
    )
    requests.request(pair_of(1), "mail-1")
    created = sqs.calls["create_queue"]
    sqs.calls.clear()
    requests.clear(pair_of(1))

    requests.request(pair_of(1), "mail-2")

    assert created == 2
    assert sqs.calls == {"get_queue_attributes": 2}
