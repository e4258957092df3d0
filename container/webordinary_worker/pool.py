"""A worker among others: waits for a claim request that it can take, serves that pair, and ends."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.platform.errors import WebordinaryError
from webordinary.platform.observability import logger
from webordinary.protocol.worker.worker import Worker
from webordinary.tables.workers import NotRegisteredError
from webordinary_worker.heartbeat import NO_HEARTBEAT, Heartbeat

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
                    self._take_one()
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

    def _take_one(self) -> None:
        request = self.worker.receive_request()
        if request is not None:
            self.worker.answer(request)
