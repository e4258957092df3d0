"""Fixtures for tests of the real worker: real git, real Claude Code, real Astro; the model is a stand-in."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from local.emulator.process import EmulatorProcess
from local.model.server import serving
from tests.integration.worker.harness import ROOT, Deployment, Remote, Worker
from tests.support.model_client import StandInClient

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def model_url() -> Iterator[str]:
    with serving() as server:
        yield server.url


@pytest.fixture
def model(model_url: str) -> Iterator[StandInClient]:
    client = StandInClient(model_url)
    yield client
    client.reset()


@pytest.fixture
def remote(tmp_path: Path) -> Remote:
    return Remote(tmp_path / "remote.git", tmp_path / "site")


@pytest.fixture
def deployment(emulator: EmulatorProcess, remote: Remote) -> Deployment:
    return Deployment(emulator, f"worker{next(_numbers)}", remote)


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that other users can access, unlike pytest's own.

    Request it before `start_worker`, so that workers end before the folder is removed. Their child processes end
    slightly later.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)
        yield Path(folder)


@pytest.fixture
def start_worker(deployment: Deployment, tmp_path: Path, model: StandInClient) -> Iterator[Callable[..., Worker]]:
    started: list[Worker] = []

    def start(**settings: str) -> Worker:
        folder = tmp_path / f"worker-{len(started)}"
        folder.mkdir()
        worker = Worker(deployment, folder, ROOT / "build" / "cache" / "worker-tests", model.url, **settings)
        started.append(worker)
        return worker

    yield start
    for worker in started:
        worker.close()
        print("\n".join(worker.last_lines()))  # noqa: T201  shown when a test fails
