"""dispatch: records the job, sends it, then interrupts the owner or requests a worker."""

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.support.world import PAIR, World
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.ownership import Interrupt, WorkerRequest

OTHER_THREAD = "b" * 26


def test_dispatch_queues_the_job_and_requests_a_worker(world: World) -> None:
    job = world.job()

    world.dispatch(job, "token")

    assert [Job.read(body) for body in world.waiting("input", PAIR)] == [job]
    assert [WorkerRequest.read(body).pair for body in world.waiting("unclaimed")] == [PAIR]
    assert world.jobs.get(PAIR, job.job_id).state == "waiting"


def test_dispatched_message_has_no_task_token(world: World) -> None:
    world.dispatch(world.job(), "secret-token")

    assert "secret-token" not in world.waiting("input", PAIR)[0]


def test_dispatched_job_carries_a_sampled_trace(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_X_AMZN_TRACE_ID", "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1")

    world.dispatch(world.job(), "token")

    assert world.jobs.get(PAIR, "mail-1").job.trace.startswith("Root=1-5759e988")


def test_no_worker_is_requested_for_a_pair_with_a_live_owner(world: World) -> None:
    world.ownership.claim(PAIR, "worker-a")

    world.dispatch(world.job(), "token")

    assert world.waiting("unclaimed") == []


def test_second_dispatch_replaces_the_token_and_queues_nothing(world: World) -> None:
    world.dispatch(world.job(), "first")
    world.dispatch(world.job(), "second")

    assert len(world.waiting("input", PAIR)) == 1
    assert world.jobs.get(PAIR, "mail-1").task_token == "second"


def test_dispatch_of_a_finished_job_settles_the_new_token(world: World) -> None:
    world.jobs.record(world.job(), "first")
    world.jobs.start(PAIR, "mail-1", 1)
    world.jobs.finish(PAIR, "mail-1", 1, Outcome(state="done", summary="Done."))

    world.dispatch(world.job(), "second")

    assert world.task_tokens.ends == [("second", "success")]
    assert world.waiting("input", PAIR) == []


@pytest.fixture
def running(world: World) -> Job:
    """A job that runs on the pair's live owner."""
    fence = world.ownership.claim(PAIR, "worker-a").fence
    older = world.job("older")
    world.jobs.record(older, "token")
    world.jobs.start(PAIR, "older", fence)
    return older


def interrupts(world: World) -> list[Interrupt]:
    return [Interrupt.read(body) for body in world.waiting("interrupts", PAIR)]


@pytest.mark.parametrize(
    ("policy", "thread", "interrupted"),
    [
        ("always", OTHER_THREAD, True),
        ("same-thread", OTHER_THREAD, False),
        ("same-thread", "a" * 26, True),
        ("never", "a" * 26, False),
    ],
)
def test_newer_job_interrupts_the_running_one_by_project_policy(
    world: World, running: Job, policy: str, thread: str, interrupted: bool
) -> None:
    world.onboard(interrupts=policy)

    world.dispatch(world.job("newer", thread_id=thread), "token")

    expected = [("older", "newer", thread == running.thread_id)] if interrupted else []
    assert [(one.running_job_id, one.newer_job_id, one.same_thread) for one in interrupts(world)] == expected


@pytest.mark.usefixtures("running")
def test_interrupt_is_sent_after_the_newer_job_is_queued(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.onboard(interrupts="always")
    queued: list[int] = []
    send = world.queues.send

    def note_and_send(kind: str, *arguments: Any, **options: Any) -> None:
        queued.append(len(world.waiting("input", PAIR)))
        send(kind, *arguments, **options)

    monkeypatch.setattr(world.queues, "send", note_and_send)
    world.dispatch(world.job("newer"), "token")

    assert queued == [1]


def test_retried_dispatch_does_not_interrupt_a_job_received_later(world: World) -> None:
    world.onboard(interrupts="always")
    older = world.job("older")
    world.clock.advance(1)
    newer = world.job("newer")
    fence = world.ownership.claim(PAIR, "worker-a").fence
    world.dispatch(older, "token")
    world.jobs.record(newer, "token")
    world.jobs.start(PAIR, "newer", fence)

    world.dispatch(older, "token of a retry")

    assert interrupts(world) == []


@pytest.mark.usefixtures("running")
def test_failed_interrupt_does_not_fail_the_dispatch(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.onboard(interrupts="always")

    def refuse(*_: object, **__: object) -> None:
        raise ClientError({"Error": {"Code": "AccessDenied"}}, "SendMessage")

    monkeypatch.setattr(world.queues, "send", refuse)
    world.dispatch(world.job("newer"), "token")

    assert [Job.read(body).job_id for body in world.waiting("input", PAIR)] == ["newer"]
