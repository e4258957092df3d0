"""Worker processes that compete for pairs over HTTP. Prints the won claims as JSON.

    python -m tests.race.racers one-pair --endpoint URL --workers 50 --rounds 100
    python -m tests.race.racers many-pairs --endpoint URL --workers 20 --pairs 200

A separate program because it forks: the parent imports boto3 once, its children only open connections. Time is virtual
and shared, so that leases end without waiting.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from multiprocessing.context import ForkContext
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Barrier
from random import Random
from typing import Any

from local.emulator.process import client
from webordinary.contract.messages.base import Pair
from webordinary.contract.names import Names
from webordinary.contract.settings import Timing
from webordinary.tables.items import milliseconds
from webordinary.tables.ownership import OwnershipTable, PairOwnedError

START = datetime(2030, 1, 1, tzinfo=UTC)
TIMING = Timing.model_validate({"lease_seconds": 60, "clock_margin_seconds": 5})
TAKEOVER_MILLISECONDS = (60 + 5) * 1000 + 1
VIRTUAL_MILLISECONDS = 200_000  # about three leases end in the race over many pairs
FORK: ForkContext = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Won:
    """One won claim. `lease_end` is in milliseconds of the winner's clock."""

    round: int
    pair: str
    worker: str
    fence: int
    lease_end: int
    released: bool


class Clock:
    """Virtual time, shared by all processes."""

    def __init__(self) -> None:
        self._milliseconds = FORK.Value("q", 0)

    def __call__(self) -> datetime:
        return START + timedelta(milliseconds=self._milliseconds.value)

    def advance(self, milliseconds: int) -> None:
        with self._milliseconds.get_lock():
            self._milliseconds.value += milliseconds


def race_for_one_pair(table: OwnershipTable, clock: Clock, workers: int, rounds: int) -> list[Won]:
    """All workers claim at once in each round. In every second round the winner releases; otherwise its lease ends."""
    barrier = FORK.Barrier(workers)
    pair = Pair(project="raced-for", user="ada")

    def run(number: int, results: SimpleQueue[list[Won]]) -> None:
        won = []
        for turn in range(rounds):
            barrier.wait()
            mine = _try(table, pair, f"worker-{number}", turn, release=False)
            barrier.wait()
            if mine and turn % 2:
                table.release_lease(table.inspect(pair))
            elif mine:
                clock.advance(TAKEOVER_MILLISECONDS)
            won += [mine] if mine else []
        results.put(won)

    return fork(run, workers, barrier)


def race_for_many_pairs(table: OwnershipTable, clock: Clock, workers: int, pairs: int) -> list[Won]:
    """Every worker claims every pair, in random order. Half of the won pairs are released, the rest abandoned."""
    everything = [Pair(project=f"site-{number}", user="ada") for number in range(pairs)]
    tick = VIRTUAL_MILLISECONDS // (workers * pairs)

    def run(number: int, results: SimpleQueue[list[Won]]) -> None:
        random = Random(number)  # noqa: S311
        order = random.sample(everything, pairs)
        won = []
        for turn, pair in enumerate(order):
            clock.advance(tick)
            mine = _try(table, pair, f"worker-{number}", turn, release=random.random() < 0.5)
            won += [mine] if mine else []
        results.put(won)

    return fork(run, workers)


def _try(table: OwnershipTable, pair: Pair, worker: str, turn: int, *, release: bool) -> Won | None:
    try:
        held = table.claim(pair, worker)
    except PairOwnedError:
        return None
    if release:
        table.release_lease(held)
    lease_end = milliseconds(held.lease_expires_at) if held.lease_expires_at else 0
    return Won(turn, pair.key, worker, held.fence, lease_end, release)


def fork(run: Callable[[int, SimpleQueue[list[Any]]], None], workers: int, barrier: Barrier | None = None) -> list[Any]:
    """What all processes left. If one fails, the others stop at the barrier and the program ends with status 1."""
    results: SimpleQueue[list[Any] | None] = FORK.SimpleQueue()

    def reported(number: int) -> None:
        try:
            run(number, results)  # type: ignore[arg-type]
        except Exception:
            traceback.print_exc()
            if barrier is not None:
                barrier.abort()
            results.put(None)

    processes = [FORK.Process(target=reported, args=(number,), daemon=True) for number in range(workers)]
    for process in processes:
        process.start()
    left = [results.get() for _ in processes]
    for process in processes:
        process.join()
    if None in left:
        sys.exit("A process of the race failed; see above.")
    return [entry for entries in left if entries is not None for entry in entries]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("race", choices=["one-pair", "many-pairs"])
    parser.add_argument("--endpoint", required=True)
    parser.add_argument("--prefix", required=True)
    parser.add_argument("--workers", type=int, required=True)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=200)
    arguments = parser.parse_args()
    clock = Clock()
    # Created before the fork and first used after it, so each process opens its own connections.
    dynamodb: Any = client(arguments.endpoint, "dynamodb")
    table = OwnershipTable(dynamodb, Names(arguments.prefix, "123456789012"), TIMING, clock)
    if arguments.race == "one-pair":
        won = race_for_one_pair(table, clock, arguments.workers, arguments.rounds)
    else:
        won = race_for_many_pairs(table, clock, arguments.workers, arguments.pairs)
    json.dump([asdict(claim) for claim in won], sys.stdout)


if __name__ == "__main__":
    main()
