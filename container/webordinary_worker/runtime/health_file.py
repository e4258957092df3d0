"""The file that the container's health check reads: the time until which the worker may stay silent.

The main loop writes it: a short time while it polls, the longest job's time when a job starts. A background task would
keep writing even if the main loop hangs.

    health check (see the task definition):   the time in the file is in the future
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

# Enough for several polls with all retries, or for the cleanup and push at the end of a job.
SILENT_SECONDS = 300


@dataclass(frozen=True)
class HealthFile:
    path: Path | None
    now: Callable[[], float] = time.time

    def beat(self, *, silent_seconds: float = 0) -> None:
        """`silent_seconds` is how long the main loop is about to be busy."""
        if self.path is None:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        until = self.now() + silent_seconds + SILENT_SECONDS
        temporary = self.path.with_suffix(".new")
        temporary.write_text(f"{until:.0f}\n")
        temporary.replace(self.path)  # atomic


NO_HEALTH_FILE = HealthFile(None)
