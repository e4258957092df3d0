"""The emulator that runs from `make apply ENV=local` to `make destroy ENV=local`.

A file records its process id and endpoint. Its state is in memory and is lost when it ends.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from local.errors import ChildFailedError
from local.paths import BUILD, ROOT

START_SECONDS = 60.0
STOP_SECONDS = 10.0


@dataclass(frozen=True)
class Emulator:
    """A running emulator. The start time distinguishes it from a later process with the same id."""

    pid: int
    started_at: float
    endpoint: str

    def is_alive(self) -> bool:
        try:
            process = psutil.Process(self.pid)
            return process.create_time() == self.started_at and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False

    def stop(self) -> None:
        if not self.is_alive():
            return
        process = psutil.Process(self.pid)
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except psutil.TimeoutExpired:
            process.kill()


@dataclass(frozen=True)
class BackgroundEmulator:
    """The background emulator of a working copy, recorded in `folder`."""

    folder: Path

    @property
    def record(self) -> Path:
        return self.folder / "emulator.json"

    def running(self) -> Emulator | None:
        if not self.record.exists():
            return None
        recorded = Emulator(**json.loads(self.record.read_text(encoding="utf-8")))
        return recorded if recorded.is_alive() else None

    def start(self) -> Emulator:
        emulator = start(self.folder)
        self.record.write_text(json.dumps(asdict(emulator)), encoding="utf-8")
        return emulator

    def stop(self) -> None:
        emulator = self.running()
        if emulator:
            emulator.stop()
        self.record.unlink(missing_ok=True)


def start(folder: Path) -> Emulator:
    """Starts an emulator that outlives this process and logs to `folder`; waits until it accepts requests."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "emulator.log"
    command = [sys.executable, "-m", "local.emulator", "--port", "0", "--state", str(folder / "emulator")]
    command += ["--runtime", str(BUILD / "runtime"), "--survive-parent"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), environment.get("PYTHONPATH")]))
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,  # Ctrl-C must not reach it
        )
    started_at = psutil.Process(process.pid).create_time()
    return Emulator(process.pid, started_at, _wait_for_endpoint(process, log))


def _wait_for_endpoint(process: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        endpoint = _announced_endpoint(log)
        if endpoint:
            return endpoint
        # It logs to a file so that it can outlive this process; the first line has to be polled for.
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.05)
            raise ChildFailedError("emulator", "did not start", _text(log).splitlines()[-20:])
    process.kill()
    raise ChildFailedError("emulator", f"was not ready after {START_SECONDS:g} seconds", _text(log).splitlines()[-20:])


def _announced_endpoint(log: Path) -> str | None:
    for line in _text(log).splitlines(keepends=True):
        if line.startswith("{") and line.endswith("\n"):
            content = json.loads(line)
            if content.get("ready"):
                return str(content["endpoint"])
    return None


def _text(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")
