"""The simulator: what a few mails do to a small fleet, in virtual time."""

from __future__ import annotations

from random import Random

import pytest

from tools.simulation.fleet_run import Arrival, FleetRun
from tools.simulation.measures import Measures
from tools.simulation.settings import Comparison, Scenario
from tools.simulation.study import run_one
from tools.simulation.workload import HOUR, ReplyKind, SimulatedMail, Workload
from webordinary.contract.settings import SparePolicy, Timing
from webordinary.protocol.policies import FleetSize

TIMING = Timing.model_validate({})
NUMBERS = {
    **Workload.load().numbers,
    "worker.job_seconds": [60.0, 60.0],
    "worker.start_seconds": [40.0, 40.0],
    "worker.claim_seconds": [1.0, 1.0],
    "worker.message_seconds": [0.2, 0.2],
    "worker.spot_interruptions_per_day": 0.0,
}


def simulated(
    arrivals: list[Arrival], size: FleetSize, hours: int = 4, numbers: dict[str, float] | None = None
) -> Measures:
    scenario = Scenario("test", "", TIMING, size)
    random = Random(1)  # noqa: S311 (a simulation must be repeatable)
    return FleetRun(scenario, Workload({**NUMBERS, **(numbers or {})}), random).run(arrivals, hours * HOUR)


def mail(kind: ReplyKind = ReplyKind.EDIT, gap: float | None = None) -> SimulatedMail:
    return SimulatedMail(kind, 60.0, gap)


def test_first_mail_waits_for_the_start_of_a_worker() -> None:
    measures = simulated([(10.0, "a", (mail(),))], FleetSize(3))

    assert measures.waits[True] == [pytest.approx(41.05)]  # RunTask, start and claim
    assert (measures.launches, measures.answered) == (1, 1)
    assert measures.quiet_seconds == TIMING.idle_seconds


def test_first_mail_with_a_spare_worker_waits_for_the_claim_only() -> None:
    measures = simulated([(600.0, "a", (mail(),))], FleetSize(3, spare=1))

    assert measures.waits[True] == [pytest.approx(1.0)]
    assert measures.launches == 2  # the spare worker is replaced


def test_later_mail_finds_the_worker_that_stayed() -> None:
    measures = simulated([(10.0, "a", (mail(gap=TIMING.idle_seconds - 10), mail()))], FleetSize(3))

    assert measures.waits[False] == [pytest.approx(0.2)]
    assert measures.launches == 1


def test_later_mail_after_the_stay_needs_a_new_worker() -> None:
    measures = simulated([(10.0, "a", (mail(gap=TIMING.idle_seconds + 30), mail()))], FleetSize(3))

    assert measures.waits[False] == [pytest.approx(41.05)]
    assert measures.launches == 2


def test_no_worker_stays_after_a_publish() -> None:
    measures = simulated([(10.0, "a", (mail(ReplyKind.PUBLISH),))], FleetSize(3))

    assert measures.quiet_seconds == TIMING.idle_after_end_seconds == 0


def test_quiet_worker_yields_to_a_waiting_pair_when_the_fleet_is_full() -> None:
    measures = simulated([(10.0, "a", (mail(),)), (120.0, "b", (mail(),))], FleetSize(1))

    assert (measures.yields, measures.answered) == (1, 2)
    assert measures.waits[True][1] < TIMING.renewal_seconds + 41.05 + TIMING.sweep_seconds
    assert measures.peak_workers == 1


def test_no_job_is_given_up_while_the_fleet_is_full() -> None:
    arrivals: list[Arrival] = [(float(number), str(number), (mail(),)) for number in range(40)]

    measures = simulated(arrivals, FleetSize(1))

    assert measures.given_up == 0
    assert measures.answered == 40


def test_breaker_gives_up_when_no_worker_ever_starts() -> None:
    measures = simulated([(10.0, "a", (mail(),))], FleetSize(3), numbers={"worker.never_starts": 1.0})

    assert (measures.given_up, measures.answered) == (1, 0)
    assert measures.launches > TIMING.claim_breaker_failures


def test_interrupted_spot_worker_repeats_its_job() -> None:
    size = FleetSize(3, spot_weight=1)

    measures = simulated([(10.0, "a", (mail(),))], size, numbers={"worker.spot_interruptions_per_day": 86_400 / 30})

    assert measures.repeated_jobs >= 1
    assert measures.interruptions >= measures.repeated_jobs


def test_adaptive_fleet_keeps_no_worker_after_a_quiet_hour() -> None:
    arrivals: list[Arrival] = [(30.0 * number, str(number), (mail(),)) for number in range(40)]

    measures = simulated(arrivals, FleetSize(50, policy=SparePolicy.ADAPTIVE))
    longer = simulated(arrivals, FleetSize(50, policy=SparePolicy.ADAPTIVE), hours=12)

    assert measures.waits[True][-1] == pytest.approx(1.0)
    assert measures.idle_seconds == longer.idle_seconds > 0


def test_same_seed_repeats_the_result() -> None:
    scenario, workload = Comparison.load().scenarios[0], Workload.load()

    first, second = (run_one(scenario, 100, 1, 7, workload) for _ in range(2))

    assert first == second
    assert first.mails > 300
