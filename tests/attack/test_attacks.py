"""Runs `make attack --fast`, and checks the table of attacks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.attack.cases import Case, load

CASES = load()
FAST = [case for case in CASES if not case.slow]
THREATS = {f"W{number}" for number in range(1, 10)} | {"W13"} | {f"T{number}" for number in range(2, 7)}
ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("layers/webordinary/python", "container", "")


@pytest.fixture(scope="module")
def verdicts() -> dict[str, dict[str, str]]:
    """Runs all attacks in one program, which switches to the worker's user and namespace if possible."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(str(ROOT / part) for part in PACKAGES)}
    command = [sys.executable, "-m", "tests.attack", "--fast", "--json"]
    done = subprocess.run(command, env=environment, cwd=ROOT, check=False, capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines, done.stderr
    return {line["id"]: line for line in lines}


@pytest.mark.parametrize("case", FAST, ids=lambda case: case.id)
def test_attack_is_blocked(case: Case, verdicts: dict[str, dict[str, str]]) -> None:
    found = verdicts[case.id]
    if found["verdict"] == "skipped":
        pytest.skip(found["why"])
    assert found["verdict"] == "blocked", found["why"]


def test_attack_ids_are_unique() -> None:
    assert len({case.id for case in CASES}) == len(CASES)


def test_every_testable_threat_has_a_case() -> None:
    assert {case.threat for case in CASES} >= THREATS
