"""Folders of the runs of the local stack: each run has its own, and the last few are kept to look into."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import psutil

KEPT = 3


def new_run(parent: Path, run_id: str) -> Path:
    """Makes a folder for a run, and removes those of old runs that are over."""
    _remove_old(parent)
    folder = parent / f"run-{run_id}"
    folder.mkdir(parents=True)
    _pid_file(folder).write_text(str(os.getpid()), encoding="utf-8")
    return folder


def _remove_old(parent: Path) -> None:
    over = [folder for folder in parent.glob("run-*") if not _is_running(folder)]
    newest_first = sorted(over, key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in newest_first[KEPT - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)  # another run that starts right now may do the same


def _is_running(folder: Path) -> bool:
    try:
        return psutil.pid_exists(int(_pid_file(folder).read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return False  # it ended before it began


def _pid_file(folder: Path) -> Path:
    return folder / "pid"
