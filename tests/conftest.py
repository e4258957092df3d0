"""Fixtures for the whole session: the applied emulator and the running local stack."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from xdist.scheduler import LoadScopeScheduling

from local.aws import ACCOUNT
from local.emulator.process import EmulatorProcess
from local.stack.stack import Stack
from tests.support.applied import AppliedStack, apply
from tests.support.browser import local_chromium
from tests.support.denied_calls import denied_calls
from tests.support.patient_stack import patient_settings
from webordinary.browser.chromium import Chromium
from webordinary.contract.names import Names
from webordinary.tables.project_entries import ProjectEntries

# Hypothesis fails a test whose examples take long to generate. That says nothing on a busy machine.
hypothesis.settings.register_profile(
    "any speed", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any speed")

BUILD = Path(__file__).resolve().parents[1] / "build/local"


@pytest.fixture(scope="session")
def applied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppliedStack]:
    if not (BUILD / "functions").is_dir():
        pytest.fail("No packages found. Build them with: make package TARGET=local")
    folder = tmp_path_factory.mktemp("infrastructure")
    for kind in ("functions", "layers"):  # copied, so that a concurrent build does not change the plan
        shutil.copytree(BUILD / kind, folder / "packages" / kind)
    with EmulatorProcess(state=folder / "emulator", runtime=BUILD / "runtime") as emulator:
        yield apply(emulator, folder / "packages", folder)


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    """The local stack with the model stand-in, without workers yet. Tests must leave it as they found it."""
    # Later tests of this process may start it. It runs until the interpreter ends, so the stack must not wait for it.
    resource_tracker.ensure_running()
    with Stack(patient_settings()) as running:
        # Off, as deployed by default: with them, every mail also starts a dev server.
        running.workers.live_previews = False
        # Most test mails change these projects, and a browser takes a second of both cores.
        entries = ProjectEntries(running.emulated.client("dynamodb"), Names("webordinary", ACCOUNT))
        for project in ("bakery", "garden"):
            entry = entries.get(project)
            entries.change(entry, entry.model_copy(update={"pictures": False}))
        yield running
        assert denied_calls(running) == []  # on AWS, these would fail


@pytest.fixture(scope="session")
def chromium() -> Chromium:
    """Used as `with Browser(chromium, serve_origins({"http://…"})) as browser`."""
    return local_chromium()


# Tests that share an expensive resource run in one process; all others share theirs with their file only. The longest
# groups start first, so that no processor is idle at the end. The stack group is the longest by far, so tests with
# their own stack are a separate group.
EACH_FILE, EACH_TEST = "each file", "each test"
GROUPS = {
    "tests/e2e/test_full_fleet.py": "separate stack",
    "tests/e2e/": "stack",
    "tests/chaos/": "stack",
    "tests/infrastructure/test_snapshots.py": "snapshots",
    "tests/infrastructure/test_terraform_tests.py": EACH_TEST,
    "tests/infrastructure/": "applied",
    "tests/functions/": "applied",
    "tests/peers/": "applied",
    "tests/plans/": "plans",
    "tests/integration/worker/": "worker",
    "tests/attack/": "attack",
    "tests/sites/test_built_sites.py": "sites",
    "tests/race/": "race",
    "tests/model/": "model",
    "tests/unit/worker/jobs/": EACH_FILE,
    "tests/integration/browser/": "browser",
    "tests/integration/": "emulator",
    "tests/unit/worker/": EACH_FILE,
    "tests/unit/ops/": EACH_FILE,
    "": EACH_FILE,
}


def group_of(node_id: str) -> tuple[int, str]:
    """The order and name of a test's group."""
    number, group = next((at, group) for at, (path, group) in enumerate(GROUPS.items()) if node_id.startswith(path))
    if group == EACH_TEST:
        return number, node_id
    return number, node_id.partition("::")[0] if group == EACH_FILE else group


class SharedResourceScheduling(LoadScopeScheduling):
    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)[1]


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> SharedResourceScheduling:
    return SharedResourceScheduling(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: group_of(item.nodeid)[0])
