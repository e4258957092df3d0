"""Worker processes compete for pairs, and runs of the fleet for slots, on the emulator over HTTP.

`WEBORDINARY_RACE=long` runs both races in full: 100 rounds of 50 workers, then 20 workers over 200 pairs.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from local.emulator.process import EmulatorProcess
from tests.race.fleet_racers import MAXIMUM, Round
from tests.race.racers import TIMING, Won
from tests.support.world import make_tables
from webordinary.contract.names import Names

ROOT = Path(__file__).resolve().parents[2]
LONG = os.environ.get("WEBORDINARY_RACE") == "long"
ROUNDS, PAIRS = (100, 200) if LONG else (20, 50)
TAKEOVER_DISTANCE = (TIMING.lease_seconds + TIMING.clock_margin_seconds) * 1000


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulatorProcess]:
    # No function runs here, so the installed runtime is enough.
    runtime = importlib.util.find_spec("awslambdaric")
    assert runtime is not None, "awslambdaric is not installed: run make setup"
    assert runtime.origin is not None
    with EmulatorProcess(state=tmp_path_factory.mktemp("emulator"), runtime=Path(runtime.origin).parents[1]) as running:
        yield running


def race(emulator: EmulatorProcess, prefix: str, *arguments: str) -> list[Won]:
    return [Won(**claim) for claim in run(emulator, "tests.race.racers", prefix, *arguments)]


def run(emulator: EmulatorProcess, program: str, prefix: str, *arguments: str) -> list[dict[str, Any]]:
    make_tables(emulator.client("dynamodb"), Names(prefix, "123456789012"))
    path = os.pathsep.join([str(ROOT / "layers/webordinary/python"), str(ROOT)])
    finished = subprocess.run(
        [
            sys.executable,
            "-m",
            program,
            *arguments,
            f"--endpoint={emulator.endpoint}",
            f"--prefix={prefix}",
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    found: list[dict[str, Any]] = json.loads(finished.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def won_in_rounds(emulator: EmulatorProcess) -> list[Won]:
    return race(emulator, "onepair", "one-pair", "--workers=50", f"--rounds={ROUNDS}")


@pytest.fixture(scope="module")
def won_of_many(emulator: EmulatorProcess) -> list[Won]:
    return race(emulator, "manypairs", "many-pairs", "--workers=20", f"--pairs={PAIRS}")


def test_one_of_fifty_concurrent_claims_wins_each_round(won_in_rounds: list[Won]) -> None:
    assert Counter(won.round for won in won_in_rounds) == dict.fromkeys(range(ROUNDS), 1)


def test_fence_grows_every_round(won_in_rounds: list[Won]) -> None:
    in_order = sorted(won_in_rounds, key=lambda won: won.round)

    assert [won.fence for won in in_order] == list(range(1, ROUNDS + 1))


def test_no_fence_is_granted_twice_over_many_pairs(won_of_many: list[Won]) -> None:
    for claims in by_pair(won_of_many).values():
        assert [won.fence for won in claims] == list(range(1, len(claims) + 1))


def test_owner_changes_only_after_release_or_lease_end(won_of_many: list[Won]) -> None:
    changes = [change for claims in by_pair(won_of_many).values() for change in pairwise(claims)]

    assert [
        (before, after)
        for before, after in changes
        if not before.released
        and after.worker != before.worker
        and after.lease_end <= before.lease_end + TAKEOVER_DISTANCE
    ] == []


def test_race_includes_releases_and_takeovers(won_of_many: list[Won]) -> None:
    changes = [before.released for claims in by_pair(won_of_many).values() for before, _ in pairwise(claims)]

    assert min(changes.count(True), changes.count(False)) >= PAIRS // 4


def by_pair(won: list[Won]) -> dict[str, list[Won]]:
    pairs: dict[str, list[Won]] = {}
    for claim in sorted(won, key=lambda claim: claim.fence):
        pairs.setdefault(claim.pair, []).append(claim)
    return pairs


@pytest.fixture(scope="module")
def fleet_rounds(emulator: EmulatorProcess) -> list[Round]:
    rounds = 100 if LONG else 8
    left = run(emulator, "tests.race.fleet_racers", "fleetrace", "--runs=6", f"--rounds={rounds}")
    return [Round(**one) for one in left]


def test_concurrent_fleet_runs_start_one_task_per_slot(fleet_rounds: list[Round]) -> None:
    assert [one for one in fleet_rounds if one.slots != one.recorded or len(set(one.slots)) < len(one.slots)] == []


def test_concurrent_fleet_runs_start_as_many_tasks_as_one(fleet_rounds: list[Round]) -> None:
    assert [len(one.slots) for one in fleet_rounds] == [min(MAXIMUM, one.waiting) for one in fleet_rounds]
