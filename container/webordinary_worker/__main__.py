"""Runs a worker until it has served its pair or is told to stop: `python -m webordinary_worker`."""

from __future__ import annotations

import signal
import sys
import threading

import boto3

from webordinary.platform.clients import utc_now
from webordinary.platform.errors import SettingsError
from webordinary.platform.observability import logger
from webordinary.platform.queues import Queues
from webordinary.protocol.worker.host import NoPlace, OwnAccess, Place
from webordinary.protocol.worker.run import CancelReason
from webordinary.protocol.worker.worker import Worker
from webordinary.tables.claim_requests import ClaimRequests
from webordinary.tables.jobs import JobsTable
from webordinary.tables.ownership import OwnershipTable
from webordinary.tables.workers import Registration, WorkersTable
from webordinary_worker.heartbeat import Heartbeat
from webordinary_worker.host import ThreadHost
from webordinary_worker.pair_access import PairDoor
from webordinary_worker.pair_credentials import Clients, clients_of
from webordinary_worker.pool import Pool
from webordinary_worker.processes import Confinement
from webordinary_worker.settings import WorkerSettings


def run(settings: WorkerSettings) -> None:
    shutdown = threading.Event()
    session = boto3.Session()
    own = clients_of(session)
    # Marked with the workspace, which no two workers share, whatever they are called.
    confinement = Confinement(str(settings.workspace.resolve()), settings.agent_uid)
    door = PairDoor(settings, session, confinement, utc_now)
    heartbeat = Heartbeat(settings.heartbeat)
    host = ThreadHost(settings, shutdown, door.enter, utc_now, heartbeat)
    settings.workspace.mkdir(parents=True, exist_ok=True, mode=0o711)
    worker = Worker(host, _own_access(settings, own), _place(settings, own))

    def leave(_signal: int, _frame: object) -> None:
        shutdown.set()
        # In a thread: a handler interrupts whatever holds the locks that cancelling needs.
        threading.Thread(target=worker.cancel_running, args=(CancelReason.SHUTDOWN,)).start()

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, leave)
    logger().info("worker ready", extra={"container_id": settings.container_id})
    Pool(worker, shutdown, heartbeat).run()
    if killed := confinement.kill_leftovers():
        logger().warning("Processes of a job outlived it and were killed.", extra={"processes": killed})
    logger().info("worker gone", extra={"container_id": settings.container_id})


def _own_access(settings: WorkerSettings, own: Clients) -> OwnAccess:
    names, timing = settings.names, settings.timing
    queues = Queues(own.sqs, names)
    return OwnAccess(
        queues=queues,
        ownership=OwnershipTable(own.dynamodb, names, timing),
        jobs=JobsTable(own.dynamodb, names),
        claims=ClaimRequests(own.dynamodb, queues, names, timing),
    )


def _place(settings: WorkerSettings, own: Clients) -> Place:
    if settings.place is None or settings.launch_id is None:
        return NoPlace()
    table = WorkersTable(own.dynamodb, settings.names, settings.timing)
    return Registration(table, settings.place, settings.launch_id, settings.container_id)


def main() -> int:
    try:
        settings = WorkerSettings.load()
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    run(settings)
    return 0


if __name__ == "__main__":
    sys.exit(main())
