"""Runs the long chaos test and prints a report: `python -m tests.chaos [--seed N] [--kills N] [--mails N]`.

Exits with 1 if an invariant is violated.
"""

from __future__ import annotations

import argparse
import secrets
import sys

from local.errors import LocalError
from local.settings import StackSettings
from local.stack.stack import Stack
from tests.chaos.plan import Size, make_plan
from tests.chaos.report import entry_line, lines
from tests.chaos.run import run

SECONDS_PER_MAIL, SECONDS_PER_KILL, EXTRA_SECONDS = 30, 40, 300
WORKERS = 3


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=(__doc__ or "").split(":")[0])
    parser.add_argument("--seed", type=int, help="repeat the plan of an earlier run")
    parser.add_argument("--kills", type=int, default=24)
    parser.add_argument("--mails", type=int, default=32)
    options = parser.parse_args(arguments)
    seed = secrets.randbelow(1_000_000) if options.seed is None else options.seed
    size = Size(options.mails, options.kills, short_stalls=2, long_stalls=1, sleeps=2, duplicates=5, preemptions=4)
    timeout = SECONDS_PER_MAIL * size.mails + SECONDS_PER_KILL * size.kills + EXTRA_SECONDS
    say(f"Seed {seed}. Starting the stack …")
    settings = StackSettings.for_tests(max_workers=WORKERS)
    try:
        with Stack(settings) as stack:
            say(f"Logs are in {stack.logs.folder}")
            plan = make_plan(seed, size)
            result = run(stack, plan, timeout=timeout, on_entry=lambda entry: say(entry_line(entry)))
    except LocalError as error:
        say(str(error))
        return 1
    say("\n".join(lines(result)))
    return 1 if result.violations else 0


if __name__ == "__main__":
    sys.exit(main())
