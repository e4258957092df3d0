"""`webordinary jobs`, `show`, `stop` and `replay`."""

from __future__ import annotations

import json
import re

import pytest

from tests.support.world import PAIR, World, client
from tests.unit.ops.conftest import MACHINE, Command
from webordinary.contract.messages.outcome import Outcome, Usage
from webordinary.contract.messages.ownership import Interrupt
from webordinary.contract.outcomes import Failure, Result
from webordinary.tables.idempotency import Purpose
from webordinary.tables.jobs import JobState
from webordinary.tables.ownership import RunningCost
from webordinary_ops import cli
from webordinary_ops.deployment import Deployment
from webordinary_ops.readable import short_ids

pytestmark = pytest.mark.usefixtures("bakery")

DONE = Outcome(state="done", result=Result.CHANGED, commit="abc123", preview_url="https://edit.bakery.example.com/x")


def finish(world: World, job_id: str) -> None:
    world.jobs.record(world.job(job_id), "token")
    world.jobs.start(PAIR, job_id, 1)
    world.jobs.finish(PAIR, job_id, 1, DONE)
    world.jobs.settle(PAIR, job_id)


def ids(rows: list[dict[str, str]]) -> list[str]:
    return [row["job"] for row in rows]


def test_jobs_lists_open_jobs_unless_filtered(world: World, run: Command) -> None:
    finish(world, "over")
    world.jobs.record(world.job("waits"), "token")

    assert ids(run("jobs")) == ["waits"]
    assert sorted(ids(run("jobs", "--all"))) == ["over", "waits"]
    assert ids(run("jobs", "--state", "done", "--project", "bakery")) == ["over"]
    assert ids(run("jobs", "--all", "--user", "bob")) == []
    assert ids(run("jobs", "--thread", "b" * 26)) == []


def test_jobs_lists_the_cost_of_each_job(world: World, run: Command) -> None:
    world.jobs.record(world.job("dear"), "token")
    world.jobs.start(PAIR, "dear", 1)
    world.jobs.finish(PAIR, "dear", 1, Outcome(state="done", usage=Usage(dollars=1.25)))
    world.jobs.record(world.job("waits"), "token")

    assert {row["job"]: row["dollars"] for row in run("jobs", "--all")} == {"dear": 1.25, "waits": 0.0}


def test_jobs_since_lists_recent_jobs_only(world: World, run: Command) -> None:
    world.jobs.record(world.job("old"), "token")
    world.clock.advance(3600)
    world.jobs.record(world.job("new"), "token")

    assert ids(run("jobs", "--since", "30")) == ["new"]


def test_show_reports_result_reply_and_links(world: World, run: Command) -> None:
    finish(world, "mail-1")
    world.idempotency.complete(Purpose.REPLY, "mail-1", "answer@example.com")

    shown = run("show", "mail-1")

    assert (shown["state"], shown["result"], shown["commit"]) == ("done", "changed", "abc123")
    assert (shown["answer"], shown["branch"]) == ("answer@example.com", f"thread-{world.job().thread_id}")
    assert "webordinary-email-processor:mail-1" in shown["links"]["execution"]
    assert "words" not in shown
    assert run("show", "mail-1", "--words")["words"] == "Change the opening hours."


def test_show_has_the_cost_so_far_that_the_worker_reports(world: World, run: Command) -> None:
    owned = world.ownership.claim(PAIR, "worker-1")
    world.jobs.record(world.job(), "token")
    world.jobs.start(PAIR, "mail-1", owned.fence)
    assert "dollarsSoFar" not in run("show", "mail-1")
    world.ownership.renew(owned, active=True, cost=RunningCost("mail-1", 0.25))

    shown = run("show", "mail-1")
    assert (shown["dollarsSoFar"], shown.get("dollars")) == (0.25, None)
    world.jobs.finish(PAIR, "mail-1", owned.fence, DONE)
    assert "dollarsSoFar" not in run("show", "mail-1")


def test_stop_of_waiting_job_fails_its_task(world: World, run: Command) -> None:
    world.jobs.record(world.job(), "token")

    assert run("stop", "mail-1") == {"job": "mail-1", "state": "failed", "wasRunning": False}

    assert world.task_tokens.ends == [("token", "JobFailed")]
    assert world.waiting("interrupts", PAIR) == []


def test_stop_of_running_job_interrupts_the_worker(world: World, run: Command) -> None:
    world.jobs.record(world.job(), "token")
    world.jobs.start(PAIR, "mail-1", 1)

    assert run("stop", "mail-1")["wasRunning"] is True

    (interrupt,) = world.waiting("interrupts", PAIR)
    assert Interrupt.read(interrupt).running_job_id == "mail-1"
    assert world.jobs.get(PAIR, "mail-1").state == JobState.FAILED


def test_replay_starts_the_raw_mail_under_a_new_id(world: World, run: Command) -> None:
    finish(world, "mail-1")
    world.s3.put_object(Bucket=world.names.bucket("raw_mail"), Key="mail/mail-1", Body=b"raw")

    first, second = run("replay", "mail-1"), run("replay", "mail-1-again-1", "--answer")

    assert (first["job"], first["answered"]) == ("mail-1-again-1", False)
    assert (second["job"], second["answered"]) == ("mail-1-again-2", True)
    executions = client("stepfunctions").list_executions(stateMachineArn=MACHINE)["executions"]
    inputs = [
        json.loads(client("stepfunctions").describe_execution(executionArn=one["executionArn"])["input"])
        for one in executions
    ]
    assert sorted((one["mailId"], one["replayOf"], one["silent"], one["key"]) for one in inputs) == [
        ("mail-1-again-1", "mail-1", True, "mail/mail-1"),
        ("mail-1-again-2", "mail-1", False, "mail/mail-1"),
    ]


