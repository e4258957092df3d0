"""A day costs no more than it may, whoever reports what."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.support.world import PAIR, World
from webordinary.contract.messages.job import Job
from webordinary.tables.budgets import Account, Reservation

SENDER = "ada@example.com"


def reserve(world: World, job_id: str, project: float = 12, sender: float = 100) -> Reservation:
    accounts = (Account("project", PAIR.project, project), Account("sender", SENDER, sender))
    return world.budgets.reserve(job_id, world.clock(), *accounts)


def job(world: World, job_id: str, dollars: float) -> Job:
    return world.job(job_id, max_dollars=dollars)


def test_jobs_may_cost_what_is_left_until_the_day_is_used_up(world: World) -> None:
    given = [reserve(world, f"mail-{number}", project=7).dollars for number in range(9)]

    assert given == [5, 5, 5, 4, 3, 2, 1, 0, 0]


def test_the_senders_day_ends_as_the_projects_does(world: World) -> None:
    given = [reserve(world, f"mail-{number}", project=100, sender=2).dollars for number in range(3)]

    assert given == [2, 1, 0]


def test_what_is_refused_for_one_account_is_not_counted_for_the_other(world: World) -> None:
    for number in range(9):
        reserve(world, f"mail-{number}", project=100, sender=1)

    assert reserve(world, "another", project=6, sender=100).dollars == 5


def test_a_job_that_is_parsed_again_counts_once(world: World) -> None:
    given = [reserve(world, "mail-1", project=2).dollars for _ in range(5)]

    assert given == [2] * 5
    assert reserve(world, "mail-2", project=2).dollars == 1


def test_what_was_used_counts_in_place_of_what_was_reserved(world: World) -> None:
    reserve(world, "mail-1", project=10)
    world.budgets.settle(job(world, "mail-1", 5), 4.5)
    reserve(world, "mail-2", project=10)
    world.budgets.settle(job(world, "mail-2", 5), 3.5)

    assert reserve(world, "mail-3", project=10).dollars == 2


def test_a_job_whose_end_nobody_reports_counts_what_was_reserved(world: World) -> None:
    reserve(world, "lost", project=3)

    assert reserve(world, "mail-1", project=3).dollars == 2


@pytest.mark.parametrize("said", [-1000.0, -0.01, 0.0])
def test_a_report_cannot_make_the_day_larger_than_it_is(world: World, said: float) -> None:
    reserve(world, "mail-1", project=2)
    world.budgets.settle(job(world, "mail-1", 5), said)

    assert [reserve(world, f"next-{number}", project=2).dollars for number in range(3)] == [2, 1, 0]


def test_a_report_beyond_reason_costs_a_few_times_the_jobs_budget(world: World) -> None:
    reserve(world, "mail-1", project=24)
    world.budgets.settle(job(world, "mail-1", 5), 1e12)

    assert reserve(world, "mail-2", project=24).dollars == 4


def test_the_next_day_begins_anew(world: World) -> None:
    for number in range(9):
        reserve(world, f"mail-{number}", project=3)
    world.clock.advance(timedelta(days=1).total_seconds())

    assert reserve(world, "tomorrow").dollars == 5


def test_the_operator_hears_of_it_before_the_customer_does(world: World) -> None:
    heard = [reserve(world, f"mail-{number}", project=5) for number in range(6)]

    assert [one.nearly_spent for one in heard] == [False, False, False, True, True, True]
    assert [one.is_enough for one in heard] == [True, True, True, True, True, False]
