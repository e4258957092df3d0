"""Daily budgets are not exceeded, whatever workers report."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.support.world import PAIR, World
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import Usage
from webordinary.tables.budgets import Account, MonthAccount, Reservation

SENDER = "ada@example.com"


def reserve(world: World, job_id: str, project: float = 12, sender: float = 100, month: float = 1000) -> Reservation:
    accounts = (Account("project", PAIR.project, project), Account("sender", SENDER, sender))
    return world.budgets.reserve(job_id, world.clock(), *accounts, MonthAccount(PAIR, month))


def settle(world: World, ended: Job, dollars: float) -> None:
    world.budgets.settle(ended, Usage(dollars=dollars))


def job(world: World, job_id: str, dollars: float) -> Job:
    return world.job(job_id, max_dollars=dollars)


def test_jobs_get_the_rest_of_the_budget_until_it_is_exhausted(world: World) -> None:
    given = [reserve(world, f"mail-{number}", project=7).dollars for number in range(9)]

    assert given == [5, 5, 5, 4, 3, 2, 1, 0, 0]


def test_budget_of_the_sender_limits_jobs_too(world: World) -> None:
    given = [reserve(world, f"mail-{number}", project=100, sender=2).dollars for number in range(3)]

    assert given == [2, 1, 0]


def test_refused_job_does_not_count_for_the_other_account(world: World) -> None:
    for number in range(9):
        reserve(world, f"mail-{number}", project=100, sender=1)

    assert reserve(world, "another", project=6, sender=100).dollars == 5


def test_job_parsed_again_counts_once(world: World) -> None:
    given = [reserve(world, "mail-1", project=2).dollars for _ in range(5)]

    assert given == [2] * 5
    assert reserve(world, "mail-2", project=2).dollars == 1


def test_settled_amount_replaces_the_reservation(world: World) -> None:
    reserve(world, "mail-1", project=10)
    settle(world, job(world, "mail-1", 5), 4.5)
    reserve(world, "mail-2", project=10)
    settle(world, job(world, "mail-2", 5), 3.5)

    assert reserve(world, "mail-3", project=10).dollars == 2


def test_job_without_a_report_counts_its_reservation(world: World) -> None:
    reserve(world, "lost", project=3)

    assert reserve(world, "mail-1", project=3).dollars == 2


@pytest.mark.parametrize("reported", [-1000.0, -0.01, 0.0])
def test_negative_cost_does_not_increase_the_budget(world: World, reported: float) -> None:
    reserve(world, "mail-1", project=2)
    settle(world, job(world, "mail-1", 5), reported)

    assert [reserve(world, f"next-{number}", project=2).dollars for number in range(3)] == [2, 1, 0]


def test_excessive_cost_is_limited_to_a_multiple_of_the_budget(world: World) -> None:
    reserve(world, "mail-1", project=24)
    settle(world, job(world, "mail-1", 5), 1e12)

    assert reserve(world, "mail-2", project=24).dollars == 4


def test_next_day_has_a_new_budget(world: World) -> None:
    for number in range(9):
        reserve(world, f"mail-{number}", project=3)
    world.clock.advance(timedelta(days=1).total_seconds())

    assert reserve(world, "tomorrow").dollars == 5


def test_nearly_spent_budget_is_reported_before_it_is_exhausted(world: World) -> None:
    heard = [reserve(world, f"mail-{number}", project=5) for number in range(6)]

    assert [one.nearly_spent for one in heard] == [False, False, False, True, True, True]
    assert [one.is_enough for one in heard] == [True, True, True, True, True, False]


def test_cost_without_a_reservation_does_not_count(world: World) -> None:
    reserve(world, "mail-1", project=10)
    settle(world, job(world, "forged", 5), 5)
    settle(world, job(world, "mail-1", 5).model_copy(update={"pair": PAIR.model_copy(update={"user": "x"})}), 1)

    assert reserve(world, "mail-2", project=10, sender=6).dollars == 5


def test_cost_is_bounded_whatever_budget_the_record_states(world: World) -> None:
    reserve(world, "mail-1", project=1000)
    settle(world, job(world, "mail-1", 1e9), 1e9)

    assert reserve(world, "mail-2", project=26).dollars == 5


def test_jobs_get_the_rest_of_the_month_until_it_is_exhausted(world: World) -> None:
    given = []
    for number in range(5):
        given.append(reserve(world, f"mail-{number}", month=3))
        world.clock.advance(timedelta(days=2).total_seconds())

    assert [one.dollars for one in given] == [3, 2, 1, 0, 0]
    assert [one.month_is_spent for one in given] == [False, False, False, True, True]
    assert [one.month_nearly_spent for one in given] == [False, False, True, True, True]
    assert [one.nearly_spent for one in given] == [False] * 5


def test_next_month_has_a_new_budget(world: World) -> None:
    for number in range(3):
        reserve(world, f"mail-{number}", month=2)
    world.clock.advance(timedelta(days=31).total_seconds())

    assert reserve(world, "next month", month=2).dollars == 2


def test_month_counts_what_another_user_of_the_project_spent(world: World) -> None:
    other = MonthAccount(PAIR.model_copy(update={"user": "eve"}), 10)
    accounts = (Account("project", PAIR.project, 100), Account("sender", "eve@example.com", 100))
    world.budgets.reserve("mail-1", world.clock(), *accounts, other)
    settle(world, job(world, "mail-1", 5).model_copy(update={"pair": other.pair}), 8.5)

    assert reserve(world, "mail-2", month=10).dollars == 1.5


def test_job_parsed_again_counts_once_for_the_month(world: World) -> None:
    given = [reserve(world, "mail-1", month=2).dollars for _ in range(5)]

    assert given == [2] * 5
    assert reserve(world, "mail-2", month=2).dollars == 1


def test_refused_job_does_not_count_for_the_month(world: World) -> None:
    for number in range(9):
        reserve(world, f"mail-{number}", month=100, sender=1)

    assert reserve(world, "mail-9", month=6).dollars == 5
