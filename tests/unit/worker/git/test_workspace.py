"""The work trees of a pair: one per thread, from one repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.world import THREAD, World
from tests.unit.worker.small_site import FIRST, PAGE, SmallSite, run_job, tree_of
from webordinary.contract.names import branch_of


def test_only_the_worker_can_access_the_repository(site: SmallSite) -> None:
    tools = site.worker()
    tree_of(tools)

    assert (tools.workspace.folder / "repository").stat().st_mode & 0o777 == 0o700
    assert tools.workspace.folder.stat().st_mode & 0o777 == 0o711


def test_opening_a_tree_keeps_its_changes(site: SmallSite) -> None:
    workspace = site.worker().workspace
    (workspace.open(THREAD).folder / PAGE).write_text("kept")

    assert (workspace.open(THREAD).folder / PAGE).read_text() == "kept"


def test_only_the_running_threads_folder_can_be_entered(site: SmallSite) -> None:
    workspace, other = site.worker().workspace, "b" * 26

    for thread_id in (THREAD, other):
        workspace.open(thread_id)

    modes = {folder.name: folder.stat().st_mode & 0o777 for folder in workspace.folder.iterdir()}
    assert modes == {"repository": 0o700, THREAD: 0o700, other: 0o711}
    assert workspace.open(THREAD).folder.stat().st_mode & 0o777 == 0o700


def test_lost_tree_is_created_again(site: SmallSite) -> None:
    workspace = site.worker().workspace
    tree = workspace.open(THREAD)
    tree.folder.rename(tree.folder.with_name("lost"))

    assert (workspace.open(THREAD).folder / PAGE).read_text() == FIRST


def test_incomplete_tree_is_created_again(site: SmallSite, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = site.worker().workspace

    def disk_is_full(*_: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", disk_is_full)
        with pytest.raises(OSError, match="no space left"):
            workspace.open(THREAD)

    assert (workspace.open(THREAD).folder / PAGE).read_text() == FIRST


def test_new_worker_starts_from_the_pushed_thread_branch(site: SmallSite) -> None:
    site.push_as_developer(PAGE, "pushed\n")

    tree = tree_of(site.worker())

    assert (tree.folder / PAGE).read_text() == "pushed\n"
    assert (tree.branch, len(tree.commits())) == (branch_of(THREAD), 1)


def test_attributes_of_the_repository_do_not_merge_without_a_conflict(site: SmallSite, world: World) -> None:
    site.push_as_developer(".gitattributes", "* merge=union export-ignore\n", branch="main")
    run_job(world.job("mail-1", instruction="ours"), site.worker())
    site.push_as_developer(PAGE, FIRST + "theirs\n", branch="main")
    tools = site.worker()

    with tree_of(tools).checkout_base() as base:
        assert (base / PAGE).is_file()
    assert tools.workspace.open_main(THREAD).merge(f"refs/remotes/origin/{branch_of(THREAD)}") == (PAGE,)
