"""The work tree of a thread: what a job does on the thread's branch.

The remote branch is authoritative: a tree is reset to it before a job.
"""

from __future__ import annotations

from collections.abc import Callable

from webordinary_worker.failures import ConflictError
from webordinary_worker.git.command import GitError
from webordinary_worker.git.thread_commits import UNDOES
from webordinary_worker.git.work_tree import NOT_COMMITTED, WorkTree


class ThreadTree(WorkTree):
    """A work tree on the thread's branch. A job's work is everything since its base."""

    _work_base = ""  # what this job's work is committed on

    def begin_work(self) -> None:
        """Makes the present commit the base of this job's work."""
        self._work_base = self.head

    def catch_up(self) -> None:
        """Resets the tree to the remote branch. Unpushed commits are leftovers of a run that was cancelled."""
        self.reset_to_remote()  # removes files of submodules that no longer exist
        self.update_submodules()

    def reset_to_remote(self) -> None:
        """Discards everything that is not pushed."""
        self.reset(self._start)
        self.begin_work()

    def push(self, check_lease: Callable[[], None] = lambda: None) -> str:
        """Pushes the branch. A rejected push is rebased and retried once. Returns the pushed commit."""
        if not self.push_once(check_lease):
            self.rebase()
            if not self.push_once(check_lease):
                raise ConflictError
        return self.head

    def rebase(self) -> None:
        """Fetches, and rebases unpushed commits onto the remote branch."""
        own = int(self._git("rev-list", "--count", f"{self._work_base}..HEAD")) if self._work_base else 0
        self._git("fetch", "--quiet", "origin")
        try:
            self._rebase()
        except ConflictError:
            self.begin_work()
            raise
        self._work_base = self._git("rev-parse", f"HEAD~{own}").strip()

    def stage_undo(self, commit: str) -> None:
        """Reverts a commit in the tree, without committing."""
        try:
            self._git("revert", "--no-commit", "--no-edit", commit)
        except GitError as error:
            self._git.run("revert", "--abort")
            self.discard_changes()
            raise ConflictError from error

    def stage_tree_of(self, commit: str) -> str | None:
        """Makes a commit's files the uncommitted changes. Returns a snapshot of them, or None if there are none."""
        tree = self._git("rev-parse", f"{commit}^{{tree}}").strip()
        if tree == self.content:
            return None
        snapshot = self._git("commit-tree", tree, "-p", self.head, "-m", NOT_COMMITTED).strip()
        self._git("read-tree", "--reset", "-u", commit)
        return snapshot

    def restore(self, snapshot: str) -> bool:
        """Makes the tree's uncommitted changes those of a snapshot. False if later commits conflict with it."""
        self.discard_changes()
        if not self._git.succeeds("cherry-pick", "--no-commit", snapshot):
            self.discard_changes()
            return False
        return bool(self.changed_files())

    def discard_own(self) -> None:
        """Discards everything that this job has done and not pushed, except the revert of partial work."""
        is_unpushed = self._work_base and not self._git.succeeds("merge-base", "--is-ancestor", "HEAD", self._upstream)
        self.reset(self._work_base if is_unpushed else "HEAD")

    def uncommit(self) -> None:
        """Turns the unpushed commits of this job into uncommitted changes again."""
        if not self._work_base:
            self.reset_to_remote()  # the job was cancelled before it began
        self._git("reset", "--soft", self._work_base)

    def revert_pushed(self, message: str) -> None:
        """Commits the revert of this job's own commits."""
        own = self._git("rev-list", f"{self._work_base}..HEAD").split()
        self._git("read-tree", "--reset", "-u", self._work_base)
        self.commit(message + "".join(f"{UNDOES}: {commit}\n" for commit in own))

    def _rebase(self) -> None:
        if not self._git.succeeds("rebase", "--quiet", self._upstream):
            self._git.run("rebase", "--abort")
            self._git("reset", "--hard", "--quiet", self._upstream)
            raise ConflictError

    @property
    def _start(self) -> str:
        """The remote branch; for a thread without one, the main branch."""
        if self._git.succeeds("rev-parse", "--verify", "--quiet", self._upstream):
            return self._upstream
        return f"refs/remotes/origin/{self._default_branch}"