def test_failed_commands_print_one_line(world: World, refused: Command) -> None:
    finish(world, "mail-1")
    world.jobs.record(world.job("mail-2"), "token")
    world.s3.put_object(Bucket=world.names.bucket("raw_mail"), Key="mail/mail-2", Body=b"raw")

    for arguments, expected in [
        (("show", "nothing"), "Job nothing not found"),
        (("stop", "mail-1"), "has already ended"),
        (("stop",), "Missing argument 'JOB'"),
        (("replay", "mail-1"), "The raw mail of mail-1 does not exist"),
        (("replay", "mail-2"), "mail-2 is still open"),
        (("jobs", "--state", "lost"), "'lost' is not one of"),
        (("jobs", "--project", "garden", "--all"), "Unknown project 'garden'"),
    ]:
        error = refused(*arguments)
        assert expected in error
        assert error.count("\n") == 1


def test_job_is_found_by_a_unique_prefix(world: World, run: Command, refused: Command) -> None:
    for job_id in ("abcdefghij1", "abcdefghij2", "xyz"):
        finish(world, job_id)
    world.jobs.record(world.job("waiting-1"), "token")
    world.s3.put_object(Bucket=world.names.bucket("raw_mail"), Key="mail/xyz", Body=b"raw")

    assert run("show", "x")["job"] == "xyz"
    assert run("stop", "wait")["job"] == "waiting-1"
    assert run("replay", "x")["job"] == "xyz-again-1"
    assert "2 jobs begin with abc: abcdefghij1, abcdefghij2" in refused("show", "abc")


def test_table_shows_short_ids_that_are_accepted(
    world: World, deployment: Deployment, capsys: pytest.CaptureFixture[str]
) -> None:
    ids_of_mails = [letter * 40 for letter in "abc"]
    for job_id in ids_of_mails:
        world.jobs.record(world.job(job_id), "token")

    assert cli.main(["jobs"], lambda _: deployment) == 0

    header, *rows = capsys.readouterr().out.splitlines()
    assert [row.split()[0] for row in rows] == [one[:8] for one in ids_of_mails]
    assert re.match(r"(in )?\d+ (s|min|h|days)\b", rows[0][header.index("received") :])
    assert max(map(len, rows)) < 100
    assert cli.main(["show", "aaaaaaaa"], lambda _: deployment) == 0


def test_short_ids_differ() -> None:
    assert short_ids(["aaaaaaaaaaXb", "aaaaaaaaaaYb", "c"]) == {
        "aaaaaaaaaaXb": "aaaaaaaaaaX",
        "aaaaaaaaaaYb": "aaaaaaaaaaY",
        "c": "c",
    }


def test_unanswered_lists_jobs_without_a_reply(world: World, run: Command) -> None:
    for job_id in ("answered", "lost"):
        finish(world, job_id)
    world.jobs.record(world.job("waits"), "token")
    world.jobs.record(world.job("replayed", silent=True), "token")
    world.idempotency.complete(Purpose.REPLY, "answered", "answer@example.com")

    assert sorted(ids(run("jobs", "--unanswered"))) == ["lost", "waits"]


def test_show_prints_a_line_for_each_step(
    world: World, deployment: Deployment, run: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    finish(world, "mail-1")
    client("stepfunctions").start_execution(stateMachineArn=MACHINE, name="mail-1", input="{}")

    assert cli.main(["show", "mail-1"], lambda _: deployment) == 0

    lines = capsys.readouterr().out.splitlines()
    steps = lines[lines.index("steps") + 1 : lines.index("links")]
    assert len(steps) > 1
    assert steps[0].split() == ["at", "step"]
    assert all(line.startswith("  ") and len(line.split(maxsplit=1)) == 2 for line in steps)


def busy(world: World) -> None:
    """A job that ended because the model was busy, and waits for its second attempt."""
    world.jobs.record(world.job(), "token")
    world.jobs.start(PAIR, "mail-1", 1)
    outcome = Outcome(state="failed", failure=Failure.MODEL_BUSY)
    world.tokens.settle(world.jobs.finish(PAIR, "mail-1", 1, outcome, world.clock()))


def test_stop_cancels_a_second_attempt(world: World, run: Command) -> None:
    busy(world)

    assert run("stop", "mail-1")["wasRunning"] is False

    (record,) = world.second_attempts.due(world.clock())
    assert not world.second_attempts.claim(record, "mail-1-later")


def test_replay_takes_the_place_of_a_second_attempt(world: World, run: Command) -> None:
    busy(world)
    world.s3.put_object(Bucket=world.names.bucket("raw_mail"), Key="mail/mail-1", Body=b"mail")

    assert run("replay", "mail-1")["job"] == "mail-1-again-1"

    (record,) = world.second_attempts.due(world.clock())
    assert not world.second_attempts.claim(record, "mail-1-later")
