"""Starts the emulator as a process of its own and talks to it: for the local stack, and for tests."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from local.aws import Emulated
from local.errors import EmulatorFailedError
from local.paths import ROOT

STOP_LIMIT_SECONDS = 10


def client(endpoint: str, service: str) -> Any:
    """A new boto3 client that calls an emulator."""
    return Emulated(endpoint).client(service)


class EmulatorProcess:
    """A running emulator. `on_line(source, line)` gets what functions print; a line of JSON comes as an object.

    The file of a mail that was sent comes with the source `sent-mail`.
    """

    def __init__(
        self,
        *,
        state: Path,
        runtime: Path,
        port: int = 0,
        on_line: Callable[[str, object], None] = lambda _source, _line: None,
    ) -> None:
        self.state = state
        self._on_line = on_line
        command = [sys.executable, "-m", "local.emulator", f"--port={port}", f"--state={state.resolve()}"]
        self._process = subprocess.Popen(
            [*command, f"--runtime={runtime.resolve()}"],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        first_line = self._output().readline()
        if not first_line:
            _, reason = self._process.communicate()
            raise EmulatorFailedError(f"did not start (exit code {self._process.returncode})", reason)
        self.endpoint: str = json.loads(first_line)["endpoint"]
        threading.Thread(target=self._follow_output, name="emulator-output", daemon=True).start()
        threading.Thread(target=self._follow_errors, name="emulator-errors", daemon=True).start()

    def client(self, service: str) -> Any:
        """A new boto3 client that calls this emulator."""
        return client(self.endpoint, service)

    def stop(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(STOP_LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _output(self) -> Any:
        return self._process.stdout

    def _follow_output(self) -> None:
        for text in self._output():
            document = json.loads(text)
            self._on_line(document["source"], document.get("line", document.get("file")))

    def _follow_errors(self) -> None:
        errors: Any = self._process.stderr
        for text in errors:
            sys.stderr.write(text)
