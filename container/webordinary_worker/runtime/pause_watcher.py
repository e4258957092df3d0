"""Polls whether an operator has paused the project that this worker serves."""

from __future__ import annotations

import threading
from collections.abc import Callable

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws.telemetry import logger
from webordinary.contract.errors import WebordinaryError

POLL_SECONDS = 3.0


def watch(is_paused: Callable[[], bool], on_paused: Callable[[], None], ended: threading.Event) -> None:
    """Calls `on_paused` once, then stops. A failed poll is covered by the next."""

    def poll() -> None:
        while not ended.wait(POLL_SECONDS):
            try:
                if is_paused():
                    logger().warning("The project is paused; requeueing its job and shutting down.")
                    on_paused()
                    return
            except (BotoCoreError, ClientError, WebordinaryError) as error:
                logger().warning("Could not read whether the project is paused; retrying.", extra={"cause": str(error)})

    threading.Thread(target=poll, name="pause-watch", daemon=True).start()
