"""The model finds known bugs: each test puts one into the shipped code, and the model must report it.

Seeds are tried until one finds the bug; if none does, the model is too tame.
"""

from __future__ import annotations

import contextlib
import itertools
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.model.faults import (
    CALM,
    DEATHS_WHILE_SENDING,
    EARLY_DEATHS,
    HANGING_RENEWALS,
    HANGING_WORKERS,
    LONG_PAUSES,
    LOSSY_FLEET,
    LOST_MESSAGES,
    RESTLESS_FLEET,
    RUSH,
    SENDERS_DIE,
    STORM,
    Faults,
)
from tests.model.monitor import ProtocolViolationError
from tests.model.world import World
from webordinary.aws.ecs_tasks import Capacity, TaskState
from webordinary.aws.queues import ReceivedMessage
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.broker import Grant
from webordinary.contract.messages.job import DispatchOrder, Job
from webordinary.protocol.worker import lease, pair_session
from webordinary.steps import broker, dispatch
from webordinary.steps.fleet import launcher, slot_checks
from webordinary.steps.fleet.findings import FleetPass
from webordinary.steps.sweep import sweep
from webordinary.steps.sweep.run import SweepRun
from webordinary.tables import ownership, workers
from webordinary.tables.jobs import JobRecord, JobsTable, StaleReportError
from webordinary.tables.workers import Assignment, NotRegisteredError, Phase, WorkerEntry, WorkersTable

SEEDS = 120
STEPS = 2_000


def first_violation(faults: Faults, first_seed: int = 0) -> str:
    """Starts at `first_seed`, where a known seed finds the bug sooner; tries all others after it."""
    for seed in (*range(first_seed, SEEDS), *range(first_seed)):
        try:
            World(seed, faults).run(STEPS)
        except ProtocolViolationError as violation:
            return str(violation)
    return "no violation found"


