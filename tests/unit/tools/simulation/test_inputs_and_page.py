"""The simulator's inputs have sources and are the shipped ones; a stale page is noticed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tools import cost_model
from tools.package import ROOT
from tools.simulation import dollars
from tools.simulation.__main__ import main, stale
from tools.simulation.page import PAGE, page, pictures
from tools.simulation.quotas import quotas
from tools.simulation.settings import Comparison, variables_of
from tools.simulation.study import run_one
from tools.simulation.workload import PLAIN, Workload, WorkloadError
from webordinary.contract.settings import Timing


def test_workload_without_a_source_is_rejected(tmp_path: Path) -> None:
    file = tmp_path / "workload.toml"
    text = PLAIN.read_text(encoding="utf-8")
    file.write_text(text.replace('value = 0.15, source = "assumed"', "value = 0.15"), encoding="utf-8")

    with pytest.raises(WorkloadError, match=r"conversation\.question needs a value and a source"):
        Workload.load(file)


def test_unknown_number_in_a_workload_is_named(tmp_path: Path) -> None:
    file = tmp_path / "workload.toml"
    file.write_text('[arrivals]\nday = { value = [1.0], source = "measured" }\n', encoding="utf-8")

    with pytest.raises(WorkloadError, match=r"unknown numbers: arrivals\.day"):
        Workload.load(file)


def test_scenarios_have_the_shipped_settings_unless_they_say_otherwise() -> None:
    comparison = Comparison.load()
    shipped = variables_of(comparison.environment)

    assert comparison.scenarios[0].timing == Timing.model_validate({})
    assert comparison.deployed.size.maximum == shipped["max_workers"]
    assert comparison.deployed.size.policy.value == shipped["spare_policy"]
    assert {scenario.size.on_demand for scenario in comparison.scenarios} == {shipped["on_demand_workers"]}


def test_variables_of_dev_are_defaults_unless_set() -> None:
    dev = variables_of("dev")

    assert (dev["spare_workers"], dev["max_workers"], dev["spare_policy"]) == (0, 3, "fixed")


def test_every_quota_has_a_source_and_is_measured() -> None:
    comparison, workload = Comparison.load(), Workload.load()
    run = run_one(comparison.scenarios[0], 10, 1, 7, workload)

    assert all(quota.source for quota in quotas())
    assert {quota.key for quota in quotas()} == set(run.usage)


def test_written_page_is_current_and_a_changed_input_or_row_is_not() -> None:
    comparison, workload = Comparison.load(), Workload.load()
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    changed = Workload({**workload.numbers, "conversation.question": 0.5})

    assert stale(comparison, workload, text) is None
    assert stale(comparison, changed, text) == "its inputs"
    assert stale(replace(comparison, seeds=(1,)), workload, text) == "its inputs"
    first_row = next(line for line in text.splitlines() if line.startswith("| 10 |"))
    assert stale(comparison, workload, text.replace(first_row, "| 10 | other |")) == "the simulation's code"


def test_page_is_stale_after_a_change_of_what_calls_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dollars, "BROKER_CALLS", 100 * cost_model.BROKER_CALLS)

    assert stale(Comparison.load(), Workload.load(), (ROOT / PAGE).read_text("utf-8")) == "the simulation's code"


def test_page_and_pictures_are_complete_for_a_small_comparison() -> None:
    full = Comparison.load()
    comparison = replace(full, pairs=(10, 100), seeds=(1,), deployed_pairs=(10,))
    workload = Workload.load()
    results = [
        run_one(scenario, pairs, 1, 7, workload) for scenario in comparison.scenarios for pairs in comparison.pairs
    ]
    results.append(run_one(comparison.deployed, 10, 1, 1, workload))

    text, drawn = page(comparison, results, "digest"), pictures(comparison, results)

    assert all(f"(pictures/{name})" in text for name in drawn)
    assert all(scenario.title in text for scenario in comparison.scenarios)
    for picture in drawn.values():
        assert ElementTree.fromstring(picture).tag.endswith("svg")  # noqa: S314 (our own text)
        assert "nan" not in picture


def test_missing_workload_file_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--workload", "no-such-file.toml"]) == 1
    assert "no-such-file.toml" in capsys.readouterr().err
