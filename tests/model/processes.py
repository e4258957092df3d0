"""Worker processes in virtual time: each is the task of one launch and runs the shipped worker."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from botocore.exceptions import EndpointConnectionError

from tests.model.broker_connection import BrokerConnection
from tests.model.ecs import ModelTask
from tests.model.fixtures import MARGIN
from tests.model.host import ModelHost
from tests.model.scheduler import Actor
from webordinary.aws.queues import Queues
from webordinary.protocol.worker.run import CancelReason
from webordinary.protocol.worker.worker import Worker
from webordinary.protocol.worker_requests import WorkerRequests
from webordinary.tables.jobs import JobsTable
from webordinary.tables.ownership import OwnershipTable
from webordinary.tables.workers import NotRegisteredError, WorkersTable

if TYPE_CHECKING:
    from tests.model.world import World


@dataclass(frozen=True)
class Tables:
    """The shared tables and queues, with the clock of one process."""

    ownership: OwnershipTable
    jobs: JobsTable
    worker_requests: WorkerRequests
    queues: Queues
    workers: WorkersTable


@dataclass
class Process:
    """A worker process, one task: its first actor is the main thread, the others are background threads."""

    host: ModelHost
    worker: Worker
    resumes_at: int = 0
    paused_since: int = 0

    @property
    def actors(self) -> list[Actor]:
        return self.host.actors

    @property
    def is_paused(self) -> bool:
        return self.actors[0].paused

    def request_shutdown(self) -> None:
        self.host.shutdown_requested = True
        self.worker.cancel_running(CancelReason.SHUTDOWN)

    def pause(self, now: int, until: int) -> None:
        self.paused_since, self.resumes_at = now, until
        for actor in self.actors:
            actor.paused = True

    def kill(self) -> None:
        for actor in self.actors:
            actor.kill()


def start(world: World, task: ModelTask) -> Process:
    # Each clock is off by less than half the margin, so any two differ by less than the margin.
    skew = world.random.randint(-MARGIN // 2 + 1, MARGIN // 2 - 1)
    if world.faults.clock_beyond_margin and world.random.random() < 0.5:
        skew = world.random.choice([-90_000, -20_000, 20_000, 90_000])
    clock = world.clock(skew)
    tables = world.tables(clock)
    host = ModelHost(world, task.task_id, tables, clock)
    process = Process(host, Worker(host, BrokerConnection(world, host, task)))
    host.actors.append(Actor(task.task_id, partial(_run_worker, world, process)))
    return process


def _run_worker(world: World, process: Process) -> None:
    """The main loop of the shipped worker: it serves one pair, unless a shutdown comes first."""
    host, worker = process.host, process.worker
    try:
        while not (host.shutdown_requested or worker.has_served):
            try:
                worker.serve_next()
            except EndpointConnectionError:
                world.sleep(1_000)
            if not worker.has_served:
                world.sleep(world.random.randint(500, 8_000))
    except NotRegisteredError:
        pass
    worker.leave()
    host.opening_pair = host.leaving_pair = None
