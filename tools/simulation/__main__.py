"""`make simulate`: simulates fleets of 10 to 100,000 pairs and writes docs/simulation.md with its plots.

python -m tools.simulation [write]             all scenarios (about half a minute)
python -m tools.simulation check               whether the page fits the inputs and the code (used by make check)
python -m tools.simulation --workload FILE     another workload: prints the page's tables, writes nothing
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.cost_model import load_cost_model
from tools.errors import SetupError
from tools.package import ROOT
from tools.simulation.page import PAGE, PICTURES, dollars_row, page, pictures, waiting_row
from tools.simulation.quotas import quotas
from tools.simulation.settings import Comparison
from tools.simulation.study import days_for, run_all, run_one
from tools.simulation.workload import PLAIN, Workload

STALE = "docs/simulation.md does not match {what}. Run make simulate."


def digest_of(comparison: Comparison, workload: Workload) -> str:
    """Of everything that the results depend on, except code."""
    model = load_cost_model()
    inputs = (comparison, sorted(workload.numbers.items()), quotas(), model.settings, sorted(model.prices.items()))
    return hashlib.sha256(repr(inputs).encode()).hexdigest()[:16]


def stale(comparison: Comparison, workload: Workload, text: str) -> str | None:
    """What the page does not match, if anything. Repeats the smallest case to see changes of the code."""
    if f"<!-- inputs: {digest_of(comparison, workload)} -->" not in text:
        return "its inputs"
    pairs, scenario = comparison.pairs[0], comparison.scenarios[0]
    days = days_for(workload, comparison, pairs)
    runs = [run_one(scenario, pairs, seed, days, workload) for seed in comparison.seeds]
    rows = waiting_row(scenario, runs), dollars_row(scenario, runs)
    missing = [name for name in re.findall(r"\(pictures/([\w.-]+)\)", text) if not (ROOT / PICTURES / name).is_file()]
    if missing:
        return f"its pictures: {', '.join(missing)} are missing"
    return None if set(rows) <= set(text.splitlines()) else "the simulation's code"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make simulate", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("command", choices=["write", "check"], nargs="?", default="write")
    parser.add_argument("--workload", type=Path, help="a file from `webordinary workload`: prints, writes nothing")
    options = parser.parse_args(arguments)
    comparison = Comparison.load()
    try:
        workload = Workload.load(options.workload or PLAIN)
    except (SetupError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    if options.command == "check":
        problem = stale(comparison, workload, (ROOT / PAGE).read_text(encoding="utf-8"))
        if problem:
            print(STALE.format(what=problem), file=sys.stderr)
        return 1 if problem else 0
    results = run_all(comparison, workload)
    text = page(comparison, results, digest_of(comparison, workload))
    if options.workload:
        print(text)
        return 0
    (ROOT / PAGE).write_text(text, encoding="utf-8")
    for name, picture in pictures(comparison, results).items():
        (ROOT / PICTURES / name).write_text(picture, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
