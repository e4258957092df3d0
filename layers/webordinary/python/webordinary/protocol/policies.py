"""The policies of workers and fleet, as pure functions of settings and facts.

| policy | decides | called by |
|---|---|---|
| `stay_seconds` | how long a worker waits for its pair's next mail | the worker's session |
| `fleet_plan` | how many workers to start or stop | the fleet function |
| `next_request` | when a request for a worker is repeated or given up | every sender of worker requests |

The model test and the simulator call the same functions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from webordinary.aws.ecs_tasks import Capacity
from webordinary.contract.messages.ownership import RequestDecision, RequestVerdict
from webordinary.contract.outcomes import Result
from webordinary.contract.settings import SparePolicy, Timing
from webordinary.tables.fleet_decisions import Reason

if TYPE_CHECKING:
    from webordinary.contract.messages.outcome import Outcome
    from webordinary.tables.claim_rates import ClaimRate

# ── how long a worker stays ─────────────────────────────────────────────────────────────────────────────────────────

# The sender is asked something, so an answer is likely.
QUESTIONS = frozenset({Result.ASKED, Result.PREVIEW_CHANGED, Result.PUBLISH_ASKED_AGAIN})
# The conversation is over, or another person continues it.
ENDS = frozenset(
    {
        Result.NOTHING_CHANGED,  # such as a thank-you
        Result.PUBLISHED,
        Result.ALREADY_LIVE,
        Result.NOTHING_TO_PUBLISH,
        Result.PUBLISH_ASKED,
        Result.UNPUBLISHED,
        Result.UNPUBLISHED_FOR_NOW,
        Result.NOTHING_TO_UNPUBLISH,
    }
)


def stay_seconds(timing: Timing, outcome: Outcome | None) -> float:
    """How long a worker waits for its pair's next mail after a job with this outcome; None before its first job."""
    if outcome is None:
        return timing.idle_seconds
    if outcome.question or outcome.result in QUESTIONS:
        return timing.idle_after_question_seconds
    if outcome.result in ENDS:
        return timing.idle_after_end_seconds
    return timing.idle_seconds


def longest_stay(timing: Timing) -> float:
    """The bound of `stay_seconds` for any outcome."""
    return max(timing.idle_seconds, timing.idle_after_question_seconds, timing.idle_after_end_seconds)


# ── how many workers there are ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class FleetSize:
    """The settings of the fleet. `spare` workers are kept at least; `policy` says whether more are."""

    maximum: int
    spare: int = 0
    policy: SparePolicy = SparePolicy.FIXED
    on_demand: int = 0
    spot_weight: int = 0

    def capacity_of_next(self, *, on_demand: int, spot: int) -> Capacity:
        """The first `on_demand` workers on demand, then `spot_weight` on Spot for each further one on demand."""
        beyond = on_demand - self.on_demand
        return Capacity.SPOT if beyond >= 0 and spot < self.spot_weight * (beyond + 1) else Capacity.ON_DEMAND


@dataclass(frozen=True)
class WorkerCounts:
    """The fleet's workers. `idle_long` of the idle ones were idle for longer than `surplus_seconds`."""

    starting: int = 0
    idle: int = 0
    idle_long: int = 0
    busy: int = 0
    ending: int = 0  # leaving, stopping or gone: their slots become free

    @property
    def available(self) -> int:
        return self.starting + self.idle

    @property
    def all(self) -> int:
        return self.available + self.busy + self.ending


@dataclass(frozen=True)
class FleetPlan:
    spare: int  # spare workers that are wanted
    launches: int
    stops: int
    missing: int  # waiting pairs without a slot: as many quiet workers should yield
    is_full: bool  # whether pairs wait only because every slot is taken
    reason: Reason


def fleet_plan(
    size: FleetSize, timing: Timing, waiting: int, workers: WorkerCounts, claim_rate: ClaimRate, now: datetime
) -> FleetPlan:
    """What the fleet does for `waiting` pairs without a worker.

    needed   = waiting pairs + spare workers
    launches = needed - starting and idle workers, while there are free slots
    """
    spare = spare_workers(size, timing, claim_rate, now)
    needed, free_slots = waiting + spare, max(0, size.maximum - workers.all)
    launches = min(max(0, needed - workers.available), free_slots)
    stops = min(max(0, workers.available - needed), workers.idle_long)
    missing = max(0, waiting - workers.available - launches - workers.ending)
    is_full = missing > 0 and workers.all + launches >= size.maximum
    if is_full:
        reason = Reason.FULL
    elif launches > 0:
        reason = Reason.DEMAND if waiting > workers.available else Reason.SPARE
    else:
        reason = Reason.SURPLUS if stops > 0 else Reason.STEADY
    return FleetPlan(spare, launches, stops, missing, is_full, reason)


