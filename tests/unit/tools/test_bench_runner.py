"""`make bench` prints its rows and an estimate, and no log lines."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bench.__main__ import announcement, run_all


def noisy() -> Iterator[tuple[str, float, str]]:
    os.write(1, b'{"level":"INFO"}')
    subprocess.run([sys.executable, "-c", "print('{}')"], check=True)
    yield "one thing", 1.5, "against another"


def test_log_lines_are_not_printed_between_rows(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_all({"whole_job": noisy}, tmp_path) == 0

    printed = capfd.readouterr().out
    assert "{" not in printed
    assert "whole job (1 of 1)\n     1.50  one thing: against another\n" in printed
    assert "{}" in (tmp_path / "output.log").read_text()


def test_second_run_says_how_long_the_first_took(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        run_all({"mail": noisy}, tmp_path)

    printed = capfd.readouterr().out
    first, second = [line for line in printed.splitlines() if line.startswith("Benchmarks: 1.")]
    assert first.endswith("about 2 minutes (1 for the first time here, counted as 120 seconds each).")
    assert second.endswith(" seconds (as last time).")


def test_estimate_is_printed_first(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run_all({"mail": noisy}, tmp_path)

    assert capfd.readouterr().out.startswith("Benchmarks: 1. This takes about ")


def test_estimate_is_the_sum_of_the_last_durations() -> None:
    assert "about 3 minutes (as last time)" in announcement(["a", "b"], {"a": 100, "b": 80, "c": 999})
