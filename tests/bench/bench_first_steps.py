"""From a stored mail to the call of the fleet, against the invocations in between (goal: at most 1.5 times their sum).

The rest is the queue, the state machine's steps and the starts of the invocations, on the local stack with warm
functions. Each mail is the first of its pair, so that it needs a worker. The durations are those of the functions' own
REPORT lines.
"""

from __future__ import annotations

import re
import statistics
from itertools import islice

from local.runtime.events import milestone
from tests.load.running_system import PAIRS, RunningSystem

ROUNDS = 5
GOAL = 1.5
ON_THE_WAY = ("intake", "parse_email", "check_ownership", "claim")
REPORT = re.compile(r"REPORT .*?Duration: ([\d.]+) ms")
QUESTION = "Which headline does the home page have?"


def run() -> list[tuple[str, float, str]]:
    with RunningSystem.start(lambda _part, _text: None) as system:
        rounds = [_round(system, number) for number in range(ROUNDS + 1)][1:]
    ratios = sorted(total / invoked for total, invoked in rounds)
    total, invoked = (statistics.median(one) for one in zip(*rounds, strict=True))
    measured = f"{1000 * total:.0f} ms, the invocations {1000 * invoked:.0f} ms ({ratios[0]:.2f} to {ratios[-1]:.2f})"
    return [(f"stored mail to fleet, over its invocations (goal {GOAL})", statistics.median(ratios), measured)]


def _round(system: RunningSystem, number: int) -> tuple[float, float]:
    """Seconds until the fleet was called, and in the invocations before it."""
    pair = next(islice(PAIRS, number % len(PAIRS), None))
    mail, _ = system.answered(pair, f"{QUESTION} ({number})")
    events = system.stack.events
    asked = events.all(milestone("worker_requested", job_id=mail.job_id))[0]
    stored = mail.milestones("mail_accepted")[0]
    system.stop_workers()
    return asked.at - stored.at, sum(_last_duration(system, function) for function in ON_THE_WAY)


def _last_duration(system: RunningSystem, function: str) -> float:
    """Seconds of the newest invocation."""
    group = f"/aws/lambda/{system.stack.names.function(function)}"
    pages = system.stack.emulated.client("logs").get_paginator("filter_log_events").paginate(logGroupName=group)
    found = [one for page in pages for one in page["events"] if REPORT.search(one["message"])]
    newest = REPORT.search(max(found, key=lambda one: one["timestamp"])["message"])
    if newest is None:
        raise RuntimeError(f"{group} has no REPORT line.")
    return float(newest[1]) / 1000
