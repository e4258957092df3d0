"""`make attack`: runs every attack of the table and reports which are blocked.

    python -m tests.attack [--fast] [--json] [ID …]

As root, it runs as the worker of the image: with its user and capabilities, in a process namespace, because the worker
kills all processes of its confined users. Otherwise, attacks that need those users are skipped.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path

from tests.attack import arena as arenas
from tests.attack.cases import ATTACKS, AttackSucceededError, Case, load
from tests.support import images_worker
from webordinary.aws.telemetry import logger

MODULES = Path(__file__).parent.glob("attack_*.py")
BLOCKED, SUCCEEDED, SKIPPED = "blocked", "SUCCEEDED", "skipped"
INSIDE = "--inside"


def try_case(case: Case, arena: arenas.Arena) -> tuple[str, str]:
    if "users" in case.needs and not arena.has_users:
        return SKIPPED, "needs root, to run as other users"
    try:
        with redirect_stdout(sys.stderr):  # metrics of the attacked code are not part of the result
            case.run(arena)
    except AttackSucceededError as error:
        return SUCCEEDED, str(error)
    except Exception as error:
        return SUCCEEDED, f"the attack could not run: {type(error).__name__}: {error}"
    return BLOCKED, ""


def show(case: Case, verdict: str, why: str, seconds: float, *, as_json: bool) -> None:
    if as_json:
        line = json.dumps({"id": case.id, "verdict": verdict, "why": why})
    else:
        threat = f"{case.threat}, " if case.threat else ""
        line = f"{verdict:11}  {case.id:34} {case.attacker}: {case.what} ({threat}{seconds:.1f} s)"
        line += f": {why}" if why else ""
    print(line, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make attack", description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--fast", action="store_true", help="skip slow attacks")
    parser.add_argument("--json", action="store_true", help="one JSON object per case")
    parser.add_argument(INSIDE, action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("ids", nargs="*", metavar="ID")
    options = parser.parse_args()
    if images_worker.can_run_as_worker():
        command = images_worker.command("-m", "tests.attack", INSIDE, *sys.argv[1:])
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        os.execvp(command[0], command)
    if options.inside:
        images_worker.reap()
    logger().setLevel("CRITICAL")  # keep log lines out of the output
    for module in MODULES:
        importlib.import_module(f"tests.attack.{module.stem}")
    return run(options)


def run(options: argparse.Namespace) -> int:
    cases = [case for case in load() if not options.ids or case.id in options.ids]
    if unknown := {case.how for case in cases} - set(ATTACKS):
        sys.exit(f"No function for: {sorted(unknown)}")
    counts = dict.fromkeys((BLOCKED, SUCCEEDED, SKIPPED), 0)
    with arenas.opened() as arena:
        for case in cases:
            if case.slow and options.fast:
                continue
            started = time.monotonic()
            verdict, why = try_case(case, arena)
            counts[verdict] += 1
            show(case, verdict, why, time.monotonic() - started, as_json=options.json)
    if not options.json:
        print("\n" + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return 1 if counts[SUCCEEDED] else 0


if __name__ == "__main__":
    sys.exit(main())
