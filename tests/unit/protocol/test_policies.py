"""The policies of workers and fleet."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.ownership import RequestVerdict
from webordinary.contract.outcomes import Failure, Result
from webordinary.contract.settings import SparePolicy, Timing
from webordinary.protocol.policies import (
    FleetSize,
    RequestState,
    WorkerCounts,
    fleet_plan,
    next_request,
    rate_at,
    spare_workers,
    stay_seconds,
    updated_rate,
)
from webordinary.tables.claim_rates import ClaimRate
from webordinary.tables.fleet_decisions import Reason

TIMING = Timing.model_validate({})
NOW = datetime(2026, 1, 5, 8, 30, tzinfo=UTC)
NO_CLAIMS = ClaimRate()
ADAPTIVE = FleetSize(1000, policy=SparePolicy.ADAPTIVE)


def after(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def rate_of(claims: int, seconds: float) -> ClaimRate:
    """The rate after claims at equal distances."""
    rate = NO_CLAIMS
    for number in range(1, claims + 1):
        rate = updated_rate(TIMING, rate, number, after(number * seconds / claims))
    return rate


# ── how long a worker stays ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("outcome", "minutes"),
    [
        (None, 5),
        (Outcome(state="done", result=Result.CHANGED), 5),
        (Outcome(state="done", result=Result.UNDONE), 5),
        (Outcome(state="failed", failure=Failure.BUILD_FAILED), 5),
        (Outcome(state="preempted"), 5),
        (Outcome(state="done", result=Result.ASKED, question="Which page?"), 10),
        (Outcome(state="done", result=Result.PARTLY_CHANGED, question="And the prices?"), 10),
        (Outcome(state="done", result=Result.PREVIEW_CHANGED), 10),
        (Outcome(state="done", result=Result.PUBLISHED), 0),
        (Outcome(state="done", result=Result.PUBLISH_ASKED), 0),
        (Outcome(state="done", result=Result.UNPUBLISHED), 0),
        (Outcome(state="done", result=Result.NOTHING_CHANGED), 0),
    ],
)
def test_worker_stays_by_what_the_sender_may_do_next(outcome: Outcome | None, minutes: int) -> None:
    assert stay_seconds(TIMING, outcome) == 60 * minutes


# ── how many workers there are ──────────────────────────────────────────────────────────────────────────────────────


def test_plan_starts_a_worker_for_each_waiting_pair() -> None:
    plan = fleet_plan(FleetSize(10), TIMING, 4, WorkerCounts(starting=1, idle=1, busy=2), NO_CLAIMS, NOW)

    assert (plan.launches, plan.stops, plan.missing, plan.reason) == (2, 0, 0, Reason.DEMAND)


def test_plan_starts_no_more_workers_than_free_slots() -> None:
    plan = fleet_plan(FleetSize(5), TIMING, 9, WorkerCounts(busy=3, ending=1), NO_CLAIMS, NOW)

    assert (plan.launches, plan.missing, plan.is_full, plan.reason) == (1, 7, True, Reason.FULL)


def test_plan_stops_only_workers_that_were_idle_for_long() -> None:
    plan = fleet_plan(FleetSize(10, spare=1), TIMING, 0, WorkerCounts(idle=5, idle_long=2), NO_CLAIMS, NOW)

    assert (plan.launches, plan.stops, plan.reason) == (0, 2, Reason.SURPLUS)


def test_fixed_policy_ignores_the_claims() -> None:
    size = FleetSize(10, spare=2, policy=SparePolicy.FIXED)

    assert spare_workers(size, TIMING, rate_of(1000, 1200), after(1200)) == 2


@pytest.mark.parametrize(("claims_an_hour", "spare"), [(1, 1), (60, 3), (600, 15)])
def test_adaptive_spare_workers_cover_the_claims_of_one_start(claims_an_hour: int, spare: int) -> None:
    """60 an hour: 0.83 during 50 seconds and 2 √0.83 = 1.83, together 2.7. A moving average is a little above."""
    rate = ClaimRate(claims_an_hour / 3600, claims_an_hour, NOW, NOW)

    assert spare_workers(ADAPTIVE, TIMING, rate, NOW) == spare


def test_adaptive_spare_workers_end_after_a_quiet_hour() -> None:
    rate = rate_of(600, 3600)

    assert spare_workers(ADAPTIVE, TIMING, rate, after(3600 + 3599)) == 2
    assert spare_workers(ADAPTIVE, TIMING, rate, after(3600 + 3600)) == 0


def test_adaptive_spare_workers_are_never_fewer_than_the_setting() -> None:
    size = FleetSize(10, spare=2, policy=SparePolicy.ADAPTIVE)

    assert spare_workers(size, TIMING, NO_CLAIMS, NOW) == 2


def test_plan_of_spare_workers_says_so() -> None:
    plan = fleet_plan(ADAPTIVE, TIMING, 0, WorkerCounts(), ClaimRate(1 / 60, 1, NOW, NOW), NOW)

    assert (plan.launches, plan.spare, plan.reason) == (3, 3, Reason.SPARE)


def test_rate_approaches_the_claims_per_second() -> None:
    rate = rate_of(1200, 12_000)

    assert rate_at(TIMING, rate, after(12_000)) == pytest.approx(0.1, rel=0.01)


def test_claims_counted_by_a_concurrent_run_do_not_count_twice() -> None:
    once = updated_rate(TIMING, NO_CLAIMS, 7, NOW)

    assert updated_rate(TIMING, once, 7, NOW) == once


# ── when a request is repeated ──────────────────────────────────────────────────────────────────────────────────────


def test_unanswered_requests_of_a_full_fleet_are_no_failures() -> None:
    state: RequestState | None = None
    now = NOW
    for _ in range(50):
        decision = next_request(TIMING, state, now, fleet_is_full=True)
        assert decision.verdict is RequestVerdict.SENT
        state = RequestState(decision.attempts, now, decision.next_allowed_at)
        now = decision.next_allowed_at

    assert state is not None
    assert state.attempts == 1
    assert now - NOW == timedelta(seconds=50 * TIMING.claim_window_seconds)


def test_breaker_that_is_open_closes_while_the_fleet_is_full() -> None:
    broken = RequestState(TIMING.claim_breaker_failures, NOW, after(3600))

    assert next_request(TIMING, broken, after(400)).verdict is RequestVerdict.BREAKER_OPEN
    assert next_request(TIMING, broken, after(400), fleet_is_full=True).verdict is RequestVerdict.RATE_LIMITED
