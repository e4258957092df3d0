"""Runs the scenarios for all numbers of pairs and seeds, in several processes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from random import Random

from tools.cost_model import CostModel, load_cost_model
from tools.simulation.dollars import Dollars, dollars_of
from tools.simulation.fleet_run import Arrival, FleetRun
from tools.simulation.measures import FleetSample, Measures, quantile
from tools.simulation.quotas import usage
from tools.simulation.settings import Comparison, Scenario
from tools.simulation.workload import DAY, Workload


@dataclass(frozen=True)
class SeedResult:
    """One seed of one scenario."""

    scenario: str
    pairs: int
    seed: int
    days: int
    mails: int
    first: tuple[float, float, float]  # seconds of waiting: median, 95 % and 99 % of the first mails of conversations
    follow: tuple[float, float, float]
    dollars: Dollars
    launches: int
    given_up: int
    interruptions: int
    repeated_jobs: int
    yields: int
    peak_workers: int
    mean_workers: float
    samples: tuple[FleetSample, ...]
    usage: dict[str, float]

    def per_1000(self, amount: float) -> float:
        return 1000 * amount / max(1, self.mails)


def days_for(workload: Workload, comparison: Comparison, pairs: int) -> int:
    """Whole weeks with enough mails, at most half a year; a part of a week if that has more than enough."""
    a_week = workload.number("arrivals.conversations_per_pair_and_week") * workload.mails_per_conversation() * pairs
    if a_week > comparison.most_mails:
        return max(1, int(7 * comparison.most_mails / a_week))
    weeks = min(26, max(1, round(comparison.mails / a_week)))
    return 7 * weeks


def arrivals(workload: Workload, pairs: int, seed: int, until: float) -> Iterable[Arrival]:
    times, names, words = Random(f"times {seed}"), Random(f"pairs {seed}"), Random(f"mails {seed}")  # noqa: S311
    for at in workload.arrivals(times, pairs, until):
        yield at, str(names.randrange(pairs)), workload.conversation(words)


def run_one(
    scenario: Scenario, pairs: int, seed: int, days: int, workload: Workload, model: CostModel | None = None
) -> SeedResult:
    until = days * DAY
    fleet = FleetRun(scenario, workload, Random(f"fleet {seed}"))  # noqa: S311 (a simulation must be repeatable)
    measures = fleet.run(arrivals(workload, pairs, seed, until), until)
    model = model or load_cost_model()
    return SeedResult(
        scenario=scenario.name,
        pairs=pairs,
        seed=seed,
        days=days,
        mails=measures.mails,
        first=_quantiles(measures, first=True),
        follow=_quantiles(measures, first=False),
        dollars=dollars_of(measures, model, scenario.timing, pairs, until),
        launches=measures.launches,
        given_up=measures.given_up,
        interruptions=measures.interruptions,
        repeated_jobs=measures.repeated_jobs,
        yields=measures.yields,
        peak_workers=measures.peak_workers,
        mean_workers=measures.worker_seconds / until,
        samples=tuple(measures.samples) if seed == 1 else (),
        usage=usage(measures, model, scenario.timing, scenario.size),
    )


def run_all(comparison: Comparison, workload: Workload) -> list[SeedResult]:
    work = [
        (scenario, pairs, seed, days_for(workload, comparison, pairs))
        for pairs in comparison.pairs
        for scenario in comparison.scenarios
        for seed in comparison.seeds
        if pairs <= scenario.most_pairs
    ]
    # The environment as it is: one Monday, up to where its maximum binds.
    work += [(comparison.deployed, pairs, 1, 1) for pairs in comparison.deployed_pairs]
    work.sort(key=lambda one: -one[1])  # the longest ones first
    with ProcessPoolExecutor(os.cpu_count()) as processes:
        return list(processes.map(partial(_run, workload), work))


def _run(workload: Workload, work: tuple[Scenario, int, int, int]) -> SeedResult:
    scenario, pairs, seed, days = work
    return run_one(scenario, pairs, seed, days, workload)


def _quantiles(measures: Measures, *, first: bool) -> tuple[float, float, float]:
    waits = measures.waits[first]
    return quantile(waits, 0.5), quantile(waits, 0.95), quantile(waits, 0.99)
