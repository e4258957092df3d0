"""What the commits of a thread say about its changes and jobs."""

from __future__ import annotations

from tests.unit.worker.small_site import SmallSite, tree_of
from webordinary.protocol.change_life import Made, Undone
from webordinary_worker.git.thread_commits import (
    INCLUDES_JOB,
    INTERRUPTED_JOB,
    JOB,
    TRAILERS,
    UNDOES,
    ThreadCommit,
    ThreadCommits,
)


def made(commit: str, key: str, *values: str, subject: str = "") -> ThreadCommit:
    trailers = {name: values if name == key else () for name in TRAILERS}
    return ThreadCommit(commit, f"tree of {commit}", "tree before", subject or commit, trailers)


def undo(commit: str, undone: str, job: str = "mail-9") -> ThreadCommit:
    trailers = dict.fromkeys(TRAILERS, ()) | {JOB: (job,), UNDOES: (undone,)}
    return ThreadCommit(commit, "tree before", f"tree of {commit}", f"Undo: {undone}", trailers)


def commits(*oldest_first: ThreadCommit) -> ThreadCommits:
    return ThreadCommits(reversed(oldest_first))


def test_undone_change_is_not_active() -> None:
    thread = commits(made("one", JOB, "mail-1"), made("two", JOB, "mail-2"), undo("three", "one"))

    assert [one.commit for one in thread.active_changes()] == ["two"]
    assert thread.events() == [Made("one", "one"), Made("two", "two"), Undone("one")]


def test_partial_work_waits_until_a_commit_includes_it() -> None:
    partial = made("part", INTERRUPTED_JOB, "mail-1", subject="interrupted: new prices")

    waiting = commits(partial)
    finished = commits(partial, made("all", INCLUDES_JOB, "mail-1"))

    assert (waiting.unfinished(), waiting.active_changes(), waiting.events()) == ([partial], [], [])
    assert finished.unfinished() == []
    assert finished.events() == [Made("part", "new prices"), Made("all", "all")]


def test_undo_by_a_later_mail_takes_partial_work_back() -> None:
    partial = made("part", INTERRUPTED_JOB, "mail-1")

    assert commits(partial, undo("back", "part", job="mail-2")).was_undone("mail-1")
    assert not commits(partial, undo("back", "part", job="mail-1")).was_undone("mail-1")


def test_commit_is_read_with_its_tree_and_trailers(site: SmallSite) -> None:
    tree = tree_of(site.worker())
    (tree.folder / "mine.txt").write_text("mine")
    own = tree.commit("Mine\n\nWebordinary-Job: mail-1\n")

    (found,) = tree.commits()

    assert (found.commit, found.jobs, found.tree, found.is_empty) == (own, ("mail-1",), tree.content, False)


def test_published_commits_stay_the_threads_own(site: SmallSite) -> None:
    tree = tree_of(site.worker())
    (tree.folder / "mine.txt").write_text("mine")
    commit = tree.commit("Mine")
    tree.push()
    clone = site.remote.with_name("merging")
    site.git("clone", "--quiet", str(site.remote), str(clone), cwd=site.remote.parent)
    site.git("merge", "--quiet", "--no-ff", "-m", "Publish: Mine", f"origin/{tree.branch}", cwd=clone)
    site.git("push", "--quiet", "origin", "HEAD:main", cwd=clone)
    tree._git("fetch", "--quiet", "origin")

    assert [change.commit for change in tree.commits().active_changes()] == [commit]


def test_commit_of_a_job_is_found_by_its_full_id() -> None:
    thread = commits(made("one", JOB, "mail-10"))

    assert thread.commit_of("mail-10") == thread[0]
    assert thread.commit_of("mail-1") is None
