"""Work trees with real git, and the preview's release record with conditional writes on S3."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from local.emulator.process import EmulatorProcess
from tests.integration.worker.harness import PREVIEW_URL, THREAD, Deployment, Remote
from tests.support.world import PAIR
from webordinary.tables.ownership import OwnershipLostError
from webordinary.tables.projects import ProjectConfig
from webordinary_worker.deploy.preview import Preview, StaleDeploymentError
from webordinary_worker.failures import ConflictError
from webordinary_worker.git.command import Identity
from webordinary_worker.git.thread_tree import ThreadTree
from webordinary_worker.git.workspace import Workspace

PreviewOf = Callable[[int], Preview]
PAGE = "src/pages/index.astro"


def open_tree(remote: Remote, folder: Path) -> ThreadTree:
    project = ProjectConfig(
        project_id=PAIR.project,
        domain="bakery.example.com",
        repository=remote.folder.as_uri(),
        preview_url=PREVIEW_URL,
    )
    return Workspace(folder, PAIR, project, Identity("webordinary", "webordinary@example.com")).open(THREAD)


def test_commits_of_two_workers_on_one_branch_are_both_kept(remote: Remote, tmp_path: Path) -> None:
    remote.push_main()
    first, second = open_tree(remote, tmp_path / "one"), open_tree(remote, tmp_path / "two")
    (first.folder / "one.txt").write_text("one")
    first.commit("One")
    first.push()
    (second.folder / "two.txt").write_text("two")
    second.commit("Two")

    second.push()

    assert remote.subjects() == ["Two", "One"]


def test_push_conflict_is_reported_and_keeps_the_pushed_version(remote: Remote, tmp_path: Path) -> None:
    remote.push_main()
    first, second = open_tree(remote, tmp_path / "one"), open_tree(remote, tmp_path / "two")
    (first.folder / PAGE).write_text("the first worker's page")
    first.commit("First")
    first.push()
    (second.folder / PAGE).write_text("the second worker's page")
    second.commit("Second")

    with pytest.raises(ConflictError):
        second.push()
    assert remote.show(PAGE) == "the first worker's page"
    assert (second.folder / PAGE).read_text() == "the first worker's page"


def test_git_folder_in_the_tree_is_ignored(remote: Remote, tmp_path: Path) -> None:
    remote.push_main()
    tree = open_tree(remote, tmp_path / "one")
    trace = tmp_path / "trace"
    fake = tree.folder / ".git"
    fake.mkdir()
    (fake / "HEAD").write_text("ref: refs/heads/main\n")
    (fake / "config").write_text(f'[core]\n\tfsmonitor = "touch {trace}"\n')

    tree.changed_files()

    assert not trace.exists()


def built(folder: Path, **files: str) -> Path:
    folder.mkdir()
    for name, text in files.items():
        (folder / f"{name}.html").write_text(text)
    return folder


@pytest.fixture
def preview_of(emulator: EmulatorProcess, deployment: Deployment) -> PreviewOf:
    def make(fence: int) -> Preview:
        return Preview(emulator.client("s3"), deployment.names, PAIR.project, THREAD, fence)

    return make


def test_deploy_with_an_older_fence_changes_nothing(
    preview_of: PreviewOf, deployment: Deployment, tmp_path: Path
) -> None:
    preview_of(2).deploy(built(tmp_path / "new", index="new"), "mail-2", lambda: None)

    with pytest.raises(StaleDeploymentError):
        preview_of(1).deploy(built(tmp_path / "old", index="old"), "mail-1", lambda: None)
    assert deployment.page("index.html") == "new"


def test_deploy_uploads_changed_files_only(preview_of: PreviewOf, tmp_path: Path) -> None:
    preview_of(1).deploy(built(tmp_path / "one", index="same", about="old"), "mail-1", lambda: None)

    changed = preview_of(1).deploy(built(tmp_path / "two", index="same", about="new"), "mail-2", lambda: None)

    assert changed.files == 1


def test_next_deploy_completes_a_broken_one(preview_of: PreviewOf, deployment: Deployment, tmp_path: Path) -> None:
    preview_of(1).deploy(built(tmp_path / "one", a="old", b="old"), "mail-1", lambda: None)
    checks = iter([None, None])  # enough for the record and one page; then the lease is lost

    def check_lease() -> None:
        try:
            next(checks)
        except StopIteration:
            raise OwnershipLostError(PAIR, 1) from None

    site = built(tmp_path / "two", a="new", b="new")
    with pytest.raises(OwnershipLostError):
        preview_of(1).deploy(site, "mail-2", check_lease)

    preview_of(2).deploy(site, "mail-2", lambda: None)

    assert (deployment.page("a.html"), deployment.page("b.html")) == ("new", "new")
