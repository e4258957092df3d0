"""`make load`: counts calls, what remains at rest, memory, and waits on the local stack. About six minutes on 2 cores.

Exits with 1 if a count exceeds `budget.toml` or another limit. `--write` writes the counts to the budget instead.
Counts and ratios only: no verdict depends on the speed of the machine.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping

from local.errors import LocalError
from tests.bench import figures
from tests.load import budget, memory, parts, waiting
from tests.load.running_system import RunningSystem

STARTED = time.monotonic()


def say(text: str) -> None:
    sys.stdout.write(f"{time.monotonic() - STARTED:6.0f} s  {text}\n")
    sys.stdout.flush()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--write", action="store_true", help="write the counts to the budget")
    options = parser.parse_args(arguments)
    busy = figures.is_busy()
    say("starting the local stack")
    try:
        with RunningSystem.start(lambda _part, _text: None) as system:
            return _run(system, write=options.write, busy=busy)
    except LocalError as error:
        say(str(error))
        return 1


def _run(system: RunningSystem, *, write: bool, busy: bool) -> int:
    say("calls of a mail, of minutes without mail, and of waiting jobs")
    sections = parts.counted(system, say)
    for section, counts in sections.items():
        say(f"{section:16} {_shown(section, counts)}")
    say(f"memory over {memory.MAILS} mails")
    samples = memory.measured(system, say)
    for name, values in sorted(samples.items()):
        say(f"{name:16} {values[-1]:6.1f} MB, {100 * memory.growth(values):+.1f} % in the last third of the mails")
    say(f"waiting with {waiting.WORKERS} workers")
    burst = waiting.measured(system, say)
    say(f"a wait is {burst.ratio_to_alone:.2f} times that of a mail alone (median of {len(burst.served)})")
    say(f"all are answered in {burst.longest_over_alone:.2f} times the time of one mail alone")
    say(f"at most {burst.overtakings} were served before one that was dispatched earlier")
    say(f"the simulator predicts {burst.prediction:.2f} times the observed waits")
    if write:
        budget.write(sections)
        figures.store(figures.LOAD, _rows(sections, samples, burst), busy)
        figures.write_page()
        say(f"wrote {budget.FILE} and {figures.PAGE}")
    return _verdict(sections, samples, burst, say)


def _rows(sections: budget.Sections, samples: memory.Samples, burst: waiting.Burst) -> list[figures.Row]:
    calls = [
        (f"calls: {budget.SECTIONS[section]}", sum(counts.values()), _shown(section, counts))
        for section, counts in sections.items()
        if not section.startswith("left")
    ]
    left = _shown("left", sections["left_by_a_mail"])
    grown = [
        (
            f"memory of {name}, last third of {memory.MAILS} mails over the second",
            1 + memory.growth(values),
            f"{values[-1]:.0f} MB",
        )
        for name, values in sorted(samples.items())
    ]
    together = f"{len(burst.served)} people at once, {waiting.WORKERS} workers"
    return [
        *calls,
        (budget.SECTIONS["left_by_a_mail"], sum(sections["left_by_a_mail"].values()), left),
        *grown,
        ("median wait over that of a mail alone", burst.ratio_to_alone, together),
        ("last reply over that of a mail alone", burst.longest_over_alone, together),
        ("most pairs served before one that was dispatched earlier", float(burst.overtakings), together),
        ("simulated over observed waits", burst.prediction, together),
    ]


def _verdict(
    sections: budget.Sections, samples: memory.Samples, burst: waiting.Burst, say: Callable[[str], None]
) -> int:
    allowed = budget.load()
    problems = budget.exceeded(allowed, sections)
    problems += [
        f"memory of {name} grows by {100 * memory.growth(values):.0f} % in the last third of the mails"
        for name, values in samples.items()
        if memory.growth(values) > memory.MOST_GROWTH
    ]
    if burst.overtakings > waiting.MOST_OVERTAKINGS:
        problems.append(f"{burst.overtakings} pairs were served before one that was dispatched earlier")
    if burst.peak_workers != waiting.WORKERS:
        problems.append(f"{burst.peak_workers} workers ran at once, not {waiting.WORKERS}")
    low, high = waiting.PREDICTED
    if not low <= burst.prediction <= high:
        problems.append(f"the simulator predicts {burst.prediction:.2f} times the observed waits")
    for line in budget.saved(allowed, sections):
        say(f"less than the budget: {line}. To write it: make load ARGS=--write")
    for problem in problems:
        say(f"FAILED  {problem}")
    if not problems:
        say("everything is within its limits")
    return 1 if problems else 0


def _shown(section: str, counts: Mapping[str, float]) -> str:
    shown = counts if section.startswith("left") else budget.by_service(counts)
    return ", ".join(f"{count:g} {name}" for name, count in shown.items() if count) or "nothing"


if __name__ == "__main__":
    sys.exit(main())
