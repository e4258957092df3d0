"""A worker among others: asks for a pair until it gets one, serves it, and ends."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws.telemetry import logger
from webordinary.contract.errors import WebordinaryError
from webordinary.protocol.worker.worker import Worker
from webordinary.tables.workers import NotRegisteredError
from webordinary_worker.runtime.health_file import NO_HEARTBEAT, Heartbeat

LONGEST_PAUSE_SECONDS = 30.0


@dataclass
class Pool:
    worker: Worker
    shutdown: threading.Event
    heartbeat: Heartbeat = NO_HEARTBEAT

    def run(self) -> None:
        pause = 1.0
        try:
            while not (self.shutdown.is_set() or self.worker.has_served):
                self.heartbeat.beat()
                try:
                    self.worker.serve_next()
                    pause = 1.0
                except NotRegisteredError as error:
                    logger().warning(str(error))
                    return
                except (BotoCoreError, ClientError, WebordinaryError) as error:
                    logger().error("That went wrong.", extra={"cause": str(error)})
                    self.shutdown.wait(0 if self.worker.has_served else pause)
                    pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
        finally:
            self.worker.leave()
