"""The files of a work tree, and what is uncommitted."""

from __future__ import annotations

import pytest

from tests.support.world import World
from tests.unit.worker.small_site import FIRST, PAGE, SmallSite, run_job, tree_of
from webordinary_worker.git.thread_tree import ThreadTree
from webordinary_worker.jobs.pair_tools import PairTools


@pytest.fixture
def tree(site: SmallSite) -> ThreadTree:
    return tree_of(site.worker())


def write(tree: ThreadTree, text: str, path: str = PAGE) -> None:
    (tree.folder / path).write_text(text)


def test_long_output_is_not_truncated(tree: ThreadTree) -> None:
    names = {f"{number:04}-{'x' * 90}.txt" for number in range(1000)}
    for name in names:
        write(tree, "", name)

    assert set(tree.changed_files()) == names


def test_non_latin_file_names_are_read_unquoted(tree: ThreadTree) -> None:
    write(tree, "picture", "фото.webp")
    commit = tree.commit("A picture")

    assert tree.files_of(commit) == ("фото.webp",)


def test_changed_files_include_new_and_deleted_ones(tree: ThreadTree) -> None:
    (tree.folder / PAGE).unlink()
    write(tree, "new", "new.txt")

    assert set(tree.changed_files()) == {PAGE, "new.txt"}


def test_discard_removes_changes_and_new_files(tree: ThreadTree) -> None:
    write(tree, "changed")
    (tree.folder / "folder").mkdir()
    write(tree, "new", "folder/new.txt")
    tree.changed_files()
    write(tree, "newer", "folder/newer.txt")

    tree.discard_changes()

    assert (tree.folder / PAGE).read_text() == FIRST
    assert not (tree.folder / "folder").exists()


def test_packages_and_built_files_are_never_committed(tree: ThreadTree) -> None:
    for name in ("node_modules", ".astro", "dist"):
        (tree.folder / name).mkdir()
        write(tree, "x", f"{name}/x")

    assert tree.changed_files() == ()


def test_tree_has_no_git_folder(tree: ThreadTree) -> None:
    assert not (tree.folder / ".git").exists()


def test_base_of_a_thread_can_be_checked_out(tools: PairTools, world: World) -> None:
    run_job(world.job(instruction="second line"), tools)

    with tree_of(tools).checkout_base() as folder:
        assert (folder / PAGE).read_text() == FIRST
    assert not folder.exists()
