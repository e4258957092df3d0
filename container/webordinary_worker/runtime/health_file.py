"""Says for how long the worker may be silent, where the container's health check finds it.

The main thread writes until when it will be back: soon while it waits for messages, at the end of the longest job when
one begins. No thread of its own does that, which would go on however stuck the worker is.

    health check (see the task definition):   the time in the file is not over yet
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

# Several polls with all their retries, and the end of a job: what it has left is ended and pushed.
SILENT_SECONDS = 300


@dataclass(frozen=True)
class Heartbeat:
    file: Path | None
    now: Callable[[], float] = time.time

    def beat(self, *, silent_seconds: float = 0) -> None:
        """`silent_seconds` is what the worker is about to do without coming back here."""
        if self.file is None:
            return
        self.file.parent.mkdir(parents=True, exist_ok=True)
        until = self.now() + silent_seconds + SILENT_SECONDS
        beside = self.file.with_suffix(".new")
        beside.write_text(f"{until:.0f}\n")
        beside.replace(self.file)  # at once: the check never finds half of it


# For a worker whose health nobody checks.
NO_HEARTBEAT = Heartbeat(None)
