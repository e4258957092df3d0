"""Charts: bars, and the line of a limit."""

import pytest

from webordinary_ops.console.filters import bars, limit_line
from webordinary_ops.console.words import step_of


def test_limit_that_is_in_reach_is_the_top_of_the_chart() -> None:
    (half,) = bars([5.0], limit=10)

    assert limit_line([5.0], 10) == 2
    assert half["height"] == 21


@pytest.mark.parametrize("limit", [0, 100])
def test_limit_out_of_reach_is_not_drawn(limit: float) -> None:
    (full,) = bars([5.0], limit=limit)

    assert limit_line([5.0], limit) is None
    assert full["height"] == 42


def test_exceeded_limit_lies_below_the_bar() -> None:
    line = limit_line([20.0], 10)

    assert line == 23


def test_step_of_a_job_is_the_last_one_that_was_reached() -> None:
    assert step_of(["mail_parsed", "pair_claimed", "worker_started"]) == "pair_claimed"
    assert step_of([]) == ""
