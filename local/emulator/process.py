"""Runs the emulator as a child process, for the local stack and for tests."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from local.aws import EmulatedAws
from local.paths import ROOT
from local.runtime.children import HANG_SECONDS, Child, stop_all


def client(endpoint: str, service: str) -> Any:
    """A new boto3 client for an emulator."""
    return EmulatedAws(endpoint).client(service)


def has_runtime(folder: Path) -> bool:
    """Whether a folder holds the Lambda runtime that the emulator needs."""
    return (folder / "awslambdaric").is_dir()


class EmulatorProcess(Child):
    """A running emulator. `on_output(source, line)` receives what functions print; a line of JSON is an object.
    `on_death` is called if the process ends without `stop`.

    Source `sent-mail` is the file of a sent mail, `ecs` an order to start or stop a task, `emulator` the emulator's own
    output.
    """

    def __init__(
        self,
        *,
        state: Path,
        runtime: Path,
        port: int = 0,
        on_output: Callable[[str, Any], None] = lambda _source, _line: None,
        on_death: Callable[[], None] = lambda: None,
    ) -> None:
        self.state = state
        self._on_death = on_death
        self._runtime = runtime
        self._on_output = on_output
        self._launch(port)

    def restart(self) -> None:
        """Replaces the emulator by an empty one at the same endpoint."""
        self.stop()
        self._launch(int(self.endpoint.rpartition(":")[2]))

    def _launch(self, port: int) -> None:
        command = [sys.executable, "-m", "local.emulator", f"--port={port}", f"--state={self.state.resolve()}"]
        super().__init__(
            "emulator",
            [*command, f"--runtime={self._runtime.resolve()}"],
            environment={"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT)},
            folder=ROOT,
            on_line=self._forward,
        )
        self._stopping = False
        try:
            self.endpoint: str = self.wait_until_ready(HANG_SECONDS)["endpoint"]
        except BaseException:
            self.stop()
            raise
        threading.Thread(target=self._watch, args=(self.process,), name="emulator-end", daemon=True).start()

    def _watch(self, process: subprocess.Popen[bytes]) -> None:
        process.wait()
        if process is self.process and not self._stopping:
            self._on_death()

    def client(self, service: str) -> Any:
        """A new boto3 client for this emulator."""
        return client(self.endpoint, service)

    def stop(self) -> None:
        self._stopping = True
        stop_all([self], HANG_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _forward(self, line: str) -> None:
        try:
            content = json.loads(line)
        except ValueError:
            content = {}
        self._on_output(content.get("source", "emulator"), content.get("line") or content.get("file") or line)
