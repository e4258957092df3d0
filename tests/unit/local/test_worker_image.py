"""Workers in containers: checks before the start, cleanup, and the command line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from local.ecs.worker_image import WORKER_UID, WorkerImage
from local.errors import PrerequisiteError
from tools.package import ROOT


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fake podman with one image, which records its commands."""
    program = tmp_path / "podman"
    program.write_text(
        f"""#!/bin/sh
echo "$*" >> {tmp_path}/commands
case "$*" in
  "image inspect there") exit 0 ;;
  "image inspect "*) exit 1 ;;
  ps*) echo webordinary-{2**22 + 1}-worker-1; echo webordinary-{os.getpid()}-worker-2; echo webordinary-notes ;;
esac
"""
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("ENGINE", "podman")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return tmp_path / "commands"


def test_only_orphaned_containers_are_removed(engine: Path) -> None:
    assert WorkerImage.find("there") == WorkerImage(("podman",), "there")

    removed = [line for line in engine.read_text().splitlines() if line.startswith("rm ")]
    assert removed == [f"rm --force webordinary-{2**22 + 1}-worker-1"]


def test_missing_image_error_names_the_build_command(engine: Path) -> None:
    with pytest.raises(PrerequisiteError, match=r"podman has no image elsewhere\. Build it: make image TAG=elsewhere"):
        WorkerImage.find("elsewhere")


def test_find_requires_root(engine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    with pytest.raises(PrerequisiteError, match="Start it as root"):
        WorkerImage.find("there")


def test_command_line_has_variable_names_but_no_values(engine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {"ANTHROPIC_API_KEY": "a secret", "PATH": "/of/this/machine"}

    command = WorkerImage(("podman",), "there").command("one", environment, {Path("/here"): "/there"})

    assert command[-3:] == ["--env", "ANTHROPIC_API_KEY", "there"]
    assert "/here:/there" in command
    assert not [part for part in command if "secret" in part or "/of/this" in part]


def test_worker_uid_matches_the_dockerfile() -> None:
    assert f"useradd --uid {WORKER_UID} --gid {WORKER_UID} " in (ROOT / "container/Dockerfile").read_text()
