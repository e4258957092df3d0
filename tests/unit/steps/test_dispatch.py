"""Dispatch sends first and looks afterwards; interrupts follow the project's policy."""

import pytest

from tests.support.world import PAIR, World
from webordinary.platform.messages import ClaimOrder, ClaimRequest, ClaimVerdict, DispatchOrder, Interrupt, Job, Outcome

OTHER_THREAD = "b" * 26


def test_a_dispatched_job_waits_on_its_pairs_queue_and_a_worker_is_asked_for(world: World) -> None:
    job = world.job()

    world.router.dispatch(DispatchOrder(job=job, task_token="token"))

    assert [Job.read(body) for body in world.waiting("input", PAIR)] == [job]
    assert [ClaimRequest.read(body).pair for body in world.waiting("unclaimed")] == [PAIR]
    assert world.jobs.get(PAIR, job.job_id).state == "waiting"


def test_the_worker_never_sees_the_task_token(world: World) -> None:
    world.router.dispatch(DispatchOrder(job=world.job(), task_token="secret-token"))

    assert "secret-token" not in world.waiting("input", PAIR)[0]


def test_no_worker_is_asked_for_while_the_pair_has_a_live_owner(world: World) -> None:
    world.ownership.claim(PAIR, "worker-a")

    world.router.dispatch(DispatchOrder(job=world.job(), task_token="token"))

    assert world.waiting("unclaimed") == []


def test_a_job_dispatched_twice_is_queued_once_and_keeps_the_newer_token(world: World) -> None:
    world.router.dispatch(DispatchOrder(job=world.job(), task_token="first"))
    world.router.dispatch(DispatchOrder(job=world.job(), task_token="second"))

    assert len(world.waiting("input", PAIR)) == 1
    assert world.jobs.get(PAIR, "mail-1").task_token == "second"


def test_a_job_that_has_ended_is_not_run_again_but_its_new_token_learns_the_end(world: World) -> None:
    world.jobs.record(world.job(), "first")
    world.jobs.start(PAIR, "mail-1", 1)
    world.jobs.finish(PAIR, "mail-1", 1, Outcome(state="done", summary="Done."))

    world.router.dispatch(DispatchOrder(job=world.job(), task_token="second"))

    assert world.task_tokens.ends == [("second", "success")]
    assert world.waiting("input", PAIR) == []


def test_a_second_request_within_the_window_is_held_back(world: World) -> None:
    order = ClaimOrder(pair=PAIR, job_id="mail-1")

    verdicts = [world.router.request_claim(order).verdict for _ in range(2)]

    assert verdicts == [ClaimVerdict.SENT, ClaimVerdict.RATE_LIMITED]
    assert len(world.waiting("unclaimed")) == 1


def test_nobody_owns_a_pair_whose_lease_and_margin_are_over(world: World) -> None:
    world.ownership.claim(PAIR, "worker-a")
    world.clock.advance(world.timing.lease_seconds + world.timing.clock_margin_seconds + 1)

    assert world.router.answer_ownership(world.job()).owned is False


@pytest.mark.parametrize(
    ("policy", "thread", "interrupted"),
    [
        ("always", OTHER_THREAD, True),
        ("same-thread", OTHER_THREAD, False),
        ("same-thread", "a" * 26, True),
        ("never", "a" * 26, False),
    ],
)
def test_a_newer_mail_interrupts_as_the_project_wants_it(
    world: World, policy: str, thread: str, interrupted: bool
) -> None:
    world.onboard(interrupts=policy)
    fence = world.ownership.claim(PAIR, "worker-a").fence
    world.jobs.record(world.job("older"), "token")
    world.jobs.start(PAIR, "older", fence)

    answer = world.router.answer_ownership(world.job("newer", thread_id=thread))

    assert answer.interrupted is interrupted
    assert [Interrupt.read(body).running_job_id for body in world.waiting("interrupts", PAIR)] == (
        ["older"] if interrupted else []
    )
