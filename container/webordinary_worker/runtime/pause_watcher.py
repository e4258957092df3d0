"""Looks, every few seconds, whether an operator has paused the project that is served."""

from __future__ import annotations

import threading
from collections.abc import Callable

from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws.telemetry import logger
from webordinary.contract.errors import WebordinaryError

LOOK_SECONDS = 3.0


def watch(is_paused: Callable[[], bool], on_paused: Callable[[], None], ended: threading.Event) -> None:
    """Calls `on_paused` once, and ends. A look that fails is made up for by the next."""

    def look() -> None:
        while not ended.wait(LOOK_SECONDS):
            try:
                if is_paused():
                    logger().warning("The project is paused: its job is put back, and this worker leaves.")
                    on_paused()
                    return
            except (BotoCoreError, ClientError, WebordinaryError) as error:
                logger().warning("Nobody said whether the project is paused.", extra={"cause": str(error)})

    threading.Thread(target=look, name="pause-watch", daemon=True).start()
