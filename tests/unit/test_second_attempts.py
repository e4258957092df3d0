"""A mail whose model was busy is tried again once, unless a newer mail of its thread takes the request over."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.support.stored_mails import RAW_BUCKET, Read, parse_email
from tests.support.world import PAIR, THREAD, RecordedExecutions, World
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.mail import RawMail
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.report import ReportKind, WorkerReport
from webordinary.contract.outcomes import Command, Failure
from webordinary.contract.values import limit
from webordinary.steps.relay_callback import RelayResult
from webordinary.steps.sweep.second_attempts import SecondAttemptStarter
from webordinary.steps.sweep.sweep import Sweep, SweepResult
from webordinary.tables.jobs import JobState
from webordinary.tables.pauses import Pauses

BUSY = Outcome(state="failed", failure=Failure.MODEL_BUSY)
DELAY = timedelta(minutes=limit("minutes_until_second_attempt")).total_seconds()


@pytest.fixture
def executions() -> RecordedExecutions:
    return RecordedExecutions()


@pytest.fixture(autouse=True)
def onboarded(world: World) -> None:
    world.onboard()


def sweep(world: World, executions: RecordedExecutions) -> SweepResult:
    starter = SecondAttemptStarter(
        world.second_attempts,
        executions,  # type: ignore[arg-type]
        world.names,
        "machine",
        world.clock,
    )
    parts = (world.jobs, world.ownership, world.worker_requests, world.queues, world.tokens, world.idempotency)
    pauses = Pauses(world.dynamodb, world.names, world.clock)
    more = {"clock": world.clock, "second_attempts": starter, "pauses": pauses}
    return Sweep(*parts, world.projects, world.relay, **more).run(lambda: True)  # type: ignore[arg-type]


def end(world: World, job_id: str = "mail-1", outcome: Outcome = BUSY, **more: Any) -> WorkerReport:
    """Runs a job to this outcome, reported by its worker."""
    world.jobs.record(world.job(job_id, **more), f"token of {job_id}")
    fence = world.ownership.claim(PAIR, "worker").fence
    world.jobs.start(PAIR, job_id, fence)
    report = WorkerReport(
        kind=ReportKind.FINISHED,
        pair=PAIR,
        job_id=job_id,
        fence=fence,
        container_id="worker",
        sent_at=world.clock(),
        outcome=outcome,
    )
    assert world.relay.run(report.wire_text(), PAIR.key) == RelayResult.SETTLED
    return report


def test_busy_model_is_tried_again_once_at_its_time(world: World, executions: RecordedExecutions) -> None:
    end(world)
    assert sweep(world, executions).second_attempts == 0

    world.clock.advance(DELAY)
    assert [sweep(world, executions).second_attempts for _ in range(3)] == [1, 0, 0]

    ((name, started),) = executions.started.items()
    assert name == "mail-1-later"
    mail = RawMail.read(started)
    assert (mail.mail_id, mail.key, mail.replay_of, mail.silent) == (name, "mail/mail-1", "mail-1", False)
    assert world.jobs.get(PAIR, "mail-1").state == JobState.FAILED


def test_first_execution_ends_with_the_time_of_the_second_attempt(world: World) -> None:
    end(world)

    assert world.task_tokens.ends == [("token of mail-1", "JobFailed")]
    at = world.jobs.get(PAIR, "mail-1").tries_again_at
    assert at is not None
    assert (datetime.fromisoformat(at) - world.clock()).total_seconds() == DELAY
    assert not world.jobs.has_open_jobs(PAIR)


def test_report_delivered_again_keeps_the_time(world: World, executions: RecordedExecutions) -> None:
    report = end(world)
    world.clock.advance(DELAY)
    sweep(world, executions)

    assert world.relay.run(report.wire_text(), PAIR.key) == RelayResult.DROPPED
    assert sweep(world, executions).second_attempts == 0


def test_sweep_settles_a_busy_job_whose_relay_died(world: World, executions: RecordedExecutions) -> None:
    world.jobs.record(world.job(), "token")
    fence = world.ownership.claim(PAIR, "worker").fence
    world.jobs.start(PAIR, "mail-1", fence)
    world.jobs.finish(PAIR, "mail-1", fence, BUSY, world.clock() + timedelta(seconds=DELAY))

    world.clock.advance(30)
    assert sweep(world, executions).settled == 1
    world.clock.advance(DELAY)
    assert sweep(world, executions).second_attempts == 1


def test_sweep_that_died_after_the_claim_starts_it_next_time(world: World, executions: RecordedExecutions) -> None:
    end(world)
    world.clock.advance(DELAY)
    executions.fail = True
    assert sweep(world, executions).not_done == 1

    executions.fail = False
    assert sweep(world, executions).second_attempts == 1
    assert [*executions.started] == ["mail-1-later"]


def test_sweep_that_died_after_the_start_starts_nothing_else(world: World, executions: RecordedExecutions) -> None:
    end(world)
    world.clock.advance(DELAY)
    (record,) = world.second_attempts.due(world.clock())
    world.second_attempts.claim(record, "mail-1-later")
    executions.started["mail-1-later"] = "by the sweep before"

    sweep(world, executions)

    assert executions.started == {"mail-1-later": "by the sweep before"}
    assert [*world.second_attempts.due(world.clock())] == []


@pytest.mark.parametrize(
    ("outcome", "more"),
    [
        (BUSY, {"repeated": True}),  # the second attempt itself, or an operator's replay
        (BUSY, {"silent": True}),
        (BUSY, {"command": Command.PUBLISH}),
        (Outcome(state="failed", failure=Failure.MODEL_UNAVAILABLE), {}),  # an operator must act
        (Outcome(state="failed", failure=Failure.BUILD_FAILED), {}),
        (Outcome(state="done"), {}),
    ],
)
def test_other_ends_get_no_second_attempt(
    world: World, executions: RecordedExecutions, outcome: Outcome, more: dict[str, Any]
) -> None:
    end(world, outcome=outcome, **more)
    world.clock.advance(DELAY)

    assert sweep(world, executions).second_attempts == 0
    assert world.jobs.get(PAIR, "mail-1").tries_again_at is None


def test_paused_project_is_tried_after_the_pause(world: World, executions: RecordedExecutions) -> None:
    end(world)
    world.clock.advance(DELAY)
    pauses = Pauses(world.dynamodb, world.names, world.clock)
    pauses.pause("bakery")
    assert sweep(world, executions).second_attempts == 0

    pauses.resume("bakery")
    assert sweep(world, executions).second_attempts == 1


def dispatched(world: World, **more: Any) -> Job:
    world.dispatch(world.job("mail-2", **more), "token of mail-2")
    return world.jobs.get(PAIR, "mail-2").job


def test_newer_mail_of_the_thread_gets_both_requests(world: World, executions: RecordedExecutions) -> None:
    end(world, instruction="Change the hours.")

    for _ in range(2):  # Step Functions may call dispatch again
        job = dispatched(world, instruction="And the phone number.")
        assert job.instruction == "Change the hours.\n\nAnd the phone number."
    assert Job.read(world.waiting("input", PAIR)[-1]).instruction == job.instruction
    world.clock.advance(DELAY)
    sweep(world, executions)
    assert executions.started == {}
    assert [*world.second_attempts.due(world.clock())] == []


def test_two_newer_mails_share_nothing_twice(world: World) -> None:
    end(world, instruction="Change the hours.")
    dispatched(world, instruction="And the phone number.")

    world.dispatch(world.job("mail-3", instruction="And the title."), "token of mail-3")

    assert world.jobs.get(PAIR, "mail-3").job.instruction == "And the title."


@pytest.mark.parametrize("more", [{"thread_id": "b" * 26}, {"command": Command.PUBLISH}])
def test_other_mails_leave_the_second_attempt(
    world: World, executions: RecordedExecutions, more: dict[str, Any]
) -> None:
    end(world)
    newer = world.job("mail-2", instruction="Something else.", **more)
    world.dispatch(newer, "token of mail-2")

    assert world.jobs.get(newer.pair, "mail-2").job.instruction == "Something else."
    assert world.second_attempts.waiting_in(Pair(project="bakery", user="eve"), "mail-2") == []
    world.clock.advance(DELAY)
    assert sweep(world, executions).second_attempts == 1


def test_undo_cancels_the_second_attempt(world: World, executions: RecordedExecutions) -> None:
    end(world)
    assert dispatched(world, command=Command.UNDO, instruction="undo").instruction == "undo"

    world.clock.advance(DELAY)
    sweep(world, executions)
    assert executions.started == {}


def test_second_attempt_that_has_begun_is_not_joined_too(world: World, executions: RecordedExecutions) -> None:
    end(world, instruction="Change the hours.")
    world.clock.advance(DELAY)
    sweep(world, executions)

    assert dispatched(world, instruction="And the phone number.").instruction == "And the phone number."


def test_requests_that_are_too_long_together_stay_apart(world: World, executions: RecordedExecutions) -> None:
    longest = "x" * limit("instruction_characters")
    end(world, instruction="Change the hours.")

    assert dispatched(world, instruction=longest).instruction == longest
    world.clock.advance(DELAY)
    assert sweep(world, executions).second_attempts == 1


def test_second_attempt_is_a_job_of_the_same_thread(world: World, read: Read, executions: RecordedExecutions) -> None:
    first = read(mail_id="mail-1").job
    assert first is not None
    second = parse_email(world).run(
        RawMail(mail_id="mail-1-later", bucket=RAW_BUCKET, key="mail/mail-1", replay_of="mail-1")
    )

    assert second.job is not None
    assert (second.job.thread_id, second.job.instruction) == (first.thread_id, first.instruction)
    assert (first.repeated, second.job.repeated) == (False, True)
    assert second.job.max_dollars is not None  # its own reservation
    assert world.job().thread_id == THREAD
