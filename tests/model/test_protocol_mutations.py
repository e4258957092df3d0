"""The model finds the bugs that it is there for: each is put in, and each must be found.

A model that cannot fail proves nothing. Seeds are tried until one finds the bug; if none does, the model is too tame.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from tests.model.monitor import ProtocolViolationError
from tests.model.weather import CALM, EARLY_DEATHS, STORM
from tests.model.workers import Habits
from tests.model.world import World
from webordinary.platform.messages import Outcome, Pair
from webordinary.steps import sweep
from webordinary.tables import ownership
from webordinary.tables.jobs import JobRecord, JobsTable, StaleReportError

SEEDS = 60
STEPS = 1_000


def first_violation(make_world: Callable[[int], World]) -> str:
    for seed in range(SEEDS):
        try:
            make_world(seed).run(STEPS)
        except ProtocolViolationError as violation:
            return str(violation)
    return "nothing was found"


class FencelessJobs(JobsTable):
    """A relay that takes every report for the report of whoever runs the job."""

    def finish(self, pair: Pair, job_id: str, fence: int, outcome: Outcome) -> JobRecord:
        return super().finish(pair, job_id, self.get(pair, job_id).fence or fence, outcome)


def requeue_before_sending(self: sweep._Sweeping, record: JobRecord) -> None:
    """Requeues a job first and sends its message afterwards: between the two the sweep may die."""
    job, fence = record.job, record.fence or 0
    try:
        self.parts.jobs.requeue(job.pair, job.job_id, fence)
    except StaleReportError:
        return
    again = f"{job.job_id}-after-{fence}"
    self.parts.queues.send_in_order("input", job, group=job.pair.key, deduplication_id=again, pair=job.pair)


def test_it_finds_a_sweeper_that_requeues_a_job_before_it_sends_its_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep._Sweeping, "_requeue", requeue_before_sending)

    violation = first_violation(lambda seed: World(seed, STORM))

    assert "stranded" in violation


def test_it_finds_a_relay_that_does_not_check_the_fence() -> None:
    violation = first_violation(lambda seed: World(seed, STORM, jobs_table=FencelessJobs))

    assert "but ended by fence" in violation


def test_it_finds_a_time_to_live_in_place_of_the_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    never_expired = f"({ownership.EXPIRED} AND {ownership.FREE})"
    own = f"(containerId = :me AND {ownership.NOT_EARLIER})"
    monkeypatch.setattr(ownership, "CLAIMABLE", f"{ownership.FREE} OR {never_expired} OR {own}")
    monkeypatch.setattr(ownership, "KEPT_AFTER_LAST_USE", timedelta(seconds=60))

    violation = first_violation(lambda seed: World(seed, STORM))

    assert "was given out before" in violation


def test_it_finds_a_worker_that_looks_at_the_queue_before_it_releases() -> None:
    violation = first_violation(lambda seed: World(seed, CALM, Habits(looks_before_releasing=True)))

    assert "a waiting job is forgotten" in violation


def test_it_finds_a_worker_that_deletes_the_claim_request_before_it_claims() -> None:
    violation = first_violation(lambda seed: World(seed, EARLY_DEATHS, Habits(deletes_request_before_claiming=True)))

    assert "a waiting job is forgotten" in violation
