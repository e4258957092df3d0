"""Safe copies: what is copied, what is left out, and that git runs nothing of a copy."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.world import THREAD, World
from tests.unit.worker.small_site import PAGE, SmallSite, append_line, run_job
from webordinary.contract.outcomes import Command, Failure, Result
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.confinement.safe_copy import OverQuotaError, Quota, SafeCopy, copy_for_user, is_git_folder
from webordinary_worker.failures import TooLargeError
from webordinary_worker.git.thread_tree import ThreadTree
from webordinary_worker.jobs.pair_tools import PairTools

OTHER_THREAD = "b" * 26
SMALL = Quota(files=10, file_bytes=1000, total_bytes=1500)


@pytest.fixture
def tree(tools: PairTools) -> ThreadTree:
    return tools.workspace.open(THREAD)


def hostile_repository(folder: Path, trace: Path) -> None:
    """A nested repository whose configuration makes git run a program."""
    program = folder / "program.sh"
    folder.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {trace}\ncat\n")
    program.chmod(0o755)
    git = ["git", "-c", "user.name=Eve", "-c", "user.email=eve@example.com"]
    for arguments in (
        ["init", "--quiet"],
        ["add", "--all"],
        ["commit", "--quiet", "-m", "nested"],
        ["config", "core.fsmonitor", str(program)],
        ["config", "filter.evil.clean", str(program)],
    ):
        subprocess.run([*git, *arguments], cwd=folder, check=True)
    (folder / ".gitattributes").write_text("* filter=evil\n")
    (folder / "page.txt").write_text("changed")


def test_nested_repository_runs_nothing(tree: ThreadTree, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    hostile_repository(tree.folder / "nested", trace)

    changed = tree.changed_files()
    tree.commit("with a nested repository")

    assert not trace.exists()
    assert "nested/page.txt" in changed  # as files, not as a link to a repository


@pytest.mark.parametrize("kind", ["file", "link"])
def test_git_file_or_link_to_another_repository_runs_nothing(tree: ThreadTree, tmp_path: Path, kind: str) -> None:
    trace = tmp_path / "trace"
    hostile_repository(tmp_path / "elsewhere", trace)
    (tree.folder / "nested").mkdir()
    (tree.folder / "nested/page.txt").write_text("changed")
    if kind == "file":
        (tree.folder / "nested/.git").write_text(f"gitdir: {tmp_path}/elsewhere/.git\n")
    else:
        (tree.folder / "nested/.git").symlink_to(tmp_path / "elsewhere/.git")

    tree.changed_files()

    assert not trace.exists()
    assert (tmp_path / "elsewhere/.git").is_dir()


def test_nested_repository_of_the_agent_is_committed_as_files(
    site: SmallSite, tools: PairTools, world: World, tmp_path: Path
) -> None:
    def leave(prompt: str, tree: Path) -> AgentResult:
        hostile_repository(tree / "nested", tmp_path / "trace")
        return append_line(prompt, tree)

    site.agent = leave
    outcome = run_job(world.job(), tools)

    assert outcome.state == "done"
    assert not (tmp_path / "trace").exists()
    assert site.page("nested/page.txt") == "changed"


@pytest.mark.parametrize(
    "name", [".git", ".GIT", ".Git", "git~1", "GIT~1", ".git ", ".git.", ".g\u200cit", ".git::$DATA"]
)
def test_all_spellings_of_git_folder_are_recognised(name: str) -> None:
    assert is_git_folder(name)


@pytest.mark.parametrize("name", [".gitignore", ".gitattributes", ".github", "git", "a.git"])
def test_other_names_are_not_git_folders(name: str) -> None:
    assert not is_git_folder(name)


def test_commit_ignores_changes_of_another_thread_in_a_copy(site: SmallSite, tools: PairTools, world: World) -> None:
    run_job(world.job("mail-1", thread_id=OTHER_THREAD), tools)
    copy = tools.workspace.thread_folder(OTHER_THREAD) / "agent/tree"

    def write_into_the_other_thread(prompt: str, tree: Path) -> AgentResult:
        (copy / PAGE).write_text("by another thread")
        return append_line(prompt, tree)

    site.agent = write_into_the_other_thread
    run_job(world.job("mail-2"), tools)
    outcome = run_job(world.job("mail-3", thread_id=OTHER_THREAD, command=Command.COMMIT), tools)

    assert outcome.result == Result.NOTHING_TO_COMMIT


class TestCopies:
    @pytest.fixture
    def source(self, tmp_path: Path) -> Path:
        (tmp_path / "source/folder").mkdir(parents=True)
        (tmp_path / "source/folder/file").write_text("text")
        (tmp_path / "source/program").write_text("#!/bin/sh\n")
        (tmp_path / "source/program").chmod(0o755)
        (tmp_path / "source/link").symlink_to("folder/file")
        return tmp_path / "source"

    @pytest.fixture
    def target(self, tmp_path: Path) -> Path:
        (tmp_path / "target").mkdir()
        return tmp_path / "target"

    def test_copy_has_files_folders_links_and_modes(self, source: Path, tmp_path: Path) -> None:
        copy_for_user(source, tmp_path / "copy", None)

        copy = tmp_path / "copy"
        assert (copy / "folder/file").read_text() == "text"
        assert (copy / "link").readlink() == Path("folder/file")
        assert [(copy / name).stat().st_mode & 0o777 for name in ("program", "folder/file")] == [0o755, 0o644]
        assert copy.stat().st_mode & 0o777 == 0o700

    def test_copy_for_user_removes_earlier_files(self, source: Path, tmp_path: Path) -> None:
        (tmp_path / "copy").mkdir()
        (tmp_path / "copy/left").touch()

        copy_for_user(source, tmp_path / "copy", None)

        assert not (tmp_path / "copy/left").exists()

    def test_copy_applies_changed_removed_and_replaced_entries(self, source: Path, target: Path) -> None:
        SafeCopy().run(source, target)
        (source / "folder/file").unlink()
        (source / "folder").rmdir()
        (source / "folder").write_text("a file now")
        (source / "program").unlink()
        (source / "program").mkdir()
        (source / "link").unlink()

        SafeCopy().run(source, target)

        assert {path.name for path in target.iterdir()} == {"folder", "program"}
        assert (target / "folder").read_text() == "a file now"
        assert (target / "program").is_dir()

    def test_link_in_the_target_is_replaced_not_followed(self, source: Path, target: Path, tmp_path: Path) -> None:
        (tmp_path / "secret").mkdir()
        (tmp_path / "secret/file").write_text("secret")
        (target / "folder").symlink_to(tmp_path / "secret")
        (target / "program").symlink_to(tmp_path / "secret/file")

        SafeCopy().run(source, target)

        assert (tmp_path / "secret/file").read_text() == "secret"
        assert not (target / "folder").is_symlink()

    def test_pipes_and_unwanted_links_are_left_out(self, source: Path, target: Path) -> None:
        os.mkfifo(source / "pipe")

        SafeCopy(with_links=False).run(source, target)

        assert {path.name for path in target.iterdir()} == {"folder", "program"}

    def test_files_of_other_users_are_left_out(self, source: Path, target: Path) -> None:
        SafeCopy(source_uid=os.geteuid() + 1).run(source, target)

        assert [path.name for path in target.rglob("*") if path.is_file() and not path.is_symlink()] == []

    def test_skipped_names_are_unchanged_in_the_target(self, source: Path, target: Path) -> None:
        (target / "folder").mkdir()
        (target / "folder/kept").touch()

        SafeCopy(skip=lambda name: name == "folder").run(source, target)

        assert [path.name for path in (target / "folder").iterdir()] == ["kept"]

    def test_sparse_file_counts_with_its_apparent_size(self, source: Path, target: Path) -> None:
        with (source / "sparse").open("wb") as file:
            file.truncate(50 * 1024**3)

        with pytest.raises(OverQuotaError, match="a file has more than 1000 bytes"):
            SafeCopy(SMALL).run(source, target)

    @pytest.mark.parametrize(("count", "size", "message"), [(20, 1, "more than 10 files"), (4, 600, "in total")])
    def test_too_many_files_or_bytes_are_refused(
        self, source: Path, target: Path, count: int, size: int, message: str
    ) -> None:
        for number in range(count):
            (source / f"file-{number}").write_bytes(b"x" * size)

        with pytest.raises(OverQuotaError, match=message):
            SafeCopy(SMALL).run(source, target)

    def test_too_deeply_nested_folders_are_refused(self, source: Path, target: Path) -> None:
        (source / "/".join(["deep"] * 80)).mkdir(parents=True)

        with pytest.raises(OverQuotaError, match="deep"):
            SafeCopy().run(source, target)


def test_changes_are_discarded_if_the_copy_is_too_large(tree: ThreadTree, tmp_path: Path) -> None:
    copy_for_user(tree.folder, tmp_path / "copy", None)
    (tmp_path / "copy" / "nested").mkdir()
    for number in range(9):  # some of them arrive
        (tmp_path / "copy" / "nested" / f"{number}.txt").write_text("x" * 400)

    with pytest.raises(TooLargeError) as refused:
        tree.import_copy(tmp_path / "copy", None, SMALL)

    assert refused.value.failure == Failure.SITE_TOO_LARGE
    assert tree.changed_files() == ()