@pytest.fixture
def sweep_resends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disables resending by the sweep, which would repair the loss of a message minutes later."""
    monkeypatch.setattr(sweep.Sweep, "_send_again_if_lost", lambda *_: None)


def requeue_before_sending(self: sweep.Sweep, _: SweepRun, record: JobRecord) -> None:
    """Requeues a job before sending its message: the sweep may die between the two."""
    job, fence = record.job, record.fence or 0
    try:
        self.jobs.requeue(job.pair, job.job_id, fence)
    except StaleReportError:
        return
    again = f"{job.job_id}-after-{fence}"
    self.queues.send_in_order("input", job, group=job.pair.key, deduplication_id=again, pair=job.pair)


@pytest.mark.usefixtures("sweep_resends_nothing")
def test_finds_sweep_that_requeues_before_sending(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep.Sweep, "_requeue", requeue_before_sending)

    violation = first_violation(SENDERS_DIE)

    # Either the job without a message is found first, or workers that find no message and leave.
    assert "not settled" in violation or "a worker request waits" in violation


def test_finds_relay_without_fence_check(monkeypatch: pytest.MonkeyPatch) -> None:
    finish = JobsTable.finish

    def finish_any_fence(self: JobsTable, pair: Pair, job_id: str, fence: int, *outcome: Any) -> JobRecord:
        return finish(self, pair, job_id, self.get(pair, job_id).fence or fence, *outcome)

    monkeypatch.setattr(JobsTable, "finish", finish_any_fence)

    violation = first_violation(STORM, first_seed=21)

    assert "but finished by fence" in violation


def test_finds_ttl_used_instead_of_the_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    never_expired = f"({ownership.EXPIRED} AND {ownership.FREE})"
    own = f"(containerId = :me AND {ownership.NOT_EARLIER})"
    monkeypatch.setattr(ownership, "CLAIMABLE", f"{ownership.FREE} OR {never_expired} OR {own}")
    monkeypatch.setattr(ownership, "KEPT_AFTER_LAST_USE", timedelta(seconds=60))

    violation = first_violation(STORM)

    assert "was used before" in violation


def test_finds_broker_that_checks_for_waiting_jobs_before_release(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, str | None] = {}
    move = broker.Broker._move

    def check_before_release(self: broker.Broker, caller: broker._Caller, entry: WorkerEntry, phase: Phase) -> None:
        if phase is Phase.LEAVING and entry.pair is not None:
            seen[entry.pair.key] = self.jobs.waiting_job_of(entry.pair)
        move(self, caller, entry, phase)

    def request_seen_job(self: broker.Broker, _: broker._Caller, pair: Pair) -> None:
        self.worker_requests.clear(pair)
        waiting = seen.pop(pair.key, None)
        if waiting is not None:
            self.worker_requests.request(pair, waiting)

    monkeypatch.setattr(broker.Broker, "_move", check_before_release)
    monkeypatch.setattr(broker.Broker, "_request_successor", request_seen_job)

    assert "a waiting job has no owner and no worker request" in first_violation(CALM)


def test_finds_job_listed_after_its_worker_was_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    list_unfinished, hand_over = JobsTable.list_unfinished, dispatch.Dispatch._hand_over

    def list_later(self: dispatch.Dispatch, order: DispatchOrder) -> None:
        hand_over(self, order)
        list_unfinished(self.jobs, order.job.pair, order.job.job_id)

    monkeypatch.setattr(JobsTable, "list_unfinished", lambda *_: None)
    monkeypatch.setattr(dispatch.Dispatch, "_hand_over", list_later)

    assert "a waiting job has no owner and no worker request" in first_violation(CALM)


def test_finds_broker_that_deletes_the_request_before_claiming(monkeypatch: pytest.MonkeyPatch) -> None:
    take = broker.Broker._take

    def delete_then_take(
        self: broker.Broker, caller: broker._Caller, entry: WorkerEntry, received: ReceivedMessage
    ) -> Grant | None:
        self.queues.delete("unclaimed", received)
        return take(self, caller, entry, received)

    monkeypatch.setattr(broker.Broker, "_take", delete_then_take)

    assert "a waiting job has no owner and no worker request" in first_violation(EARLY_DEATHS)


def test_finds_broker_that_requests_no_successor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker.Broker, "_request_successor", lambda *_: None)

    assert "a waiting job has no owner and no worker request" in first_violation(CALM)


def test_finds_broker_that_forgets_which_worker_has_a_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    """The task asks again after a lost response, and waits for another pair."""

    def start_over(self: broker.Broker, caller: broker._Caller, entry: WorkerEntry) -> None:
        self._become_idle(caller, replace(entry, holds=None))

    monkeypatch.setattr(workers, "NEXT_STEP", workers.NEXT_STEP.replace(f" AND {workers.SAME_PAIR}", ""))
    monkeypatch.setattr(broker.Broker, "_grant_again", start_over)

    # Without a newer task definition: the fleet would stop the busy task as an idle one first.
    assert "for a second pair" in first_violation(replace(STORM, new_definition=0))


def test_finds_fleet_that_keeps_the_lease_of_a_dead_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slot_checks.SlotChecks, "_release_lease", lambda *_: None)

    assert "a waiting job has no owner and no worker request" in first_violation(EARLY_DEATHS)


def test_finds_lease_deadline_counted_from_the_response(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    renew = lease.Lease.renew

    def count_from_response(self: lease.Lease) -> float | None:
        pause = renew(self)
        self._deadline = self._monotonic() + self._timing.lease_seconds
        return pause

    monkeypatch.setattr(lease.Lease, "renew", count_from_response)

    assert "two workers hold a lease of one pair" in first_violation(HANGING_RENEWALS)


@pytest.mark.usefixtures("sweep_resends_nothing")
def test_finds_worker_that_deletes_before_resending_the_job(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    resend = pair_session.PairSession._send_to_the_end

    def delete_first(self: pair_session.PairSession, job: Job, received: ReceivedMessage) -> None:
        self._delete(received)
        resend(self, job, received)

    monkeypatch.setattr(pair_session.PairSession, "_send_to_the_end", delete_first)

    assert "not settled" in first_violation(DEATHS_WHILE_SENDING)


def test_finds_worker_that_publishes_without_a_lease_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease.Lease, "check", lambda _: None)

    assert "published after fence" in first_violation(LONG_PAUSES)


@pytest.mark.usefixtures("sweep_resends_nothing")
def test_finds_session_that_resends_under_a_used_id(monkeypatch: pytest.MonkeyPatch) -> None:
    resend = pair_session.PairSession._send_to_the_end

    def resend_under_same_id(self: pair_session.PairSession, job: Job, received: ReceivedMessage) -> None:
        self._resends = itertools.count(1)
        resend(self, job, received)

    monkeypatch.setattr(pair_session.PairSession, "_send_to_the_end", resend_under_same_id)

    assert "not settled" in first_violation(RUSH)


@pytest.mark.usefixtures("sweep_resends_nothing")
def test_finds_sweep_that_resends_no_lost_message() -> None:
    assert "not settled" in first_violation(LOST_MESSAGES)


def test_finds_sweep_that_resends_under_one_id(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the id used by dispatch, the queue drops the second message for five minutes."""
    monkeypatch.setattr(sweep, "DEDUPLICATION_MILLISECONDS", 10**15)
    monkeypatch.setattr("tests.model.queue_stand_in.DEDUPLICATION_MILLISECONDS", 10**15)

    assert "not settled" in first_violation(LOST_MESSAGES)


