"""The background emulator: when it counts as running, and when it is stopped."""

import os
import subprocess
import sys
from pathlib import Path

import psutil

from local.stack.background_emulator import BackgroundEmulator, Emulator

ENDPOINT = "http://127.0.0.1:1"


def test_ended_emulator_is_not_running(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    background = BackgroundEmulator(tmp_path)
    background.record.write_text(f'{{"pid": {ended.pid}, "started_at": 0.0, "endpoint": "{ENDPOINT}"}}')

    assert background.running() is None


def test_running_emulator_is_found(tmp_path: Path) -> None:
    started_at = psutil.Process().create_time()
    background = BackgroundEmulator(tmp_path)
    background.record.write_text(f'{{"pid": {os.getpid()}, "started_at": {started_at}, "endpoint": "{ENDPOINT}"}}')

    assert background.running() == Emulator(os.getpid(), started_at, ENDPOINT)


def test_stop_ignores_another_process_with_the_same_id() -> None:
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)

    Emulator(other.pid, started_at=0.0, endpoint=ENDPOINT).stop()

    assert other.poll() is None
    other.communicate(b"\n")
