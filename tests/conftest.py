"""One emulator and one apply for all tests that need what Terraform makes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.emulator.process import EmulatorProcess
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
