"""The sweeper finds what a lost message or a dead worker left behind, and does nothing twice."""

from tests.support.world import PAIR, World
from webordinary.platform.messages import ClaimRequest, Job, Outcome, ReportKind, WorkerReport
from webordinary.steps.sweep import Sweep, SweepResult


def sweep(world: World, looks: int = 1000) -> SweepResult:
    """A sweep that has time for so many looks."""
    left = iter([True] * looks)
    step = Sweep(world.jobs, world.ownership, world.claims, world.queues, world.tokens, world.idempotency, world.clock)
    return step.run(lambda: next(left, False))


def after_the_lease(world: World) -> None:
    world.clock.advance(world.timing.lease_seconds + world.timing.clock_margin_seconds + 1)


def test_a_waiting_job_whose_claim_request_was_lost_gets_another_one(world: World) -> None:
    world.jobs.record(world.job(), "token")

    assert sweep(world).claims == 1
    assert [ClaimRequest.read(body).job_id for body in world.waiting("unclaimed")] == ["mail-1"]


def test_a_waiting_job_is_kept_alive(world: World) -> None:
    world.jobs.record(world.job(), "token")

    sweep(world)

    assert world.task_tokens.beats == ["token"]


def test_two_sweeps_in_a_row_ask_for_one_worker(world: World) -> None:
    world.jobs.record(world.job(), "token")

    sweep(world)
    sweep(world)

    assert len(world.waiting("unclaimed")) == 1


def test_a_running_job_of_a_live_owner_is_left_alone(world: World) -> None:
    fence = world.ownership.claim(PAIR, "worker-a").fence
    world.jobs.record(world.job(), "token")
    world.jobs.start(PAIR, "mail-1", fence)

    result = sweep(world)

    assert (result.requeued, result.claims, result.beats) == (0, 0, 0)


def test_a_dead_owners_job_waits_again_and_is_sent_again(world: World) -> None:
    fence = world.ownership.claim(PAIR, "worker-a").fence
    world.jobs.record(world.job(), "token")
    world.jobs.start(PAIR, "mail-1", fence)
    after_the_lease(world)

    assert sweep(world).requeued == 1
    assert world.jobs.get(PAIR, "mail-1").state == "waiting"
    assert [Job.read(body).job_id for body in world.waiting("input", PAIR)] == ["mail-1"]
    assert len(world.waiting("unclaimed")) == 1


def test_an_end_that_never_reached_its_execution_is_passed_on(world: World) -> None:
    world.jobs.record(world.job(), "token")
    world.jobs.start(PAIR, "mail-1", 1)
    world.jobs.finish(PAIR, "mail-1", 1, Outcome(state="done"))
    world.clock.advance(60)

    assert sweep(world).settled == 1
    assert world.task_tokens.ends == [("token", "success")]
    assert sweep(world).looked_at == 0


def test_a_dead_letter_ends_its_job_so_that_its_sender_is_answered(world: World) -> None:
    world.dispatch(world.job())
    (body,) = world.waiting("input", PAIR)
    world.queues.send_in_order("input_dead_letters", Job.read(body), group=PAIR.key, deduplication_id="dead", pair=PAIR)

    assert sweep(world).dead_letters == 1
    assert world.jobs.get(PAIR, "mail-1").state == "failed"
    assert world.task_tokens.ends == [("token", "JobFailed")]


def test_a_report_in_the_dead_letters_is_tried_once_more(world: World) -> None:
    world.jobs.record(world.job(), "token")
    world.jobs.start(PAIR, "mail-1", 1)
    finished = WorkerReport(
        kind=ReportKind.FINISHED,
        pair=PAIR,
        job_id="mail-1",
        fence=1,
        container_id="worker-a",
        sent_at=world.clock(),
        outcome=Outcome(state="done"),
    )
    world.queues.send_in_order("output_dead_letters", finished, group=PAIR.key, deduplication_id="dead")
    world.ownership.claim(PAIR, "worker-a")

    sweep(world)

    assert world.task_tokens.ends == [("token", "success")]


def test_a_pair_that_no_worker_takes_up_is_given_up_and_answered(world: World) -> None:
    world.jobs.record(world.job(), "token")
    for _ in range(world.timing.claim_breaker_failures):
        sweep(world)
        world.clock.advance(world.timing.claim_backoff_max_seconds - 1)

    assert sweep(world).given_up == 1
    assert world.task_tokens.ends == [("token", "JobFailed")]


def test_a_sweep_without_time_says_that_it_is_not_complete(world: World) -> None:
    world.jobs.record(world.job(), "token")

    assert sweep(world, looks=0).complete is False


def test_a_sweep_goes_on_where_the_last_one_ran_out_of_time(world: World) -> None:
    for number in range(4):
        world.jobs.record(world.job(f"mail-{number}"), f"token-{number}")
        world.clock.advance(1)

    first, second, third = sweep(world, looks=3), sweep(world), sweep(world)

    assert (first.looked_at, second.looked_at, third.looked_at) == (3, 1, 4)
    assert world.task_tokens.beats[:4] == ["token-0", "token-1", "token-2", "token-3"]
