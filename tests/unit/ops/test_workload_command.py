"""`webordinary workload`: what it measures, and that the simulator reads it."""

from __future__ import annotations

import tomllib
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.world import PAIR, World
from tools.simulation.workload import Workload
from webordinary.contract.messages.outcome import Outcome, Usage
from webordinary.contract.outcomes import Result
from webordinary_ops import cli
from webordinary_ops.deployment import Deployment

HOUR = 3600


def ended(world: World, number: int, thread: str, result: Result) -> None:
    """A mail that is answered after a minute."""
    job = world.job(job_id=f"mail-{number}", thread_id=thread * 26)
    world.jobs.record(job, "token")
    world.clock.advance(60)
    world.jobs.conclude(PAIR, job.job_id, Outcome(state="done", result=result, usage=Usage(seconds=45.0)))


def conversations(world: World, number: int) -> None:
    """Each: an edit, ten minutes later its publish, and nothing else for a day."""
    for begun in range(number):
        thread = "abcdefghij"[begun % 10]
        ended(world, 2 * begun, thread, Result.CHANGED)
        world.clock.advance(600)
        ended(world, 2 * begun + 1, thread, Result.PUBLISHED)
        world.clock.advance(24 * HOUR - 720)


def printed(deployment: Deployment, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    status = cli.main(["workload"], lambda _: deployment)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_workload_is_what_the_jobs_show(
    world: World, deployment: Deployment, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    begun = world.clock()
    conversations(world, 28)

    status, out, _ = printed(deployment, capsys)

    assert status == 0
    measured = tomllib.loads(out)
    assert measured["conversation"]["follow_after_edit"] == {"value": 1.0, "source": "measured: 28 records"}
    assert measured["conversation"]["follow_after_end"]["value"] == 0.0
    assert measured["conversation"]["publish_next"]["value"] == 1.0
    assert measured["conversation"]["gap_seconds"]["value"] == 600.0
    assert measured["worker"]["job_seconds"]["value"] == [45.0, 45.0]
    assert measured["arrivals"]["conversations_per_pair_and_week"]["value"] == pytest.approx(7, abs=0.4)
    hours = measured["arrivals"]["hours"]["value"]
    assert hours.index(max(hours)) == begun.hour
    file = tmp_path / "workload.toml"
    file.write_text(out, encoding="utf-8")
    simulated = Workload.load(file)
    assert simulated.number("conversation.gap_seconds") == 600.0
    assert simulated.number("fleet_function.run_task_seconds") > 0  # not measured: the simulator's own


def test_numbers_of_too_few_records_are_left_out(
    world: World, deployment: Deployment, capsys: pytest.CaptureFixture[str]
) -> None:
    conversations(world, 12)

    _, out, _ = printed(deployment, capsys)

    measured = tomllib.loads(out)
    assert "follow_after_edit" not in measured.get("conversation", {})  # 12 edits
    assert measured["worker"]["job_seconds"]["source"] == "measured: 24 records"


def test_deployment_without_jobs_has_no_workload(deployment: Deployment, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = printed(deployment, capsys)

    assert (status, out) == (1, "")
    assert "too few" in err


def test_second_mail_of_a_thread_after_a_day_begins_a_conversation(
    world: World, deployment: Deployment, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(24):
        ended(world, number, "a", Result.CHANGED)
        world.clock.advance(timedelta(days=1).total_seconds())

    _, out, _ = printed(deployment, capsys)

    assert tomllib.loads(out)["conversation"]["follow_after_edit"]["value"] == 0.0
