"""Folders of the stack's runs: one per run; the last few are kept for inspection."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import psutil

KEPT = 3


def new_run(parent: Path, run_id: str) -> Path:
    """Creates the folder of a run and removes the folders of old runs that have ended."""
    _remove_old(parent)
    folder = parent / f"run-{run_id}"
    folder.mkdir(parents=True)
    _pid_file(folder).write_text(str(os.getpid()), encoding="utf-8")
    return folder


def _remove_old(parent: Path) -> None:
    ended = [folder for folder in parent.glob("run-*") if not _is_running(folder)]
    newest_first = sorted(ended, key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in newest_first[KEPT - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)  # a run that starts at the same time may remove it too


def _is_running(folder: Path) -> bool:
    try:
        return psutil.pid_exists(int(_pid_file(folder).read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return False  # the run ended before it wrote its pid file


def _pid_file(folder: Path) -> Path:
    return folder / "pid"
