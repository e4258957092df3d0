"""Reports count only under the fence that runs the job; what comes twice or late changes nothing."""

from tests.support.world import PAIR, World
from webordinary.platform.messages import Failure, Outcome, ReportKind, WorkerReport
from webordinary.steps.relay_callback import Relayed

DONE = Outcome(state="done", summary="Changed the hours.")


def report(world: World, fence: int, outcome: Outcome | None = DONE, job_id: str = "mail-1") -> WorkerReport:
    kind = ReportKind.FINISHED if outcome else ReportKind.HEARTBEAT
    return WorkerReport(
        kind=kind, pair=PAIR, job_id=job_id, fence=fence, container_id="w", sent_at=world.clock(), outcome=outcome
    )


def run_job(world: World, fence: int = 1) -> None:
    world.jobs.record(world.job(), "token")
    world.jobs.start(PAIR, "mail-1", fence)


def test_a_finished_job_ends_its_task(world: World) -> None:
    run_job(world)

    assert world.relay.run(report(world, fence=1)) == Relayed.SETTLED
    assert world.task_tokens.ends == [("token", "success")]


def test_a_failed_job_fails_its_task_with_a_name_of_its_own(world: World) -> None:
    run_job(world)

    world.relay.run(report(world, 1, Outcome(state="failed", failure=Failure.BUILD_FAILED)))

    assert world.task_tokens.ends == [("token", "JobFailed")]


def test_a_report_that_comes_twice_ends_the_task_once(world: World) -> None:
    run_job(world)

    world.relay.run(report(world, fence=1))
    world.relay.run(report(world, fence=1))

    assert world.task_tokens.ends == [("token", "success")]


def test_a_relay_that_died_before_telling_the_execution_tells_it_on_redelivery(world: World) -> None:
    run_job(world)
    world.jobs.finish(PAIR, "mail-1", 1, DONE)  # and here the first relay died

    assert world.relay.run(report(world, fence=1)) == Relayed.SETTLED
    assert world.task_tokens.ends == [("token", "success")]


def test_a_worker_that_woke_up_late_cannot_finish_the_job_of_its_successor(world: World) -> None:
    run_job(world, fence=1)
    world.jobs.start(PAIR, "mail-1", 2)

    assert world.relay.run(report(world, fence=1)) == Relayed.DROPPED
    assert world.jobs.get(PAIR, "mail-1").state == "running"
    assert world.task_tokens.ends == []


def test_a_stale_heartbeat_keeps_nothing_alive(world: World) -> None:
    run_job(world, fence=2)

    assert world.relay.run(report(world, fence=1, outcome=None)) == Relayed.DROPPED
    assert world.task_tokens.beats == []


def test_a_heartbeat_of_the_runner_keeps_the_task_alive(world: World) -> None:
    run_job(world)

    assert world.relay.run(report(world, fence=1, outcome=None)) == Relayed.BEAT
    assert world.task_tokens.beats == ["token"]


def test_a_report_for_an_unknown_job_is_dropped(world: World) -> None:
    assert world.relay.run(report(world, fence=1, job_id="never-seen")) == Relayed.DROPPED


def test_an_execution_that_no_longer_waits_does_not_make_the_relay_retry(world: World) -> None:
    run_job(world)
    world.task_tokens.ends.append(("token", "timed out"))

    assert world.relay.run(report(world, fence=1)) == Relayed.SETTLED
    assert world.jobs.get(PAIR, "mail-1").state == "done"
