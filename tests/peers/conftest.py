"""Independent implementations of AWS services, installed on demand into .cache/peers."""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from local.paths import ROOT
from tests.peers import recorded_calls
from tests.unit.sites.edge import NODE

LOCKED = Path(__file__).with_name("npm")
FOLDER = ROOT / ".cache/peers"
DYNALITE = Path(__file__).with_name("dynalite.mjs")
TESTS = ("tests/unit/tables", "tests/unit/steps")
# These differ from other tests of the same steps only in their texts.
TEXTS = ("reply_notices", "parse_email_texts")


@pytest.fixture(scope="session")
def packages() -> Path:
    """The folder with the locked npm packages."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    lock = LOCKED / "package-lock.json"
    installed = FOLDER / "installed-lock.json"
    with (FOLDER / "installing").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        if not installed.exists() or installed.read_bytes() != lock.read_bytes():
            for one in LOCKED.iterdir():
                shutil.copyfile(one, FOLDER / one.name)
            install = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
            subprocess.run(install, cwd=FOLDER, check=True)
            shutil.copyfile(lock, installed)
    return FOLDER / "node_modules"


@dataclass(frozen=True)
class DynaliteRun:
    """A run of the tests of tables and steps on dynalite, and the calls that functions made in it."""

    status: int
    output: str
    calls: list[dict[str, Any]]

    def count(self, pattern: str) -> int:
        """The number in the output that the pattern's group finds."""
        found = re.search(pattern, self.output)
        assert found is not None, self.output[-6000:]
        return int(found[1])


@pytest.fixture(scope="session")
def dynalite_run(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> DynaliteRun:
    calls = tmp_path_factory.mktemp("calls") / "calls.jsonl"
    path = os.pathsep.join(str(ROOT / folder) for folder in ("layers/webordinary/python", "container", "ops", "."))
    plugins = ("-p", "tests.peers.recorded_calls", "-p", "tests.peers.on_dynalite", "-p", "no:cacheprovider")
    command = [sys.executable, "-m", "pytest", "-q", *plugins, *TESTS]
    command += [f"--ignore=tests/unit/steps/test_{name}.py" for name in TEXTS]
    with _dynalite(packages) as address:
        given = {"WEBORDINARY_DYNALITE": address, recorded_calls.FILE: str(calls), "PYTHONPATH": path}
        done = subprocess.run(
            command, cwd=ROOT, env={**os.environ, **given}, capture_output=True, text=True, check=False
        )
    lines = calls.read_text(encoding="utf-8").splitlines() if calls.exists() else []
    return DynaliteRun(done.returncode, done.stdout, [json.loads(line) for line in lines])


@contextmanager
def _dynalite(packages: Path) -> Iterator[str]:
    with subprocess.Popen([NODE, DYNALITE, packages], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        server.terminate()
