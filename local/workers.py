"""Workers as processes of this machine: the same program that runs in the image, with nothing in its environment but
what the task definition would give it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from local.aws import Emulated
from local.children import Child, stop_all
from local.paths import CACHE, DOMAIN_PACKAGE, WORKER_PACKAGE

# Long enough for a worker to finish its open poll, put its job back and release its pair.
GRACE_SECONDS = 15

OnLine = Callable[[str, str], None]


class Workers:
    """The pool. `outputs` are Terraform's; `model` is how the agent reaches the model."""

    def __init__(
        self,
        folder: Path,
        emulated: Emulated,
        outputs: Mapping[str, Any],
        *,
        model: Mapping[str, str],
        network: Mapping[str, str],
        node_folder: Path,
        on_line: OnLine,
    ) -> None:
        self._folder = folder
        self._on_line = on_line
        self._running: dict[str, Child] = {}
        self._started = 0
        system_path = os.pathsep.join([str(node_folder), os.environ.get("PATH", os.defpath)])
        self._environment = {
            **emulated.environment(),
            **model,
            **network,
            "PATH": system_path,
            "LANG": "C.UTF-8",
            "PYTHONPATH": os.pathsep.join([str(DOMAIN_PACKAGE), str(WORKER_PACKAGE)]),
            "PYTHONUNBUFFERED": "1",
            "POWERTOOLS_SERVICE_NAME": "worker",
            "POWERTOOLS_METRICS_NAMESPACE": str(outputs["prefix"]),
            "WEBORDINARY_PREFIX": str(outputs["prefix"]),
            "WEBORDINARY_ACCOUNT": str(outputs["account"]),
            "WEBORDINARY_TIMING": json.dumps(outputs["timing"]),
            "WEBORDINARY_ACCESS_ROLE_ARN": str(outputs["workers"]["access_role_arn"]),
            "WEBORDINARY_CACHE": str(CACHE / "worker"),
        }

    def start(self, count: int = 1) -> list[str]:
        """Starts workers; returns their container ids."""
        return [self._start_one() for _ in range(count)]

    def count(self) -> int:
        return len(self._running)

    def running(self) -> list[str]:
        """The container ids of the pool, oldest first."""
        return list(self._running)

    def kill(self, container_id: str) -> None:
        """Ends a worker as a crash would."""
        self._running.pop(container_id).kill()

    def pause(self, container_id: str) -> None:
        """Freezes a worker with everything it started; `resume` wakes it up again."""
        self._running[container_id].pause()

    def resume(self, container_id: str) -> None:
        self._running[container_id].resume()

    def stop(self) -> None:
        stop_all(self._running.values(), GRACE_SECONDS)
        self._running.clear()

    def _start_one(self) -> str:
        self._started += 1
        container_id = f"worker-{self._started}"
        home = self._folder / container_id
        home.mkdir(parents=True)
        own = {
            "HOME": str(home),
            "TMPDIR": str(home),
            "WEBORDINARY_CONTAINER_ID": container_id,
            "WEBORDINARY_WORKSPACE": str(home / "workspace"),
        }
        self._running[container_id] = Child(
            container_id,
            [sys.executable, "-m", "webordinary_worker"],
            environment={**self._environment, **own},
            folder=home,
            on_line=lambda line: self._on_line(container_id, line),
        )
        return container_id
