"""Git on an untrusted repository, and the work trees of a pair."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.world import THREAD, World
from tests.unit.worker.small_site import FIRST, PAGE, SmallSite, run_job, tree_of
from webordinary.contract.names import branch_of
from webordinary_worker.failures import ConflictError
from webordinary_worker.git import command as git_module
from webordinary_worker.git.command import Git, GitError, Identity
from webordinary_worker.git.work_tree import WorkTree
from webordinary_worker.jobs.pair_tools import PairTools

ADA = Identity("Ada", "ada@example.com")


@pytest.fixture
def git(site: SmallSite, tmp_path: Path) -> Git:
    return Git(tmp_path / "site/.git", ADA, tmp_path / "site")


@pytest.fixture
def tree(site: SmallSite) -> WorkTree:
    return tree_of(site.worker())


def write(tree: WorkTree, text: str, path: str = PAGE) -> None:
    (tree.folder / path).write_text(text)


def test_failed_git_command_raises_with_its_output(git: Git) -> None:
    with pytest.raises(GitError, match=r"git show failed: .*no-such-commit") as refused:
        git("show", "no-such-commit")
    assert "no-such-commit" in refused.value.output
    assert not git.succeeds("show", "no-such-commit")
    assert git.succeeds("show", "HEAD")


def test_stderr_of_a_successful_command_is_not_output(git: Git) -> None:
    assert git("-c", "alias.talk=!echo out; echo warning >&2", "talk") == "out\n"


def test_git_command_times_out(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_module, "TIMEOUT_SECONDS", 0.5)

    with pytest.raises(GitError, match=r"timed out after 0\.5 seconds"):
        git.run("-c", "alias.wait=!sleep 60", "wait")


def test_long_output_is_not_truncated(tree: WorkTree) -> None:
    names = {f"{number:04}-{'x' * 90}.txt" for number in range(1000)}
    for name in names:
        write(tree, "", name)

    assert set(tree.changed_files()) == names


def test_git_ignores_the_users_configuration(git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".gitconfig").write_text('[alias]\n\tevil = "!echo evil"\n')
    monkeypatch.setenv("HOME", str(tmp_path))

    assert not git.succeeds("evil")


def test_hooks_of_a_repository_do_not_run(git: Git, tmp_path: Path) -> None:
    hook = tmp_path / "site/.git/hooks/post-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/trace\n")
    hook.chmod(0o755)

    git("commit", "--quiet", "--allow-empty", "-m", "x")

    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize("local", [True, False])
def test_local_folder_is_a_remote_only_if_the_project_says_so(site: SmallSite, tmp_path: Path, local: bool) -> None:
    git = Git(tmp_path / "site/.git", ADA, tmp_path / "site", local_remote=local)

    assert git.succeeds("ls-remote", site.remote.as_uri()) is local


def test_commits_have_the_given_identity(git: Git) -> None:
    git("commit", "--quiet", "--allow-empty", "-m", "x")

    assert git("log", "-1", "--format=%an %ae %cn %ce") == "Ada ada@example.com Ada ada@example.com\n"


def test_non_latin_file_names_are_read_unquoted(tree: WorkTree) -> None:
    write(tree, "picture", "фото.webp")
    commit = tree.commit("A picture")

    assert tree.files_of(commit) == ("фото.webp",)


def test_changed_files_include_new_and_deleted_ones(tree: WorkTree) -> None:
    (tree.folder / PAGE).unlink()
    write(tree, "new", "new.txt")

    assert set(tree.changed_files()) == {PAGE, "new.txt"}


def test_discard_removes_changes_and_new_files(tree: WorkTree) -> None:
    write(tree, "changed")
    (tree.folder / "folder").mkdir()
    write(tree, "new", "folder/new.txt")
    tree.changed_files()
    write(tree, "newer", "folder/newer.txt")

    tree.discard_changes()

    assert (tree.folder / PAGE).read_text() == FIRST
    assert not (tree.folder / "folder").exists()


def test_packages_and_built_files_are_never_committed(tree: WorkTree) -> None:
    for name in ("node_modules", ".astro", "dist"):
        (tree.folder / name).mkdir()
        write(tree, "x", f"{name}/x")

    assert tree.changed_files() == ()


def test_tree_has_no_git_folder(tree: WorkTree) -> None:
    assert not (tree.folder / ".git").exists()


def test_only_the_worker_can_access_the_repository(site: SmallSite) -> None:
    tools = site.worker()
    tree_of(tools)

    assert (tools.workspace.folder / "repository").stat().st_mode & 0o777 == 0o700
    assert tools.workspace.folder.stat().st_mode & 0o777 == 0o711


def test_opening_a_tree_keeps_its_changes(site: SmallSite) -> None:
    workspace = site.worker().workspace
    write(workspace.open(THREAD), "kept")

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
    assert (tree.branch, tree.count_commits()) == (branch_of(THREAD), 1)


def test_catch_up_resets_to_the_remote_branch(site: SmallSite, tree: WorkTree) -> None:
    """Unpushed commits are leftovers of a run that was cancelled; its job runs again."""
    write(tree, "mine", "mine.txt")
    tree.commit("Mine")
    site.push_as_developer("theirs.txt", "theirs")
    tree._git("fetch", "--quiet", "origin")

    tree.catch_up()

    assert {path.name for path in tree.folder.iterdir()} == {PAGE, "theirs.txt"}
    assert tree.subject_of("HEAD") == "A developer's change"


def test_rebase_with_a_conflict_resets_to_the_remote(site: SmallSite, tree: WorkTree) -> None:
    write(tree, "mine\n")
    tree.commit("Mine")
    site.push_as_developer(PAGE, "theirs\n")

    with pytest.raises(ConflictError):
        tree.rebase()
    assert (tree.folder / PAGE).read_text() == "theirs\n"
    assert tree.changed_files() == ()


def test_published_commits_stay_the_threads_own(site: SmallSite, tree: WorkTree) -> None:
    write(tree, "mine", "mine.txt")
    commit = tree.commit("Mine")
    tree.push()
    clone = site.remote.with_name("merging")
    site.git("clone", "--quiet", str(site.remote), str(clone), cwd=site.remote.parent)
    site.git("merge", "--quiet", "--no-ff", "-m", "Publish: Mine", f"origin/{tree.branch}", cwd=clone)
    site.git("push", "--quiet", "origin", "HEAD:main", cwd=clone)
    tree._git("fetch", "--quiet", "origin")

    assert [change.commit for change in tree.active_changes()] == [commit]


def test_lease_is_checked_before_each_push_attempt(site: SmallSite, tree: WorkTree) -> None:
    site.push_as_developer("theirs.txt", "theirs")
    write(tree, "mine", "mine.txt")
    tree.commit("Mine")
    checks: list[int] = []

    pushed = tree.push(lambda: checks.append(1))

    assert len(checks) == 2
    assert site.head() == pushed


def test_push_without_rebase_checks_the_lease_once(site: SmallSite, tree: WorkTree) -> None:
    write(tree, "mine", "mine.txt")
    commit = tree.commit("Mine")
    checks: list[int] = []

    pushed = tree.push(lambda: checks.append(1))

    assert (pushed, len(checks)) == (commit, 1)


def test_push_rejected_twice_is_a_conflict(site: SmallSite, tree: WorkTree, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tree, "mine", "mine.txt")
    tree.commit("Mine")
    numbers = iter(range(10))

    def push_first() -> None:
        site.push_as_developer("theirs.txt", "theirs" * (number := next(numbers) + 1), f"Change {number}")

    with pytest.raises(ConflictError):
        tree.push(push_first)


def test_push_that_fails_for_another_reason_is_no_conflict(site: SmallSite, tree: WorkTree) -> None:
    site.remote.rename(site.remote.with_name("moved.git"))

    with pytest.raises(GitError, match="git push failed"):
        tree.push()


def test_commit_of_a_job_is_found_by_its_full_id(tree: WorkTree) -> None:
    write(tree, "one\n")
    commit = tree.commit("One\n\nWebordinary-Job: mail-10\n")

    assert tree.commit_of("mail-10") == commit
    assert tree.commit_of("mail-1") is None


def test_base_of_a_thread_can_be_checked_out(tools: PairTools, world: World) -> None:
    run_job(world.job(instruction="second line"), tools)

    with tree_of(tools).checkout_base() as folder:
        assert (folder / PAGE).read_text() == FIRST
    assert not folder.exists()


def test_attributes_of_the_repository_do_not_merge_without_a_conflict(site: SmallSite, world: World) -> None:
    site.push_as_developer(".gitattributes", "* merge=union export-ignore\n", branch="main")
    run_job(world.job("mail-1", instruction="ours"), site.worker())
    site.push_as_developer(PAGE, FIRST + "theirs\n", branch="main")
    tools = site.worker()

    with tree_of(tools).checkout_base() as base:
        assert (base / PAGE).is_file()
    assert tools.workspace.open_main(THREAD).merge(f"refs/remotes/origin/{branch_of(THREAD)}") == (PAGE,)
