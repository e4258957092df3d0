"""A git work tree without a `.git` folder: its changes, commits and pushes.

The remote branch is authoritative. A tree is updated to it before a job; unpushed commits are rebased onto it.
"""

from __future__ import annotations

import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from webordinary.archives import unpack_tar
from webordinary_worker.confinement.safe_copy import OverQuotaError, Quota, SafeCopy, is_git_folder
from webordinary_worker.failures import ConflictError, TooLargeError
from webordinary_worker.git.build_history import History
from webordinary_worker.git.command import Git, GitError, remove_repositories
from webordinary_worker.git.submodules import MissingSubmodule, Submodules, submodules_of

NEVER_COMMITTED = ("node_modules", ".astro", "dist")
JOB = "Webordinary-Job"
INTERRUPTED_JOB = "Webordinary-Interrupted-Job"
UNDOES = "Webordinary-Undoes"
PLAIN_FILES = ("100644", "100755")
NOT_COMMITTED = "Not committed yet"


@dataclass(frozen=True)
class PushResult:
    commit: str
    rebased: bool  # onto other people's commits: the earlier build does not match the pushed tree


@dataclass(frozen=True)
class ThreadChange:
    """The commit of one mail."""

    commit: str
    subject: str
    interrupted_job: str = ""  # the job whose partial work this is


