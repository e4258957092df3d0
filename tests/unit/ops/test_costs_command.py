"""`webordinary costs` sums a month by project and person."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta

import pytest

from tests.support.world import PAIR, World
from tests.unit.ops.conftest import Command
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.outcome import Usage
from webordinary.tables.spending import JobSpend
from webordinary_ops import cli
from webordinary_ops.costs import AwsPrices, worker_minutes
from webordinary_ops.deployment import Deployment

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
START, IDLE = timedelta(minutes=1), timedelta(minutes=30)


def spend(world: World, job_id: str, dollars: float, pair: Pair = PAIR) -> None:
    world.spending.reserve(pair, job_id, world.clock(), 1_000_000)
    world.budgets.settle(world.job(job_id, pair=pair, received_at=world.clock()), Usage(dollars=dollars, seconds=120))


def ended(minute: int, seconds: float = 120) -> JobSpend:
    at = NOW + timedelta(minutes=minute)
    return JobSpend(f"mail-{minute}", "ada", NOW.date(), seconds=seconds, ended_at=at)


@pytest.mark.parametrize(
    ("jobs", "minutes"),
    [
        ([], 0),
        ([ended(0)], 33),  # start, work, idle
        ([ended(0), ended(10)], 43),  # the second mail reaches the idle worker
        ([ended(60), ended(0)], 66),  # another worker
        ([ended(0, seconds=0)], 0),  # no worker ran it
    ],
)
def test_worker_runs_from_its_start_until_it_was_idle(jobs: list[JobSpend], minutes: float) -> None:
    assert worker_minutes(jobs, START, IDLE, NOW + timedelta(days=1)) == minutes


def test_worker_that_still_runs_costs_its_time_so_far() -> None:
    assert worker_minutes([ended(0)], START, IDLE, NOW + timedelta(minutes=5)) == 8


@pytest.mark.usefixtures("bakery")
def test_month_is_summed_by_person(world: World, run: Command) -> None:
    spend(world, "mail-1", 0.25)
    spend(world, "mail-2", 0.5)
    spend(world, "mail-3", 2, PAIR.model_copy(update={"user": "eve"}))
    spend(world, "mail-4", 9, Pair(project="removed", user="ada"))
    world.spending.reserve(PAIR, "mail-5", world.clock(), 1_000_000)
    world.clock.advance(3600)

    ada, eve = run("costs", "--month", "2026-01")

    prices = AwsPrices.load()
    minutes = prices.start_minutes + 2 + world.timing.idle_seconds / 60
    aws = 3 * prices.mail + minutes * prices.worker_minute
    assert ada == {
        "project": "bakery",
        "user": "ada",
        "mails": 3,
        "modelDollars": 0.75,
        "workerMinutes": minutes,
        "awsDollars": pytest.approx(aws, abs=0.0001),
        "dollars": pytest.approx(0.75 + aws, abs=0.0001),
        "reserved": 1,
    }
    assert (eve["user"], eve["modelDollars"]) == ("eve", 2)
    assert run("costs", "--month", "2025-12") == []
    assert [row["modelDollars"] for row in run("costs", "--project", "removed")] == [9]


@pytest.mark.usefixtures("bakery")
def test_csv_has_the_same_rows(
    world: World, run: Command, deployment: Deployment, capsys: pytest.CaptureFixture[str]
) -> None:
    spend(world, "mail-1", 0.25)
    rows = run("costs")

    assert cli.main(["costs", "--csv"], lambda _: deployment) == 0

    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert [str(value) for value in rows[0].values()] == [*row.values()]
    assert (row["project"], row["user"], float(row["model_dollars"])) == ("bakery", "ada", 0.25)


@pytest.mark.usefixtures("bakery")
def test_table_ends_with_the_total_and_names_the_date_of_prices(
    world: World, deployment: Deployment, capsys: pytest.CaptureFixture[str]
) -> None:
    spend(world, "mail-1", 0.25)
    spend(world, "mail-2", 0.5, PAIR.model_copy(update={"user": "eve"}))

    assert cli.main(["costs"], lambda _: deployment) == 0

    shown = capsys.readouterr().out
    assert "total" in shown
    assert "0.75" in shown
    assert AwsPrices.load().as_of in shown


def test_anything_but_a_month_is_refused(deployment: Deployment, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["costs", "--month", "November", "--project", "bakery"], lambda _: deployment) == 1
    assert "2026-11" in capsys.readouterr().err
