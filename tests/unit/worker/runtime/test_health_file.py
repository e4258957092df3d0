"""The health check passes until the announced silence of the worker is exceeded."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.unit.worker.runtime.test_main_loop import ScriptedWorker
from tools.package import ROOT
from webordinary_worker.runtime.health_file import SILENT_SECONDS, HealthFile
from webordinary_worker.runtime.main_loop import run_until_served

TASK_DEFINITION = ROOT / "terraform/modules/workers/main.tf"
DOCKERFILE = ROOT / "container/Dockerfile"


def check(folder: Path) -> bool:
    """Runs the command of the task definition on this folder."""
    found = re.search(r'healthCheck = \{\s*command\s*=\s*(\["CMD-SHELL", .*\])', TASK_DEFINITION.read_text())
    assert found is not None
    _, command = json.loads(found[1])
    command = command.replace("/var/lib/webordinary/heartbeat", shlex.quote(str(folder / "heartbeat")))
    return subprocess.run(["/bin/sh", "-c", command], check=False, capture_output=True).returncode == 0


@pytest.mark.parametrize(
    ("seconds_ago", "silent_seconds", "is_healthy"),
    [(0, 0, True), (SILENT_SECONDS + 5, 0, False), (SILENT_SECONDS + 5, 3600, True), (3600 + 305, 3600, False)],
)
def test_health_check_passes_within_the_announced_silence(
    tmp_path: Path, seconds_ago: float, silent_seconds: float, is_healthy: bool
) -> None:
    HealthFile(tmp_path / "heartbeat", lambda: time.time() - seconds_ago).beat(silent_seconds=silent_seconds)

    assert check(tmp_path) is is_healthy


def test_health_check_fails_without_a_file(tmp_path: Path) -> None:
    assert not check(tmp_path)


def test_image_and_task_definition_name_the_same_health_file() -> None:
    assert "WEBORDINARY_HEARTBEAT=/var/lib/webordinary/heartbeat" in DOCKERFILE.read_text()


def test_health_file_is_written_before_each_poll(tmp_path: Path) -> None:
    times = iter(range(1000, 2000))
    written: list[str] = []

    class Watched(ScriptedWorker):
        def serve_next(self) -> None:
            written.append((tmp_path / "heartbeat").read_text())
            super().serve_next()

    shutdown = threading.Event()
    worker: Any = Watched(shutdown, requests=3, serves=lambda: False)
    run_until_served(worker, shutdown, HealthFile(tmp_path / "heartbeat", lambda: float(next(times))))

    assert written == [f"{1000 + number + SILENT_SECONDS}\n" for number in range(4)]
