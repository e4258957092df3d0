"""`webordinary watch`, `tail` and `status --watch`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.world import PAIR, World
from tests.unit.ops.conftest import Command
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Result
from webordinary_ops import cli
from webordinary_ops.commands.repeat import repeat
from webordinary_ops.commands.watch import OpenJobs, steps_of
from webordinary_ops.deployment import Deployment
from webordinary_ops.output import Output

pytestmark = pytest.mark.usefixtures("bakery")


def read(lines: Iterator[str | None]) -> list[str]:
    """The lines until the next pause."""
    return list(iter(lines.__next__, None))


def test_repeat_shows_until_interrupted(deployment: Deployment) -> None:
    waits: list[float] = []
    shown: list[int] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            raise KeyboardInterrupt

    repeat(cli.Operator(lambda: deployment, Output(), yes=True), 2, lambda: shown.append(len(waits)), wait)

    assert (waits, shown) == ([2, 2, 2], [0, 1, 2])


@pytest.mark.parametrize("command", [["watch"], ["status", "--watch"]])
def test_watch_shows_the_open_jobs_and_ends_with_ctrl_c(
    world: World,
    deployment: Deployment,
    command: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt(_seconds: float) -> None:
        raise KeyboardInterrupt

    world.jobs.record(world.job(), "token")
    monkeypatch.setattr("webordinary_ops.commands.repeat.repeat.__defaults__", (interrupt,))

    assert cli.main(command, lambda _: deployment) == 0

    printed = capsys.readouterr().out
    assert "waiting" in printed
    assert ("No workers are running" in printed) is (command == ["watch"])


def test_tail_prints_each_change_of_a_job_once(world: World, deployment: Deployment) -> None:
    world.jobs.record(world.job("mail-1"), "token")
    lines = OpenJobs(deployment).changes()

    assert [line.split()[1:] for line in read(lines)] == [["mail-1", "bakery#ada", "edit", "waiting"]]
    assert read(lines) == []

    world.jobs.start(PAIR, "mail-1", 1)
    assert [line.split()[-1] for line in read(lines)] == ["running"]

    world.jobs.finish(PAIR, "mail-1", 1, Outcome(state="done", result=Result.CHANGED))
    world.jobs.settle(PAIR, "mail-1")
    assert [line.split()[-2:] for line in read(lines)] == [["done", "changed"]]


def test_tail_of_a_job_prints_its_steps_and_ends(world: World, deployment: Deployment, run: Command) -> None:
    world.s3.put_object(Bucket=world.names.bucket("raw_mail"), Key="mail/mail-1", Body=b"raw")
    replayed = run("replay", "mail-1")["job"]

    steps = [line.split()[-1] for line in steps_of(deployment, replayed) if line]

    assert steps[0] == "ExecutionStarted"
    assert steps[-1] == "ExecutionSucceeded"


def test_tail_of_an_unknown_job_names_the_list(refused: Command) -> None:
    assert "jobs --all" in refused("tail", "missing")
