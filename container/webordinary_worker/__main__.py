"""Runs a worker until it is told to stop: `python -m webordinary_worker`."""

from __future__ import annotations

import signal
import sys
import threading

import boto3

from webordinary.platform.clients import utc_now
from webordinary.platform.errors import SettingsError
from webordinary.platform.observability import logger
from webordinary.platform.queues import Queues
from webordinary.protocol.worker.run import CancelReason
from webordinary.protocol.worker.worker import Worker
from webordinary.tables.ownership import OwnershipTable
from webordinary_worker.cleaning import clean
from webordinary_worker.host import ThreadHost
from webordinary_worker.pair_access import PairDoor
from webordinary_worker.pair_credentials import clients_of
from webordinary_worker.pool import Pool
from webordinary_worker.processes import Confinement
from webordinary_worker.protection import TaskProtection
from webordinary_worker.settings import WorkerSettings


def run(settings: WorkerSettings) -> None:
    shutdown = threading.Event()
    session = boto3.Session()
    own = clients_of(session)
    # Marked with the workspace, which no two workers share, whatever they are called.
    confinement = Confinement(str(settings.workspace.resolve()), settings.agent_uid)
    protection = TaskProtection(settings.ecs_agent_uri)
    door = PairDoor(settings, session, confinement, utc_now)
    host = ThreadHost(settings, shutdown, door.enter, utc_now, before_job=protection.on)
    ownership = OwnershipTable(own.dynamodb, settings.names, settings.timing)
    worker = Worker(host, Queues(own.sqs, settings.names), ownership)

    def leave(_signal: int, _frame: object) -> None:
        shutdown.set()
        # In a thread: a handler interrupts whatever holds the locks that cancelling needs.
        threading.Thread(target=worker.cancel_running, args=(CancelReason.SHUTDOWN,)).start()

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, leave)
    logger().info("worker ready", extra={"container_id": settings.container_id})
    Pool(
        worker,
        protection,
        clean=lambda: clean(settings.workspace, confinement),
        shutdown=shutdown,
        exit_after_release=settings.exit_after_release,
    ).run()
    logger().info("worker gone", extra={"container_id": settings.container_id})


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