class WorkTree:
    """A thread's work tree."""

    def __init__(
        self, folder: Path, git: Git, branch: str, default_branch: str, submodules: Submodules | None = None
    ) -> None:
        self.folder = folder
        self.branch = branch
        self.missing_submodules: tuple[MissingSubmodule, ...] = ()
        self.has_resumed = False
        self._git = git
        self._default_branch = default_branch
        self._submodules = submodules

    @property
    def head(self) -> str:
        return self._git("rev-parse", "HEAD").strip()

    @property
    def content(self) -> str:
        """The id of the committed git tree."""
        return self._git("rev-parse", "HEAD^{tree}").strip()

    def changed_files(self) -> tuple[str, ...]:
        """The files that differ from the last commit, new files included."""
        self._add_all()
        return tuple(filter(None, self._git("diff", "--cached", "--name-only", "-z").split("\0")))

    def import_copy(self, copy: Path, owner: int | None, quota: Quota) -> None:
        """Replaces the tree by a confined user's copy of it. No process of that user may be running."""
        safe_copy = SafeCopy(quota, source_uid=owner, skip=is_excluded)
        try:
            safe_copy.run(copy, self.folder)
        except OverQuotaError as error:
            self.discard_changes()
            raise TooLargeError(error.what) from error
        self.update_submodules()  # changes in submodules are never committed, so a preview must not show them

    def commit(self, message: str) -> str:
        self._add_all()
        self._git("commit", "--quiet", "--no-verify", "--no-gpg-sign", "-m", message)
        return self.head

    def discard_changes(self) -> None:
        """Discards all uncommitted changes."""
        self._git("reset", "--hard", "--quiet")
        self._git("clean", "-ffdq")

    def push(self, check_lease: Callable[[], None] = lambda: None) -> PushResult:
        """Pushes the branch without force. A rejected push is rebased and retried once.

        The lease is checked before each attempt: the remote may have the push of a newer worker.
        """
        check_lease()
        if self._try_push():
            return PushResult(self.head, rebased=False)
        self._git("fetch", "--quiet", "origin")
        self._rebase()
        check_lease()
        if not self._try_push():
            raise ConflictError
        return PushResult(self.head, rebased=True)

    def catch_up(self) -> None:
        """Updates the tree to the remote branch and rebases unpushed commits onto it."""
        self.discard_changes()
        upstream = self._upstream
        exists = self._git.succeeds("rev-parse", "--verify", "--quiet", upstream)
        if exists and not self._git.succeeds("merge-base", "--is-ancestor", upstream, "HEAD"):
            self._rebase()
            self.discard_changes()  # removes files of submodules that no longer exist
        self.update_submodules()

    def update_submodules(self) -> None:
        """Copies the files of the submodules into the tree."""
        if self._submodules is not None:
            self.missing_submodules = self._submodules.checkout(self._git, "HEAD", self.folder)

    def submodule_folders(self) -> tuple[str, ...]:
        return tuple(one.path for one in submodules_of(self._git, "HEAD"))

    def active_changes(self) -> list[ThreadChange]:
        """The thread's own changes that are not undone, newest first."""
        trailers = "%x00".join(f"%(trailers:key={key},valueonly,separator=%x20)" for key in (UNDOES, INTERRUPTED_JOB))
        undone: set[str] = set()
        active = []
        for line in self._git("log", f"--format=%H%x00{trailers}%x00%s", self._own_commits).splitlines():
            commit, undoes, interrupted_job, subject = line.split("\0", 3)
            if undoes.strip():
                undone.update(undoes.split())
            elif commit not in undone:
                active.append(ThreadChange(commit, subject, interrupted_job.strip()))
        return active

    def stage_undo(self, commit: str) -> None:
        """Reverts a commit in the tree, without committing."""
        try:
            self._git("revert", "--no-commit", "--no-edit", commit)
        except GitError as error:
            self._git.run("revert", "--abort")
            self.discard_changes()
            raise ConflictError from error

    def commit_of(self, job_id: str) -> str | None:
        """The commit of a job on this branch, or None."""
        log = self._git("log", f"--format=%H %(trailers:key={JOB},valueonly,separator=%x20)", self._own_commits)
        return next((commit for commit, *jobs in map(str.split, log.splitlines()) if job_id in jobs), None)

    def resume_interrupted(self, job_id: str, message: str) -> bool:
        """Turns the partial commit of an interrupted job into uncommitted changes again.

        So the job ends with one commit of all its work, or with none. Returns whether there is partial work.
        """
        part = next((one.commit for one in self.active_changes() if one.interrupted_job == job_id), None)
        if part is None:
            return False
        before = self.head
        try:
            self.stage_undo(part)
        except ConflictError:
            return True  # later commits build on it: it stays a separate commit
        if not self.changed_files():
            return False  # it was already removed by hand
        self.commit(f"{message}\n\n{UNDOES}: {part}\n")
        self._git("read-tree", "--reset", "-u", before)
        self.has_resumed = True
        return True

    def undone_commit(self, commit: str) -> str:
        """The commit that an undo commit has reverted."""
        return self._git("log", "-1", f"--format=%(trailers:key={UNDOES},valueonly)", commit).strip()

    def files_of(self, commit: str) -> tuple[str, ...]:
        names = self._git("diff-tree", "--no-commit-id", "--name-only", "-r", "-z", commit)
        return tuple(filter(None, names.split("\0")))

    def subject_of(self, commit: str) -> str:
        return self._git("log", "-1", "--format=%s", commit).strip()

    def count_commits(self) -> int:
        """The number of commits on the thread's branch."""
        return int(self._git("rev-list", "--count", self._own_commits))

    def history(self) -> History:
        """The history of the current tree. Uncommitted changes count as one more commit, made now."""
        self._add_all()
        tree, tip = self._git("write-tree").strip(), self.head
        if tree != self.content:
            tip = self._git("commit-tree", tree, "-p", tip, "-m", NOT_COMMITTED).strip()
        return History(self._git, tip, self._default_branch)

    def base_history(self) -> History:
        return History(self._git, self._base, self._default_branch)

    @contextmanager
    def checkout_base(self) -> Iterator[Path]:
        """A temporary checkout of the commit on which the thread is based."""
        commit = self._base
        with tempfile.TemporaryDirectory(prefix="base-", dir=self.folder.parent) as temporary:
            archive, folder = Path(temporary) / "tree.tar", Path(temporary) / "tree"
            self._git("archive", "--format=tar", f"--output={archive}", commit)
            folder.mkdir()
            with tarfile.open(archive) as packed:
                unpack_tar(packed, folder)
            if self._submodules is not None:
                self._submodules.checkout(self._git, commit, folder)
            yield folder

    def published_file(self, path: str) -> str | None:
        """A plain file of the default branch, whatever the thread has made of it."""
        commit = f"refs/remotes/origin/{self._default_branch}"
        entry = self._git("ls-tree", commit, "--", path).partition("\t")[0].split()
        if not entry or entry[0] not in PLAIN_FILES:
            return None
        return self._git("show", entry[2])

    def _add_all(self) -> None:
        remove_repositories(self.folder)
        self._git("add", "--all")

    @property
    def _base(self) -> str:
        return self._git("merge-base", f"refs/remotes/origin/{self._default_branch}", "HEAD").strip()

    @property
    def _upstream(self) -> str:
        return f"refs/remotes/origin/{self.branch}"

    @property
    def _own_commits(self) -> str:
        return f"refs/remotes/origin/{self._default_branch}..HEAD"

    def _try_push(self) -> bool:
        code, output = self._git.run("push", "--quiet", "--no-verify", "origin", f"HEAD:refs/heads/{self.branch}")
        if code == 0:
            return True
        if "rejected" in output or "fetch first" in output:
            return False
        raise GitError(("push",), output)

    def _rebase(self) -> None:
        if not self._git.succeeds("rebase", "--quiet", self._upstream):
            self._git.run("rebase", "--abort")
            self._git("reset", "--hard", "--quiet", self._upstream)
            raise ConflictError


def is_excluded(name: str) -> bool:
    return name in NEVER_COMMITTED or is_git_folder(name)
