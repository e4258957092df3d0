"""docs/performance.md is made of the stored figures."""

from __future__ import annotations

from pathlib import Path

from tests.bench.figures import PAGE, SIMULATION, page, read, store

SIMULATED = """\
## Waiting

| 10 | shipped settings, fleet without a maximum | 1 / 2 / 3 | 4 / 5 / 6 | x |
| 10 | other | 7 | 8 | x |
"""


def test_page_fits_the_stored_figures() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(read(), SIMULATION.read_text(encoding="utf-8")), (
        "docs/performance.md does not fit the stored figures. Run make load ARGS=--write."
    )


def test_stored_rows_appear_with_machine_and_date(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    store("cold_start", [("intake", 1.0821, "a | b")], True, file)
    text = page(read(file), SIMULATED)

    assert "| intake | 1.082 | a / b |" in text
    assert "cores, " in text.partition("## Cold start")[2]
    assert ", busy." in text


def test_new_figures_replace_those_of_their_benchmark_only(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    for ratio in (1.0, 2.0):
        store("mail", [("parse", ratio, "")], False, file)
    store("agent", [("first", 3.0, "")], False, file)

    assert {name: found["rows"] for name, found in read(file).items()} == {
        "agent": [["first", 3.0, ""]],
        "mail": [["parse", 2.0, ""]],
    }


def test_shipped_rows_of_the_simulation_are_quoted() -> None:
    assert "| 10 | 1 / 2 / 3 | 4 / 5 / 6 |" in page({}, SIMULATED)
