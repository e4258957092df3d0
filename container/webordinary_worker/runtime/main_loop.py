"""The main loop: asks the broker for a pair until it gets one, serves it, and ends."""

from __future__ import annotations

import threading

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws.telemetry import logger
from webordinary.contract.errors import WebordinaryError
from webordinary.protocol.worker.worker import Worker
from webordinary.tables.workers import NotRegisteredError
from webordinary_worker.runtime.health_file import NO_HEALTH_FILE, HealthFile

MAX_RETRY_SECONDS = 30.0


def run_until_served(worker: Worker, shutdown: threading.Event, health_file: HealthFile = NO_HEALTH_FILE) -> None:
    retry_seconds = 1.0
    try:
        while not (shutdown.is_set() or worker.has_served):
            health_file.beat()
            try:
                worker.serve_next()
                retry_seconds = 1.0
            except NotRegisteredError as error:
                logger().warning(str(error))
                return
            except (BotoCoreError, ClientError, WebordinaryError) as error:
                logger().error("Serving failed; retrying.", extra={"cause": str(error)})
                shutdown.wait(0 if worker.has_served else retry_seconds)
                retry_seconds = min(2 * retry_seconds, MAX_RETRY_SECONDS)
    finally:
        worker.leave()
