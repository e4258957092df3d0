"""Changes in a copy of a tree, found while a confined user works in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from webordinary_worker.confinement.safe_copy import SafeCopy
from webordinary_worker.git.work_tree import is_excluded
from webordinary_worker.live_preview.tree_watch import MAX_FILE_BYTES, FileChange, TreeWatch, stamps_of


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    tree, copy = tmp_path / "tree", tmp_path / "copy"
    (tree / "src").mkdir(parents=True)
    (tree / "src" / "page.md").write_text("hello")
    (tree / "gone.md").write_text("bye")
    copy.mkdir()
    SafeCopy().run(tree, copy)
    return copy


@pytest.fixture
def watch(tmp_path: Path, copy: Path) -> TreeWatch:
    return TreeWatch(stamps_of(tmp_path / "tree", is_excluded), os.geteuid(), is_excluded)


def test_fresh_copy_has_no_changes(watch: TreeWatch, copy: Path) -> None:
    assert not list(watch.changes(copy))


def test_edits_new_files_and_removals_are_reported_once(watch: TreeWatch, copy: Path) -> None:
    (copy / "src" / "page.md").write_text("hello, world")
    (copy / "new").mkdir()
    (copy / "new" / "picture.bin").write_bytes(b"\0\1")
    (copy / "gone.md").unlink()

    changes = {change.path: change for change in watch.changes(copy)}

    assert changes == {
        "src/page.md": FileChange("src/page.md", b"hello, world"),
        "new/picture.bin": FileChange("new/picture.bin", b"\0\1"),
        "gone.md": FileChange("gone.md", None),
    }
    assert not list(watch.changes(copy))


def test_links_pipes_and_excluded_folders_are_not_read(watch: TreeWatch, copy: Path) -> None:
    (copy / "link.md").symlink_to("/etc/passwd")
    (copy / "linked").symlink_to("/etc")
    os.mkfifo(copy / "pipe.md")
    for name in ("node_modules", ".git", "dist"):
        (copy / name).mkdir()
        (copy / name / "file").write_text("x")

    assert not list(watch.changes(copy))


def test_file_of_another_user_is_not_read(tmp_path: Path, copy: Path) -> None:
    (copy / "src" / "page.md").write_text("not theirs")
    watch = TreeWatch(stamps_of(tmp_path / "tree", is_excluded), os.geteuid() + 1, is_excluded)

    assert not list(watch.changes(copy))


def test_too_large_file_is_left_out(watch: TreeWatch, copy: Path) -> None:
    with (copy / "large.bin").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)

    assert not list(watch.changes(copy))
