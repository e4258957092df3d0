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
from webordinary.tables.ownership import OwnershipTable
from webordinary_worker.access import clients_of
from webordinary_worker.cleaning import clean
from webordinary_worker.ownership_period import OwnershipPeriods
from webordinary_worker.pool import Pool
from webordinary_worker.processes import Confinement
from webordinary_worker.protection import TaskProtection
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.stopping import StopReason


def run(settings: WorkerSettings) -> None:
    shutdown = threading.Event()
    session = boto3.Session()
    base = clients_of(session)
    # Marked with the workspace, which no two workers share, whatever they are called.
    confinement = Confinement(str(settings.workspace.resolve()), settings.agent_uid)
    protection = TaskProtection(settings.ecs_agent_uri)
    periods = OwnershipPeriods(settings, session, confinement, protection.on, shutdown, utc_now)

    def leave(_signal: int, _frame: object) -> None:
        shutdown.set()
        # In a thread: a handler interrupts whatever holds the locks that stopping needs.
        threading.Thread(target=periods.stop_running, args=(StopReason.SHUTDOWN,)).start()

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, leave)
    logger().info("worker ready", extra={"container_id": settings.container_id})
    Pool(
        settings,
        Queues(base.sqs, settings.names),
        OwnershipTable(base.dynamodb, settings.names, settings.timing),
        protection,
        serve=periods.serve,
        clean=lambda: clean(settings.workspace, confinement),
        shutdown=shutdown,
        clock=utc_now,
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
