"""Other processes cannot read the worker's secrets."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

HIDDEN = """
import ctypes, os, subprocess, sys
from webordinary_worker.runtime import process_hardening
begin, end = process_hardening._environment_range()
process_hardening.hide_secrets(["SECRET"])
# From memory: only root may still open /proc/self/environ.
print(ctypes.string_at(begin, end - begin).decode().replace(chr(0), "\\n"))
print("gone" if "SECRET" not in os.environ else "still there", os.environ["OPEN"])
sys.stdout.flush()
as_other = ["setpriv", "--reuid=12345", "--regid=12345", "--clear-groups"] if os.geteuid() == 0 else []
subprocess.run([*as_other, "cat", f"/proc/{os.getpid()}/environ"], stderr=subprocess.STDOUT)
"""


@pytest.fixture
def output() -> str:
    path = os.pathsep.join(filter(None, sys.path))
    environment = {"SECRET": "hush", "OPEN": "fine", "PATH": os.environ["PATH"], "PYTHONPATH": path}
    completed = subprocess.run(
        [sys.executable, "-c", HIDDEN], env=environment, check=True, capture_output=True, text=True
    )
    return completed.stdout


def test_secrets_are_removed_from_the_environment(output: str) -> None:
    assert "hush" not in output
    assert "SECRET=xxxx\nOPEN=fine" in output
    assert "gone fine" in output


def test_other_processes_cannot_read_the_environment(output: str) -> None:
    assert "Permission denied" in output
