"""A job's cost is stored once, by project, person and day, and a month is one query."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from tests.support.world import PAIR, World
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.outcome import Usage
from webordinary.contract.values import limit
from webordinary.tables.budgets import MOST_OVER
from webordinary.tables.spending import InvalidMonthError, start_of_next_month

EVE = Pair(project=PAIR.project, user="eve")


def spend(world: World, job_id: str, dollars: float, pair: Pair = PAIR, seconds: float = 60) -> None:
    now = world.clock()
    world.spending.reserve(pair, job_id, now, 1_000_000)
    job = world.job(job_id, pair=pair, received_at=now)
    world.budgets.settle(job, Usage(dollars=dollars, seconds=seconds))


def test_month_lists_days_and_people(world: World) -> None:
    spend(world, "mail-1", 0.25)
    spend(world, "mail-2", 0.5, EVE)
    world.clock.advance(timedelta(days=1).total_seconds())
    spend(world, "mail-3", 1.5)
    world.spending.reserve(PAIR, "mail-4", world.clock(), 1_000_000)

    month = world.spending.of_month("bakery", "2026-01")
    assert [(one.day, one.dollars, one.reserved, one.mails) for one in month.by_day()] == [
        (date(2026, 1, 5), 0.75, 0, 2),
        (date(2026, 1, 6), 1.5, 1, 2),
    ]
    assert {user: sum(job.dollars for job in jobs) for user, jobs in month.by_user().items()} == {
        "ada": 1.75,
        "eve": 0.5,
    }
    assert (month.dollars, month.reserved, month.mails) == (2.25, 1, 4)


def test_report_delivered_again_counts_once(world: World) -> None:
    spend(world, "mail-1", 0.25)
    world.budgets.settle(world.job("mail-1"), Usage(dollars=3.0, seconds=1))

    assert world.spending.of_month("bakery", "2026-01").dollars == 0.25


def test_mail_parsed_again_after_its_report_keeps_the_cost(world: World) -> None:
    spend(world, "mail-1", 0.25)
    world.spending.reserve(PAIR, "mail-1", world.clock(), 1_000_000)
    world.spending.release(PAIR, "mail-1", world.clock())

    month = world.spending.of_month("bakery", "2026-01")
    assert (month.dollars, month.reserved, month.mails) == (0.25, 0, 1)


def test_cost_of_a_job_that_was_never_accepted_does_not_count(world: World) -> None:
    world.budgets.settle(world.job("forged"), Usage(dollars=3.0))

    assert world.spending.of_month("bakery", "2026-01").mails == 0


@pytest.mark.parametrize(("reported", "counted"), [(-5.0, 0.0), (1e12, MOST_OVER * limit("dollars_per_job"))])
def test_reported_cost_is_bounded(world: World, reported: float, counted: float) -> None:
    spend(world, "mail-1", reported, seconds=1e12)

    (job,) = world.spending.of_month("bakery", "2026-01").jobs
    assert (job.dollars, job.seconds) == (counted, world.timing.job_seconds)


def test_months_and_projects_are_separate(world: World) -> None:
    spend(world, "mail-1", 0.25)
    spend(world, "mail-2", 8, Pair(project="florist", user="ada"))
    world.clock.advance(timedelta(days=62).total_seconds())
    spend(world, "mail-3", 0.5)

    assert world.spending.of_month("bakery", "2026-01").dollars == 0.25
    assert world.spending.of_month("bakery", "2026-02").mails == 0


def test_item_is_kept_for_thirteen_months(world: World) -> None:
    spend(world, "mail-1", 0.25)

    (item,) = world.dynamodb.scan(TableName=world.names.table("spending"))["Items"]
    assert int(item["ttl"]["N"]) >= datetime(2027, 2, 28, tzinfo=UTC).timestamp()


def test_day_of_many_mails_is_one_item(world: World) -> None:
    for number in range(limit("mails_per_project_per_day")):
        spend(world, f"{'long' * 19}{number:04}", 0.01)

    (item,) = world.dynamodb.scan(TableName=world.names.table("spending"))["Items"]
    assert len(str(item)) < 100_000  # DynamoDB's limit is 400 KB
    assert world.spending.of_month("bakery", "2026-01").dollars == pytest.approx(2.0)


@pytest.mark.parametrize("month", ["2026", "2026-13", "2026-1", "2026-01-05", ""])
def test_anything_but_a_month_is_refused(world: World, month: str) -> None:
    with pytest.raises(InvalidMonthError):
        world.spending.of_month("bakery", month)


def test_next_month_starts_at_midnight_of_its_first_day() -> None:
    assert start_of_next_month(datetime(2026, 12, 31, 23, 59, tzinfo=UTC)) == datetime(2027, 1, 1, tzinfo=UTC)
    assert start_of_next_month(datetime(2026, 1, 1, tzinfo=UTC)) == datetime(2026, 2, 1, tzinfo=UTC)