def test_finds_fleet_that_stops_idle_workers_unconditionally(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(WorkersTable, "stop", lambda *_: True)

    assert "was stopped while it was busy" in first_violation(RESTLESS_FLEET, first_seed=95)


def test_finds_broker_that_claims_without_recording_a_busy_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    def skip_record(
        _: broker.Broker, __: broker._Caller, entry: WorkerEntry, assignment: Assignment, ___: ReceivedMessage
    ) -> WorkerEntry:
        return replace(entry, pair=assignment.pair, job_id=assignment.job_id)

    monkeypatch.setattr(broker.Broker, "_become_busy", skip_record)
    monkeypatch.setattr(WorkersTable, "hold", lambda _self, entry, *_: entry)

    assert "was stopped while it was busy" in first_violation(RESTLESS_FLEET, first_seed=95)


def test_finds_broker_that_claims_for_an_unregistered_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    become_busy, hold = broker.Broker._become_busy, WorkersTable.hold

    def busy_if_unregistered(
        self: broker.Broker,
        caller: broker._Caller,
        entry: WorkerEntry,
        assignment: Assignment,
        received: ReceivedMessage,
    ) -> WorkerEntry:
        try:
            return become_busy(self, caller, entry, assignment, received)
        except NotRegisteredError:
            return replace(entry, pair=assignment.pair, job_id=assignment.job_id)

    def hold_if_unregistered(self: WorkersTable, entry: WorkerEntry, task_id: str, call: str) -> WorkerEntry:
        with contextlib.suppress(NotRegisteredError):
            return hold(self, entry, task_id, call)
        return entry

    monkeypatch.setattr(broker.Broker, "_become_busy", busy_if_unregistered)
    monkeypatch.setattr(WorkersTable, "hold", hold_if_unregistered)

    assert "was stopped while it was busy" in first_violation(RESTLESS_FLEET, first_seed=95)


def test_finds_fleet_whose_launches_do_not_compete_for_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    take = launcher.WorkerLauncher._take

    def take_any(self: launcher.WorkerLauncher, slot: str, capacity: Capacity) -> WorkerEntry | None:
        return take(self, f"{slot}-{self.new_id()}", capacity)

    monkeypatch.setattr(launcher.WorkerLauncher, "_take", take_any)

    assert "slots taken exceed the maximum" in first_violation(STORM)


def test_finds_fleet_that_never_stops_an_unregistered_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slot_checks.SlotChecks, "_stop", lambda _self, _pass, entry, _reason: entry)

    assert "a worker request waits although slots are free" in first_violation(LOSSY_FLEET)


def test_finds_fleet_that_never_stops_hanging_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slot_checks.SlotChecks, "_stop_unhealthy", lambda _self, _pass, entry: entry)

    violation = first_violation(HANGING_WORKERS)

    # Either an idle worker that hangs is found first, or one that keeps its slot.
    assert "not settled" in violation or "a worker request waits" in violation


def test_finds_fleet_that_treats_silence_as_unhealthy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy worker sends nothing to the fleet during its job."""
    check = slot_checks.SlotChecks.check

    def stop_silent(
        self: slot_checks.SlotChecks, current: FleetPass, entry: WorkerEntry, state: TaskState | None
    ) -> WorkerEntry | None:
        silent = entry.phase is Phase.BUSY and self._seconds_in_phase(entry) > 60
        return check(self, current, entry, TaskState.UNHEALTHY if silent and state is TaskState.RUNNING else state)

    monkeypatch.setattr(slot_checks.SlotChecks, "check", stop_silent)

    assert "was stopped while it was busy" in first_violation(HANGING_WORKERS)


def test_finds_dispatch_that_interrupts_before_sending_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    run = dispatch.Dispatch.run

    def interrupt_first(self: dispatch.Dispatch, order: DispatchOrder) -> None:
        self._interrupt_running(order.job)
        run(self, order)

    monkeypatch.setattr(dispatch.Dispatch, "run", interrupt_first)

    assert "an interrupt was sent before its newer job" in first_violation(RUSH)
