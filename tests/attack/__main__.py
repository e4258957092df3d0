"""`make attack`: tries every attack of the table and says which are held.

    python -m tests.attack [--fast] [--json] [ID …]

As root it goes on as the image's worker does: with the user and the capabilities of the image, in a process namespace
of its own, because the worker ends whatever its confined users run. Elsewhere what needs those users is skipped.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import time
from pathlib import Path

from tests.attack import arena as arenas
from tests.attack.cases import ATTACKS, Case, GotThroughError, load
from tests.support import images_worker
from webordinary.aws.telemetry import logger

ROOMS = Path(__file__).parent.glob("attack_*.py")
HELD, GOT_THROUGH, SKIPPED = "held", "GOT THROUGH", "skipped"
INSIDE = "--inside"


def try_case(case: Case, arena: arenas.Arena) -> tuple[str, str]:
    if "users" in case.needs and not arena.has_users:
        return SKIPPED, "only root can make users of their own"
    try:
        case.run(arena)
    except GotThroughError as error:
        return GOT_THROUGH, str(error)
    except Exception as error:
        return GOT_THROUGH, f"it could not be tried: {type(error).__name__}: {error}"
    return HELD, ""


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
    parser.add_argument("--fast", action="store_true", help="without the slow ones")
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
    logger().setLevel("CRITICAL")  # what the functions log would stand among the verdicts
    for room in ROOMS:
        importlib.import_module(f"tests.attack.{room.stem}")
    return run(options)


def run(options: argparse.Namespace) -> int:
    cases = [case for case in load() if not options.ids or case.id in options.ids]
    if unknown := {case.how for case in cases} - set(ATTACKS):
        sys.exit(f"no function for {sorted(unknown)}")
    counts = dict.fromkeys((HELD, GOT_THROUGH, SKIPPED), 0)
    with arenas.opened() as arena:
        for case in cases:
            if case.slow and options.fast:
                continue
            begun = time.monotonic()
            verdict, why = try_case(case, arena)
            counts[verdict] += 1
            show(case, verdict, why, time.monotonic() - begun, as_json=options.json)
    if not options.json:
        print("\n" + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return 1 if counts[GOT_THROUGH] else 0


if __name__ == "__main__":
    sys.exit(main())
