"""`webordinary send` ends with the reply, and says what it waits for."""

from __future__ import annotations

import json

import pytest

from tests.support.world import PAIR, World, client
from tests.unit.ops.conftest import MACHINE
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Result
from webordinary.tables.idempotency import Purpose
from webordinary_ops import cli
from webordinary_ops.commands.send import SendResult, SentMail, wait_for_reply
from webordinary_ops.deployment import Deployment
from webordinary_ops.errors import OperatorError
from webordinary_ops.job_finder import ExecutionStep, JobFinder
from webordinary_ops.output import Output

MESSAGE_ID = "<sent@example.com>"
pytestmark = pytest.mark.usefixtures("bakery")


def mail_arrives(world: World, mail_id: str = "mail-1", message_id: str = MESSAGE_ID) -> None:
    raw = f"From: ada@example.com\nMessage-ID: {message_id}\n\nHello".encode()
    world.s3.put_object(Bucket=world.names.bucket("raw_mail"), Key=f"mail/{mail_id}", Body=raw)
    client("stepfunctions").start_execution(stateMachineArn=MACHINE, name=mail_id, input=json.dumps({}))


def wait(deployment: Deployment, *, seconds: int = 0) -> SendResult:
    operator = cli.Operator(lambda: deployment, Output(as_json=True), yes=True)
    return wait_for_reply(operator, SentMail(deployment, MESSAGE_ID), seconds, wait=lambda _: None)


def test_reply_to_a_job_is_reported(world: World, deployment: Deployment) -> None:
    mail_arrives(world, "another", "<another@example.com>")
    mail_arrives(world)
    world.jobs.record(world.job(), "token")
    world.jobs.conclude(PAIR, "mail-1", Outcome(state="done", result=Result.CHANGED), settled=True)
    world.idempotency.complete(Purpose.REPLY, "mail-1", "reply@example.com")

    result = wait(deployment)

    assert (result.job, result.state, result.result) == ("mail-1", "done", "changed")
    assert result.answer == "reply@example.com"


def test_reply_to_a_mail_without_a_job_is_reported(
    world: World, deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commands help, status and stop have an execution with a job, and no record of it."""
    mail_arrives(world)
    exited = {"stateExitedEventDetails": {"output": json.dumps({"decision": "accept", "job": {"pair": PAIR.wire()}})}}
    monkeypatch.setattr(JobFinder, "_events", lambda _self, _job_id: iter([exited]))
    monkeypatch.setattr(JobFinder, "steps", lambda _self, _job_id: [])
    world.idempotency.complete(Purpose.REPLY, "mail-1", "reply@example.com")

    result = wait(deployment)

    assert (result.state, result.answer) == ("answered", "reply@example.com")


@pytest.mark.parametrize(
    ("paused", "waits_for"),
    [(None, "the worker to finish the job"), ("bakery", "the pause of bakery to end"), ("garden", "the worker to")],
)
def test_wait_for_a_worker_names_a_pause(
    world: World, deployment: Deployment, monkeypatch: pytest.MonkeyPatch, paused: str | None, waits_for: str
) -> None:
    mail_arrives(world)
    world.jobs.record(world.job(), "token")
    step = ExecutionStep(at="2026-01-05T08:30:00Z", step="Dispatch")
    monkeypatch.setattr(JobFinder, "steps", lambda _self, _job_id: [step])
    if paused is not None:
        deployment.pauses.pause(paused)

    with pytest.raises(OperatorError, match=f"it waits for {waits_for}"):
        wait(deployment)


def test_wait_notes_what_the_mail_waits_for(deployment: Deployment, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(OperatorError, match=r"it waits for the mail to arrive. To see more: \S*webordinary --env dev"):
        wait(deployment)

    assert "waiting for the mail to arrive" in capsys.readouterr().err
