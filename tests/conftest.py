"""What is started once for all tests: the emulator with what Terraform makes, and the whole running system."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.emulator.process import EmulatorProcess
from local.settings import StackSettings
from local.stack import Stack
from tests.support.applied import Applied, apply

BUILD = Path(__file__).resolve().parents[1] / "build/local"


@pytest.fixture(scope="session")
def applied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Applied]:
    if not (BUILD / "functions").is_dir():
        pytest.fail("There are no packages. Make them with: make package TARGET=local")
    folder = tmp_path_factory.mktemp("infrastructure")
    for kind in ("functions", "layers"):  # copied, so that a build meanwhile does not look like a change
        shutil.copytree(BUILD / kind, folder / "packages" / kind)
    with EmulatorProcess(state=folder / "emulator", runtime=BUILD / "runtime") as emulator:
        yield apply(emulator, folder / "packages", folder)


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    """The whole system: one apply, two workers, the stand-in for the model. Whoever uses it leaves it as it was."""
    with Stack(StackSettings.load({}, ports=(0, 0))) as running:
        yield running


# Tests that share something expensive run in one process, and the longest of these groups start first.
GROUPS = {
    "e2e": "stack",
    "chaos": "stack",
    "infrastructure": "applied",
    "functions": "applied",
    "integration/worker": "worker",
    "race": "race",
    "model": "model",
    "integration": "emulator",
}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    def place(item: pytest.Item) -> tuple[int, str]:
        folder = item.path.relative_to(config.rootpath / "tests").as_posix()
        for number, (start, group) in enumerate(GROUPS.items()):
            if folder.startswith(f"{start}/"):
                return number, group
        return len(GROUPS), item.path.stem

    for item in items:
        item.add_marker(pytest.mark.xdist_group(place(item)[1]))
    items.sort(key=lambda item: place(item)[0])
