"""Runs of the fleet function that compete for slots over HTTP. Prints what each round left, as JSON.

    python -m tests.race.fleet_racers --endpoint URL --prefix NAME --runs 6 --rounds 8

Each round ends some tasks and changes how many pairs wait; then all processes run the fleet at once. ECS is a folder
that all of them share: one file per launch id, so a repeated launch starts nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import uuid
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import timedelta
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from random import Random
from typing import Any, cast

from local.emulator.process import client
from tests.race.racers import FORK, START, fork
from webordinary.aws.ecs_tasks import Launch, TaskState
from webordinary.aws.parallel import in_threads
from webordinary.aws.queues import Queues
from webordinary.contract.names import Names
from webordinary.contract.settings import Timing
from webordinary.protocol.policies import FleetSize
from webordinary.protocol.worker_requests import WorkerRequests
from webordinary.steps.fleet import PARALLEL_LAUNCHES, Fleet
from webordinary.tables.items import milliseconds, to_values
from webordinary.tables.ownership import OwnershipTable
from webordinary.tables.workers import WorkersTable

MAXIMUM = 6
MOST_WAITING = 9


@dataclass(frozen=True)
class Round:
    """After one round: how many pairs wait, and the slots of the running tasks."""

    waiting: int
    slots: list[str]
    recorded: list[str]  # slots of the workers table


class SharedTasks:
    """ECS, as far as the fleet uses it."""

    definition = "workers:1"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def run(self, launch: Launch) -> str:
        (self._folder / launch.launch_id).write_text(launch.slot, encoding="utf-8")
        return launch.launch_id

    def stop(self, task_id: str, _reason: str) -> None:
        raise AssertionError(f"no task is surplus, but {task_id} is stopped")

    def states(self, task_ids: Iterable[str]) -> dict[str, TaskState]:
        return {one: TaskState.RUNNING if (self._folder / one).exists() else TaskState.ENDED for one in task_ids}

    def end(self, task_id: str) -> None:
        (self._folder / task_id).unlink()

    def running(self) -> dict[str, str]:
        return {file.name: file.read_text(encoding="utf-8") for file in self._folder.iterdir()}


def race(dynamodb: Any, names: Names, folder: Path, runs: int, rounds: int) -> list[Round]:
    timing, tasks = Timing.model_validate({}), SharedTasks(folder)
    workers = WorkersTable(dynamodb, names, timing, lambda: START)
    requests = WorkerRequests(dynamodb, Queues(cast(Any, None), names), names, timing, lambda: START)
    ownership = OwnershipTable(dynamodb, names, timing, lambda: START)
    size = FleetSize(MAXIMUM)
    barrier = FORK.Barrier(runs)
    random = Random(7)  # noqa: S311

    def run(number: int, results: SimpleQueue[list[Round]]) -> None:
        fleet = Fleet(
            workers,
            requests,
            ownership,
            cast(Any, tasks),
            size,
            timing,
            lambda: START,
            lambda: uuid.uuid4().hex,
            run_all=in_threads(PARALLEL_LAUNCHES),
        )
        found = []
        waiting = 0
        for _ in range(rounds):
            if number == 0:
                waiting = _change(dynamodb, names, tasks, waiting, random)
            barrier.wait()
            fleet.run()
            barrier.wait()
            if number == 0:
                recorded = [entry.launch.slot for entry in workers.all()]
                found.append(Round(waiting, sorted(tasks.running().values()), recorded))
        results.put(found)

    return fork(run, runs, barrier)


def _change(dynamodb: Any, names: Names, tasks: SharedTasks, before: int, random: Random) -> int:
    """Ends some tasks and lets more pairs wait; never fewer than workers run, which would stop some."""
    for task_id in list(tasks.running()):
        if random.random() < 0.4:
            tasks.end(task_id)
    running = len(tasks.running())
    now = random.randint(running, max(running, MOST_WAITING))
    table = names.table("worker_requests")
    for number in range(max(before, now)):
        key = {"projectKey": f"site-{number}#ada"}
        if number >= now:
            dynamodb.delete_item(TableName=table, Key=to_values(key))
        else:
            sent = {"attempts": 1, "requestedAt": milliseconds(START)}
            again = milliseconds(START + timedelta(seconds=60))
            dynamodb.put_item(TableName=table, Item=to_values({**key, **sent, "nextAllowedAt": again}))
    return now


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--endpoint", required=True)
    parser.add_argument("--prefix", required=True)
    parser.add_argument("--runs", type=int, required=True)
    parser.add_argument("--rounds", type=int, required=True)
    arguments = parser.parse_args()
    # Created before the fork and first used after it, so each process opens its own connections.
    dynamodb = client(arguments.endpoint, "dynamodb")
    with tempfile.TemporaryDirectory(prefix="webordinary-race-") as folder:
        names = Names(arguments.prefix, "123456789012")
        left = race(dynamodb, names, Path(folder), arguments.runs, arguments.rounds)
    json.dump([asdict(one) for one in left], sys.stdout)


if __name__ == "__main__":
    main()
