"""During a deployment, functions and workers of two versions work together.

A newer version adds fields. An older one ignores them, and the jobs table keeps the original record.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.world import PAIR, World
from webordinary.contract.messages.job import DispatchOrder, Job
from webordinary.contract.messages.mail import RawMail
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.ownership import Interrupt, WorkerRequest
from webordinary.contract.messages.reply import ReplyOrder
from webordinary.contract.messages.report import ReportKind, WorkerReport
from webordinary.contract.outcomes import Result

NEWER = {"colourOfTheVersion": {"name": "blue"}}


def with_unknown_fields(message: dict[str, Any]) -> str:
    """Adds an unknown field at the top level and in each nested object."""

    def add(value: Any) -> Any:
        if isinstance(value, dict):
            return {**{key: add(inner) for key, inner in value.items()}, **NEWER}
        return [add(inner) for inner in value] if isinstance(value, list) else value

    return json.dumps(add(message))


def messages(world: World) -> list[Any]:
    job = world.job()
    outcome = Outcome(state="done", result=Result.CHANGED)
    now = world.clock()
    return [
        RawMail(mail_id="mail-1", bucket="raw", key="mail/mail-1"),
        job,
        DispatchOrder(job=job, task_token="token"),
        WorkerRequest(pair=PAIR, job_id="mail-1", requested_at=now),
        Interrupt(pair=PAIR, running_job_id="mail-1", newer_job_id="mail-2", same_thread=True, sent_at=now),
        outcome,
        WorkerReport(
            kind=ReportKind.FINISHED,
            pair=PAIR,
            job_id="mail-1",
            fence=1,
            container_id="worker-a",
            sent_at=now,
            outcome=outcome,
        ),
        ReplyOrder(job=job),
    ]


@pytest.mark.parametrize("number", range(8))
def test_unknown_fields_of_a_newer_version_are_ignored(world: World, number: int) -> None:
    message = messages(world)[number]

    assert type(message).read(with_unknown_fields(message.wire())) == message


def test_older_worker_and_relay_handle_a_job_of_a_newer_dispatch(world: World) -> None:
    newer = Job.read(with_unknown_fields(world.job().wire()))
    world.dispatch(newer)
    world.ownership.claim(PAIR, "worker-a")
    (body,) = world.waiting("input", PAIR)
    world.jobs.start(PAIR, Job.read(body).job_id, 1)
    outcome = Outcome(state="done", result=Result.CHANGED)
    report = WorkerReport(
        kind=ReportKind.FINISHED,
        pair=PAIR,
        job_id="mail-1",
        fence=1,
        container_id="worker-a",
        sent_at=world.clock(),
        outcome=outcome,
    )

    world.relay.run(with_unknown_fields(report.wire()), report.pair.key)

    assert world.task_tokens.ends == [("token", "success")]
    assert world.jobs.get(PAIR, "mail-1").outcome == outcome


def test_newer_worker_reads_a_job_of_an_older_dispatch(world: World) -> None:
    """Fields added since have defaults."""
    added_since = {"silent", "mentionedCommand", "forwarded", "history", "files", "subject"}
    older = {name: value for name, value in world.job().wire().items() if name not in added_since}

    assert Job.read(older) == world.job()
