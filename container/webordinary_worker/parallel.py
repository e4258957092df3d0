"""Runs many small tasks in parallel, such as requests that mostly wait."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

MAX_PARALLEL = 32


def run_all(tasks: Sequence[Callable[[], None]], *, max_parallel: int = MAX_PARALLEL) -> None:
    """Runs all tasks. After a failure no more are started, and the error is raised once all running ones have ended."""
    with ThreadPoolExecutor(max(1, min(max_parallel, len(tasks))), thread_name_prefix="parallel") as executor:
        running: set[Future[None]] = set()
        for task in tasks:
            if len(running) >= max_parallel:
                running = _wait_for_one(running)
            running.add(executor.submit(task))
        while running:
            running = _wait_for_one(running)


def _wait_for_one(running: set[Future[None]]) -> set[Future[None]]:
    finished, others = wait(running, return_when=FIRST_COMPLETED)
    for future in finished:
        future.result()
    return others
