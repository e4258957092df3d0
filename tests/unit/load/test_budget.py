"""Comparison of counts with the budget."""

from __future__ import annotations

from pathlib import Path

from tests.load import budget

SECTIONS = {section: {"intake: states StartExecution": 1.0} for section in budget.SECTIONS}


def test_written_budget_is_read_back(tmp_path: Path) -> None:
    file = tmp_path / "budget.toml"
    budget.write(SECTIONS, file)

    assert budget.load(file) == SECTIONS
    assert not budget.exceeded(budget.load(file), SECTIONS)


def test_one_more_call_exceeds_the_budget() -> None:
    more = {"first_mail": {"intake: states StartExecution": 2.0}}

    assert budget.exceeded(SECTIONS, more) == ["first_mail: intake: states StartExecution: 2, the budget is 1"]


def test_new_kind_of_call_exceeds_the_budget() -> None:
    new = {"first_mail": {"intake: states StartExecution": 1.0, "intake: sqs SendMessage email": 1.0}}

    assert budget.exceeded(SECTIONS, new) == ["first_mail: intake: sqs SendMessage email: 1, the budget is 0"]


def test_removed_call_is_reported_and_allowed() -> None:
    assert not budget.exceeded(SECTIONS, {"first_mail": {}})
    assert budget.saved(SECTIONS, {"first_mail": {}}) == [
        "first_mail: intake: states StartExecution: 0, the budget is 1"
    ]


def test_calls_are_summed_by_service() -> None:
    calls = {
        "intake: states StartExecution": 1,
        "claim: sqs SendMessage unclaimed": 2,
        "worker: sqs DeleteMessage x": 1,
    }

    assert budget.by_service(calls) == {"sqs": 3, "states": 1}
