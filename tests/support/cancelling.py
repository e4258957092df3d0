"""Cancels a job at the moment a test names, however long the machine takes to get there."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from webordinary.protocol.worker.run import CancelReason
from webordinary_worker.confinement.cancellation import CancellationToken

TIMEOUT_SECONDS = 300.0  # only a hang reaches it


def cancel_once_there(file: Path, cancellation: CancellationToken, reason: CancelReason) -> None:
    """Returns at once; cancels as soon as the file exists. Programs write it when they have come far enough."""

    def watch() -> None:
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        cancellation.cancel(reason)

    threading.Thread(target=watch, name="cancel-once-there", daemon=True).start()
