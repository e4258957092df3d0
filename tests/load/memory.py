"""Memory of the warm functions and of one worker over many mails.

The unique set of each process is read after every mail. The slope is the change of the medians of two later thirds:
the first third warms up.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from contextlib import suppress

import psutil

from local.runtime.children import descendants
from tests.load.running_system import PAIRS, RunningSystem

MAILS = 30
MAILS_OF_A_THREAD = 10  # more are limited
MOST_GROWTH = 0.03  # of the medians of the second and the last third; a leak of 0.2 MB per mail is more
PAIR = next(iter(PAIRS))
QUESTION = "Which headline does the home page have? ({number})"
Samples = dict[str, list[float]]


def measured(system: RunningSystem, progress: Callable[[str], None]) -> Samples:
    """Megabytes after each of the mails, by function and for the worker."""
    samples: Samples = {}
    reply: str | None = None
    for number in range(1, MAILS + 1):
        _, reply = system.answered(PAIR, QUESTION.format(number=number), after=reply)
        if number % MAILS_OF_A_THREAD == 0:
            reply = None
        for name, megabytes in _megabytes().items():
            samples.setdefault(name, []).append(megabytes)
        if number % MAILS_OF_A_THREAD == 0:
            progress(f"{number} of {MAILS} mails")
    return {name: values for name, values in samples.items() if len(values) >= MAILS - 1}


def growth(values: list[float]) -> float:
    """The share by which the last third is larger than the second one."""
    third = len(values) // 3
    before, after = statistics.median(values[third : 2 * third]), statistics.median(values[2 * third :])
    return after / before - 1


def _megabytes() -> dict[str, float]:
    """Of the largest process of each function, and of the worker without its children."""
    found: dict[str, float] = {}
    for process in descendants():
        with suppress(psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
            if name := _name_of(process):
                found[name] = max(found.get(name, 0.0), process.memory_full_info().uss / 1e6)
    return found


def _name_of(process: psutil.Process) -> str:
    command = process.cmdline()
    if "awslambdaric" in command:
        return process.environ().get("AWS_LAMBDA_FUNCTION_NAME", "").partition("-")[2].replace("-", "_")
    return "worker" if command[-2:] == ["-m", "webordinary_worker"] else ""
