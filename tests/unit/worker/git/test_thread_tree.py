"""What a job does on the branch of its thread."""

from __future__ import annotations

import pytest

from tests.unit.worker.small_site import PAGE, SmallSite, tree_of
from webordinary_worker.failures import ConflictError
from webordinary_worker.git.command import GitError
from webordinary_worker.git.thread_tree import ThreadTree


@pytest.fixture
def tree(site: SmallSite) -> ThreadTree:
    return tree_of(site.worker())


def write(tree: ThreadTree, text: str, path: str = PAGE) -> None:
    (tree.folder / path).write_text(text)


def test_catch_up_resets_to_the_remote_branch(site: SmallSite, tree: ThreadTree) -> None:
    """Unpushed commits are leftovers of a run that was cancelled; its job runs again."""
    write(tree, "mine", "mine.txt")
    tree.commit("Mine")
    site.push_as_developer("theirs.txt", "theirs")
    tree._git("fetch", "--quiet", "origin")

    tree.catch_up()

    assert {path.name for path in tree.folder.iterdir()} == {PAGE, "theirs.txt"}
    assert tree.subject_of("HEAD") == "A developer's change"


def test_rebase_with_a_conflict_resets_to_the_remote(site: SmallSite, tree: ThreadTree) -> None:
    write(tree, "mine\n")
    tree.commit("Mine")
    site.push_as_developer(PAGE, "theirs\n")

    with pytest.raises(ConflictError):
        tree.rebase()
    assert (tree.folder / PAGE).read_text() == "theirs\n"
    assert tree.changed_files() == ()


def test_lease_is_checked_before_each_push_attempt(site: SmallSite, tree: ThreadTree) -> None:
    site.push_as_developer("theirs.txt", "theirs")
    write(tree, "mine", "mine.txt")
    tree.commit("Mine")
    checks: list[int] = []

    pushed = tree.push(lambda: checks.append(1))

    assert len(checks) == 2
    assert site.head() == pushed


def test_push_without_rebase_checks_the_lease_once(site: SmallSite, tree: ThreadTree) -> None:
    write(tree, "mine", "mine.txt")
    commit = tree.commit("Mine")
    checks: list[int] = []

    pushed = tree.push(lambda: checks.append(1))

    assert (pushed, len(checks)) == (commit, 1)


def test_push_rejected_twice_is_a_conflict(site: SmallSite, tree: ThreadTree, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tree, "mine", "mine.txt")
    tree.commit("Mine")
    numbers = iter(range(10))

    def push_first() -> None:
        site.push_as_developer("theirs.txt", "theirs" * (number := next(numbers) + 1), f"Change {number}")

    with pytest.raises(ConflictError):
        tree.push(push_first)


def test_push_that_fails_for_another_reason_is_no_conflict(site: SmallSite, tree: ThreadTree) -> None:
    site.remote.rename(site.remote.with_name("moved.git"))

    with pytest.raises(GitError, match="git push failed"):
        tree.push()
