"""The budget of calls and of what remains at rest: `budget.toml`, which `make load ARGS=--write` writes."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

FILE = Path(__file__).with_name("budget.toml")
HEAD = """\
# Calls of AWS and what remains at rest. Written by `make load ARGS=--write`; do not edit.
# Calls that time causes (polls, renewals, beats) are left out; their number follows from the contract's intervals.
"""
SECTIONS = {
    "first_mail": "an edit by a person without a worker: functions and worker, without broker and fleet",
    "next_mail": "an edit that continues the conversation, while the worker stays",
    "question": "a question that the agent answers",
    "claim": "the broker's largest invocation",
    "report": "the relay's largest invocation",
    "sweep": "one run of the sweep (every minute) while nothing is open, without what is due once an hour",
    "fleet": "one run of the fleet (every minute) while nothing is open",
    "idle_worker_minute": "a minute of a worker that waits for its pair, with the contract's intervals",
    "open_job": "what each further waiting job of a paused project adds to one run of the sweep",
    "left_by_a_mail": "rows, objects, messages, files and processes that one further edit leaves",
}
Sections = Mapping[str, Mapping[str, float]]


def load(file: Path = FILE) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = tomllib.loads(file.read_text(encoding="utf-8"))
    return found


def write(measured: Sections, file: Path = FILE) -> None:
    lines = [HEAD]
    for section, meaning in SECTIONS.items():
        lines += [f"# {meaning[0].upper()}{meaning[1:]}.", f"[{section}]"]
        lines += [
            f"{json.dumps(name)} = {_number(count)}" for name, count in sorted(measured[section].items()) if count
        ]
        lines.append("")
    file.write_text("\n".join(lines), encoding="utf-8")


def exceeded(budget: Sections, measured: Sections) -> list[str]:
    """What is more than the budget allows, one line each. Sections that were not measured are skipped."""
    return [
        f"{section}: {name}: {_number(count)}, the budget is {_number(budget.get(section, {}).get(name, 0))}"
        for section, counts in measured.items()
        for name, count in sorted(counts.items())
        if count > budget.get(section, {}).get(name, 0)
    ]


def saved(budget: Sections, measured: Sections) -> list[str]:
    """What is less than the budget, so that the budget can be written again."""
    return [
        f"{section}: {name}: {_number(measured[section].get(name, 0))}, the budget is {_number(count)}"
        for section, counts in budget.items()
        if section in measured
        for name, count in sorted(counts.items())
        if count > measured[section].get(name, 0)
    ]


def by_service(calls: Mapping[str, float]) -> dict[str, float]:
    """Sums by service, which is the first word after the caller."""
    services: Counter[str] = Counter()
    for name, count in calls.items():
        services[name.rpartition(": ")[2].partition(" ")[0]] += int(count)
    return dict(sorted(services.items()))


def _number(count: float) -> str:
    return f"{count:g}"
