"""The cost estimate follows the deployed settings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tools import cost
from tools.cost import PAIRS, SIMULATION, page, simulated
from tools.cost_model import (
    CONTRACT,
    PER_MAIL,
    SECONDS,
    START_MINUTES,
    WORK_MINUTES,
    CostSettings,
    load_cost_model,
)


def test_settings_hold_the_memory_of_every_function() -> None:
    assert set(SECONDS) <= set(CostSettings.load().memory)
    assert set(PER_MAIL) <= set(SECONDS)


def test_more_memory_and_shorter_polls_cost_more() -> None:
    model = load_cost_model()
    doubled = replace(
        model,
        settings=replace(
            model.settings,
            memory={name: 2 * memory for name, memory in model.settings.memory.items()},
            timing={**model.settings.timing, "long_poll_seconds": model.settings.timing["long_poll_seconds"] / 2},
        ),
    )

    before, after = model.mail(mails=1), doubled.mail(mails=1)
    increased = {name for name in before if after[name] > before[name]}
    broker = {"broker polls of idle workers", "other broker calls"}
    assert increased == {"functions", "empty polls", *broker}
    assert doubled.picture() > model.picture()


def test_three_mails_in_one_thread_cost_less_than_three_threads() -> None:
    model = load_cost_model()

    assert sum(model.mail(mails=3).values()) < 3 * sum(model.mail(mails=1).values())
    assert model.worker(mails=1, spot=True, idle_minutes=10) < model.worker(mails=1, spot=False, idle_minutes=10)


def test_idle_cost_of_ten_thousand_pairs_is_less_than_double() -> None:
    model = load_cost_model()

    assert sum(model.idle_month(PAIRS[-1]).values()) < 2 * sum(model.idle_month(1).values())


def test_idle_cost_is_the_same_for_any_number_of_pairs_but_for_cleanups() -> None:
    one, many = (load_cost_model().idle_month(pairs) for pairs in (1, 100_000))

    assert {name for name in one if many[name] != one[name]} == {"cleanup of unused pair queues"}


def test_polls_of_a_spare_worker_count() -> None:
    worker, polls = load_cost_model().spare_month(spot=False)

    assert polls > 0.1 * worker


def test_page_lists_every_item() -> None:
    model = load_cost_model()

    text = page(model, "")

    assert [name for name in {**model.mail(mails=1), **model.idle_month(1)} if name not in text] == []


def test_costs_of_10000_pairs_are_within_their_goals() -> None:
    """The simulation's page, with which `make check` compares the code, and the cost page that quotes it."""
    row = next(row for row in simulated(SIMULATION.read_text("utf-8")) if row[0] == "10,000")
    on_demand, configured = float(row[1]), float(row[2])

    assert on_demand <= 7
    assert configured <= 4.5
    assert f"| {' | '.join(row)} |" in cost.PAGE.read_text("utf-8")


def test_summary_of_the_contract_follows_prices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contract, page_file = tmp_path / "contract.json", tmp_path / "cost.md"
    contract.write_text(CONTRACT.read_text("utf-8").replace('"dollars_per_mail": 0', '"dollars_per_mail": 9'))
    monkeypatch.setattr(cost, "PAGE", page_file)
    page_file.write_text(page(load_cost_model(), SIMULATION.read_text("utf-8")), encoding="utf-8")
    assert cost.main(["check"]) == 0

    monkeypatch.setattr(cost, "CONTRACT", contract)
    assert cost.main(["check"]) == 1
    assert cost.main(["write"]) == 0
    assert contract.read_text("utf-8") == CONTRACT.read_text("utf-8")


def test_mail_and_worker_minute_add_up_to_the_estimate() -> None:
    model = load_cost_model()
    mail, minute = model.share_of_mail(), model.share_of_worker_minute()
    idle = model.settings.timing["idle_seconds"] / 60
    minutes = START_MINUTES + WORK_MINUTES + idle

    worker = model.worker(mails=1, spot=False, idle_minutes=idle)
    estimate = sum(model.mail(mails=1).values()) + model.picture() + worker
    assert mail + minutes * minute == pytest.approx(estimate, rel=0.05)
