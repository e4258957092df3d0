"""The tests of all tables, and of the steps that use them, on dynalite."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.paths import ROOT
from tests.unit.sites.edge import NODE

PROGRAM = Path(__file__).with_name("dynalite.mjs")
# These steps use no table, or differ from a tested one only in their texts.
OTHER_STEPS = (
    "picture",
    "process_attachment",
    "reply_message",
    "reply_notices",
    "parse_email_attachments",
    "parse_email_texts",
)
TESTS = ("tests/unit/tables", "tests/unit/steps")
LEAST_TESTS, LEAST_REQUESTS = 600, 15_000


@pytest.fixture
def dynalite(packages: Path) -> Iterator[str]:
    with subprocess.Popen([NODE, PROGRAM, packages], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        server.terminate()


def test_tables_work_on_dynalite(dynalite: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.peers.on_dynalite", "-p", "no:cacheprovider", *TESTS]
    command += [f"--ignore=tests/unit/steps/test_{step}.py" for step in OTHER_STEPS]
    path = os.pathsep.join(str(ROOT / folder) for folder in ("layers/webordinary/python", "container", "ops", "."))
    environment = {**os.environ, "WEBORDINARY_DYNALITE": dynalite, "PYTHONPATH": path}

    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout[-6000:]
    passed, requests = re.search(r"(\d+) passed", done.stdout), re.search(r"requests to dynalite: (\d+)", done.stdout)
    assert passed is not None
    assert requests is not None
    assert int(passed[1]) >= LEAST_TESTS
    assert int(requests[1]) >= LEAST_REQUESTS
