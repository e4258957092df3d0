"""Dispatch records first, sends second and looks for an owner last."""

import pytest

from tests.support.world import PAIR, World
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.ownership import ClaimRequest


def test_a_dispatched_job_waits_on_its_pairs_queue_and_a_worker_is_asked_for(world: World) -> None:
    job = world.job()

    world.dispatch(job, "token")

    assert [Job.read(body) for body in world.waiting("input", PAIR)] == [job]
    assert [ClaimRequest.read(body).pair for body in world.waiting("unclaimed")] == [PAIR]
    assert world.jobs.get(PAIR, job.job_id).state == "waiting"


def test_the_worker_never_sees_the_task_token(world: World) -> None:
    world.dispatch(world.job(), "secret-token")

    assert "secret-token" not in world.waiting("input", PAIR)[0]


def test_a_job_carries_the_trace_that_is_recorded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_X_AMZN_TRACE_ID", "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1")

    world.dispatch(world.job(), "token")

    assert world.jobs.get(PAIR, "mail-1").job.trace.startswith("Root=1-5759e988")


def test_no_worker_is_asked_for_while_the_pair_has_a_live_owner(world: World) -> None:
    world.ownership.claim(PAIR, "worker-a")

    world.dispatch(world.job(), "token")

    assert world.waiting("unclaimed") == []


def test_a_job_dispatched_twice_is_queued_once_and_keeps_the_newer_token(world: World) -> None:
    world.dispatch(world.job(), "first")
    world.dispatch(world.job(), "second")

    assert len(world.waiting("input", PAIR)) == 1
    assert world.jobs.get(PAIR, "mail-1").task_token == "second"


def test_a_job_that_has_ended_is_not_run_again_but_its_new_token_learns_the_end(world: World) -> None:
    world.jobs.record(world.job(), "first")
    world.jobs.start(PAIR, "mail-1", 1)
    world.jobs.finish(PAIR, "mail-1", 1, Outcome(state="done", summary="Done."))

    world.dispatch(world.job(), "second")

    assert world.task_tokens.ends == [("second", "success")]
    assert world.waiting("input", PAIR) == []
