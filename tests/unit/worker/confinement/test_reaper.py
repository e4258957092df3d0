"""A worker finds and kills its own leftover processes, and no others."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from webordinary_worker.confinement.processes import Confinement


@pytest.fixture
def escaped(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A running program of a worker that no longer knows it."""
    program = Confinement("workspace-1").start(
        ["sh", "-c", "echo ready; read wait"],
        folder=tmp_path,
        environment={"PATH": "/usr/bin:/bin"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert program.stdout is not None
    assert program.stdout.readline() == b"ready\n"
    yield program
    program.kill()
    program.wait()


def test_worker_kills_its_leftover_processes(escaped: subprocess.Popen[bytes]) -> None:
    assert Confinement("workspace-1").kill_leftovers() == 1
    assert escaped.wait(120) == -9


def test_worker_does_not_kill_processes_of_others(escaped: subprocess.Popen[bytes]) -> None:
    assert Confinement("workspace-2").kill_leftovers() == 0
    assert escaped.poll() is None
