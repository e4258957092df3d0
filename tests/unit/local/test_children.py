"""Processes that are left when a stack has stopped."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path

import psutil

from local.runtime.children import HANG_SECONDS, descendants, kill_remaining


def test_process_that_hangs_is_described_and_killed(tmp_path: Path) -> None:
    before = descendants()
    with subprocess.Popen(["sleep", "3600"], cwd=tmp_path) as hanging:
        (described,) = kill_remaining(before, timeout=0.1)

    assert not psutil.pid_exists(hanging.pid)
    assert described.startswith(f"{hanging.pid} (sleeping for ")
    assert f"in {tmp_path}, " in described
    assert described.endswith("): sleep 3600")


def test_process_that_ends_late_is_not_reported() -> None:
    before = descendants()
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as late:
        assert late.stdin is not None
        threading.Timer(0.3, late.stdin.close).start()

        assert kill_remaining(before, HANG_SECONDS) == []


def test_process_from_before_is_left_alone() -> None:
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as earlier:
        assert kill_remaining(descendants(), timeout=0) == []
        assert earlier.poll() is None
