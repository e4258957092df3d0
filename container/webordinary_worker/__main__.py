"""Runs a worker until it has served its pair or is told to stop: `python -m webordinary_worker`."""

from __future__ import annotations

import signal
import sys
import threading

import boto3

from webordinary.aws.clients import utc_now
from webordinary.aws.telemetry import logger
from webordinary.contract.errors import SettingsError
from webordinary.protocol.worker.run import CancelReason
from webordinary.protocol.worker.worker import Worker
from webordinary_worker.confinement.processes import Confinement
from webordinary_worker.proxies.preview_proxy import PreviewProxy
from webordinary_worker.runtime.broker_client import BrokerClient
from webordinary_worker.runtime.health_file import Heartbeat
from webordinary_worker.runtime.main_loop import Pool
from webordinary_worker.runtime.thread_host import ThreadHost
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.wiring import PairDoor


def run(settings: WorkerSettings) -> None:
    shutdown = threading.Event()
    session = boto3.Session()
    preview_proxy = PreviewProxy(settings.live_address) if settings.shows_live else None
    broker = BrokerClient(session, settings, endpoint=preview_proxy.endpoint if preview_proxy is not None else None)
    # Marked with the workspace, which no two workers share, whatever they are called.
    confinement = Confinement(str(settings.workspace.resolve()), settings.agent_uid)
    door = PairDoor(settings, session, broker, confinement, utc_now, shutdown, lambda: stop(), preview_proxy)
    heartbeat = Heartbeat(settings.heartbeat)
    host = ThreadHost(settings, shutdown, door.enter, utc_now, heartbeat)
    if preview_proxy is not None:
        preview_proxy.open()
    settings.workspace.mkdir(parents=True, exist_ok=True, mode=0o711)
    worker = Worker(host, broker)

    def stop() -> None:
        shutdown.set()
        worker.cancel_running(CancelReason.SHUTDOWN)

    def leave(_signal: int, _frame: object) -> None:
        shutdown.set()
        # In a thread: a handler interrupts whatever holds the locks that cancelling needs.
        threading.Thread(target=stop).start()

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, leave)
    logger().info("worker ready", extra={"container_id": settings.container_id})
    Pool(worker, shutdown, heartbeat).run()
    if killed := confinement.kill_leftovers():
        logger().warning("Processes of a job outlived it and were killed.", extra={"processes": killed})
    logger().info("worker gone", extra={"container_id": settings.container_id})


def main() -> int:
    try:
        settings = WorkerSettings.load()
    except SettingsError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if not (settings.slot and settings.launch_id):
        sys.stderr.write("WEBORDINARY_SLOT and WEBORDINARY_LAUNCH_ID are missing: only the fleet starts workers.\n")
        return 2
    run(settings)
    return 0


if __name__ == "__main__":
    sys.exit(main())