def spare_workers(size: FleetSize, timing: Timing, claim_rate: ClaimRate, now: datetime) -> int:
    """How many workers should wait for the next pairs.

    `expected` pairs arrive while a worker starts. Their number varies by its square root, so twice the root covers
    nearly all minutes.
    """
    if size.policy is SparePolicy.FIXED or is_quiet(timing, claim_rate, now):
        return size.spare
    expected = rate_at(timing, claim_rate, now) * timing.usual_start_seconds
    return max(size.spare, math.ceil(expected + 2 * math.sqrt(expected)))


def is_quiet(timing: Timing, claim_rate: ClaimRate, now: datetime) -> bool:
    """Whether no pair was claimed for so long that no worker is kept ready."""
    last = claim_rate.last_claim_at
    return last is None or now - last >= timedelta(seconds=timing.quiet_fleet_seconds)


def rate_at(timing: Timing, claim_rate: ClaimRate, now: datetime) -> float:
    """Claims per second: an exponential moving average over `claim_rate_seconds`."""
    if claim_rate.noted_at is None:
        return 0.0
    age = max(0.0, (now - claim_rate.noted_at).total_seconds())
    return claim_rate.per_second * math.exp(-age / timing.claim_rate_seconds)


def updated_rate(timing: Timing, claim_rate: ClaimRate, claims: int, now: datetime) -> ClaimRate:
    """The rate with the claims since it was noted. `claims` counts all claims ever."""
    new = max(0, claims - claim_rate.counted)
    return replace(
        claim_rate,
        per_second=rate_at(timing, claim_rate, now) + new / timing.claim_rate_seconds,
        counted=claims,
        noted_at=now,
        last_claim_at=now if new else claim_rate.last_claim_at,
    )


# ── when a request for a worker is repeated ─────────────────────────────────────────────────────────────────────────

JITTER = 0.25  # of the backoff; it only adds, so that the window holds


class RequestState(NamedTuple):
    """The requests sent for a pair since its last worker."""

    attempts: int
    requested_at: datetime
    next_allowed_at: datetime


def next_request(
    timing: Timing, state: RequestState | None, now: datetime, *, jitter: float = 0.0, fleet_is_full: bool = False
) -> RequestDecision:
    """Whether a request is sent now. `SENT` permits it; the other verdicts say why not.

    While the fleet is full, an unanswered request is not a failure: the count of attempts starts again.
    """
    if state is not None and now < state.next_allowed_at:
        return refused(timing, state, now, fleet_is_full=fleet_is_full)
    attempts = 1 if state is None or fleet_is_full else state.attempts + 1
    again = now + timedelta(seconds=backoff_seconds(timing, attempts, jitter))
    return RequestDecision(verdict=RequestVerdict.SENT, next_allowed_at=again, attempts=attempts)


def refused(timing: Timing, state: RequestState, now: datetime, *, fleet_is_full: bool = False) -> RequestDecision:
    """The decision not to send. The breaker is open once the last attempt has gone a whole window without a worker."""
    window_over = now >= state.requested_at + timedelta(seconds=timing.claim_window_seconds)
    broken = state.attempts >= timing.claim_breaker_failures and window_over and not fleet_is_full
    return RequestDecision(
        verdict=RequestVerdict.BREAKER_OPEN if broken else RequestVerdict.RATE_LIMITED,
        next_allowed_at=state.next_allowed_at,
        attempts=state.attempts,
    )


def backoff_seconds(timing: Timing, attempts: int, jitter: float = 0.0) -> float:
    """How long a pair must wait after its n-th request. `jitter` is between 0 and 1."""
    longest = timing.claim_backoff_max_seconds
    if attempts >= timing.claim_breaker_failures:
        return longest
    grown: float = timing.claim_window_seconds * 2 ** (attempts - 1)
    return min(longest, grown * (1 + (JITTER * jitter if attempts > 1 else 0.0)))
