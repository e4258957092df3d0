"""Concurrent calls of AWS, bounded: most of a call's time is waiting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

# Runs tasks and returns their results in order. Tests and the model run them one after the other.
RunAll = Callable[[Sequence[Callable[[], Any]]], list[Any]]


def one_by_one(tasks: Sequence[Callable[[], Any]]) -> list[Any]:
    return [task() for task in tasks]


def in_threads(threads: int) -> RunAll:
    return partial(_run_in_threads, threads)


def _run_in_threads(threads: int, tasks: Sequence[Callable[[], Any]]) -> list[Any]:
    if len(tasks) < 2:
        return one_by_one(tasks)
    with ThreadPoolExecutor(min(threads, len(tasks)), thread_name_prefix="aws-calls") as executor:
        return list(executor.map(lambda task: task(), tasks))
