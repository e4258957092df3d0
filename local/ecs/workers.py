"""Runs the worker tasks of the emulator's ECS on this machine, as processes or, with an image, as containers.

A worker's environment consists of the variables of the task definition and of the call, the addresses of its metadata
and credentials, and the local settings for Node, the model and the network.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from local.aws import KEYS, EmulatedAws
from local.ecs.task_endpoints import Task, TaskEndpoints
from local.ecs.task_events import TaskEvents
from local.ecs.worker_image import WorkerImage
from local.paths import CACHE, DOMAIN_PACKAGE, WORKER_PACKAGE
from local.runtime.children import Child, stop_all

# The time between SIGTERM and SIGKILL; the task definition sets the same value.
STOP_SECONDS = 120

OnLine = Callable[[str, str], None]


class Workers:
    """The ECS agent of this machine. `model` holds the variables with which Claude Code reaches the model."""

    def __init__(
        self,
        folder: Path,
        emulated: EmulatedAws,
        *,
        model: Mapping[str, str],
        network: Mapping[str, str],
        node_folder: Path,
        on_line: OnLine,
        image: WorkerImage | None = None,
        remotes: Path,
    ) -> None:
        self._folder = folder
        self._image = image
        self._remotes = remotes
        self._on_line = on_line
        self._ecs = emulated.client("ecs")
        self._events = TaskEvents(emulated)
        self._endpoints = TaskEndpoints(emulated)
        self._orders: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._running: dict[str, Child] = {}
        self._tasks: dict[str, Task] = {}
        self._closed = False
        self._peak = 0
        without_keys = {name: value for name, value in emulated.environment().items() if name not in KEYS}
        self._environment = {
            **without_keys,
            **model,
            **network,
            "PATH": os.pathsep.join([str(node_folder), os.environ.get("PATH", os.defpath)]),
            "LANG": "C.UTF-8",
            "PYTHONPATH": os.pathsep.join([str(DOMAIN_PACKAGE), str(WORKER_PACKAGE)]),
            "PYTHONUNBUFFERED": "1",
            "WEBORDINARY_CACHE": str(CACHE / "worker"),
        }
        # Both apply to workers started from now on.
        self.live_previews = True
        self.overrides: dict[str, str] = {}

    def start(self) -> None:
        self._endpoints.start()
        threading.Thread(target=self._process_orders, name="task-agent", daemon=True).start()

    def submit(self, order: dict[str, Any]) -> None:
        """Queues an order of the emulator's ECS. A background thread processes it: the emulator must not wait."""
        self._orders.put(order)

    def count(self) -> int:
        return len(self._running)

    @property
    def peak(self) -> int:
        """The largest number of workers that ran at the same time."""
        return self._peak

    def running(self) -> list[str]:
        """The names of the running workers, oldest first."""
        return list(self._running)

    def task_ids(self) -> list[str]:
        """The task ids of the running workers, as recorded in the tables."""
        return [self._tasks[name].id for name in self.running()]

    def kill(self, name: str) -> None:
        """Kills a worker, like a crash."""
        self._running[name].kill()

    def pause(self, name: str) -> None:
        """Freezes a worker and its descendants until `resume`."""
        self._running[name].pause()

    def resume(self, name: str) -> None:
        self._running[name].resume()

    def stop(self) -> None:
        with self._lock:
            self._closed = True
            running = list(self._running.values())
        stop_all(running, STOP_SECONDS)
        self._endpoints.stop()

    def _process_orders(self) -> None:
        while True:
            order = self._orders.get()
            try:
                if order["order"] == "start":
                    self._start(Task.from_order(order))
                else:
                    self._stop(order["task"])
            except Exception as error:
                self._on_line("task-agent", f"Order {order} failed: {error!r}")

    def _start(self, task: Task) -> None:
        name = f"worker-{task.id[:8]}"
        home = self._folder / name
        home.mkdir(parents=True)
        own = {
            "HOME": str(home),
            "TMPDIR": str(home),
            "WEBORDINARY_WORKSPACE": str(home / "workspace"),
            "WEBORDINARY_LIVE_ADDRESS": "127.0.0.1:0" if self.live_previews else "",
            **self.overrides,
        }
        with self._lock:
            if self._closed:
                return
            child = self._child(
                name, home, {**self._environment, **task.environment, **self._endpoints.environment_of(task), **own}
            )
            self._tasks[name] = task
            self._running[name] = child
            self._peak = max(self._peak, len(self._running))
        self._report(task, status="RUNNING")
        threading.Thread(target=self._watch, args=(name, child), name=f"{name}-end", daemon=True).start()

    def _child(self, name: str, home: Path, environment: dict[str, str]) -> Child:
        def on_line(line: str) -> None:
            self._on_line(name, line)

        if self._image is None:
            command = [sys.executable, "-m", "webordinary_worker"]
            return Child(name, command, environment=environment, folder=home, on_line=on_line)
        cache = CACHE / "worker-image"
        return self._image.start(
            name, environment=environment, folder=home, cache=cache, remotes=self._remotes, on_line=on_line
        )

    def _stop(self, task_arn: str) -> None:
        """SIGTERM, and after two minutes SIGKILL."""
        for name, child in list(self._running.items()):
            if self._tasks[name].arn == task_arn:
                child.ask_to_stop()
                threading.Thread(target=child.end, args=(STOP_SECONDS,), name=f"{name}-stop", daemon=True).start()

    def _watch(self, name: str, child: Child) -> None:
        code = child.process.wait()
        with self._lock:
            self._running.pop(name, None)
            if self._closed:
                return
        child.kill()  # the rest of its process group; a container would end as a whole
        task = self._tasks[name]
        reason = "Essential container in task exited"
        try:
            self._report(task, status="STOPPED", reason=reason, exit_code=code if code >= 0 else 128 - code)
            self._events.publish_stopped(task, reason)
        except Exception as error:  # the emulator may be stopped or paused; the fleet checks its tasks every minute
            self._on_line(name, f"Could not report the end of the task: {error!r}")

    def _report(self, task: Task, *, status: str, reason: str = "", exit_code: int | None = None) -> None:
        container: dict[str, Any] = {"containerName": task.container, "status": status}
        if exit_code is not None:
            container["exitCode"] = exit_code
        self._ecs.submit_task_state_change(
            cluster=task.cluster, task=task.arn, status=status, reason=reason, containers=[container]
        )
