"""A worker among others: takes one claim request after the other until it is told to go.

Before a claim it protects its ECS task from being scaled in; between two pairs it cleans up.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.platform.errors import WebordinaryError
from webordinary.platform.observability import logger
from webordinary.platform.queues import Received
from webordinary.protocol.worker.worker import Worker
from webordinary_worker.protection import ProtectionError, TaskProtection

LONGEST_PAUSE_SECONDS = 30.0
UNPROTECTED_PAUSE_SECONDS = 10.0


@dataclass
class Pool:
    worker: Worker
    protection: TaskProtection
    clean: Callable[[], None]
    shutdown: threading.Event
    exit_after_release: bool = False

    def run(self) -> None:
        self.clean()
        pause = 1.0
        while not self.shutdown.is_set():
            try:
                served = self._serve_one()
                pause = 1.0
            except (BotoCoreError, ClientError, WebordinaryError) as error:
                logger().error("That went wrong; waiting for claim requests again.", extra={"cause": str(error)})
                self.shutdown.wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
                continue
            if served and self.exit_after_release:
                return

    def _serve_one(self) -> bool:
        """Whether a pair was served."""
        request = self.worker.receive_request()
        return request is not None and self._answer(request)

    def _answer(self, request: Received) -> bool:
        try:
            self.protection.on()
        except ProtectionError as error:
            logger().error(str(error))
            self.worker.refuse(request)
            self.shutdown.wait(UNPROTECTED_PAUSE_SECONDS)  # meanwhile the request goes to somebody else
            return False
        try:
            return self.worker.answer(request)
        finally:
            self.clean()
            self._unprotect()

    def _unprotect(self) -> None:
        try:
            self.protection.off()
        except ProtectionError as error:
            logger().warning(str(error))
