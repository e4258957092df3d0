"""A git work tree without a `.git` folder: its files, its uncommitted changes, and the push of its branch."""

from __future__ import annotations

import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from webordinary.archives import unpack_tar
from webordinary_worker.confinement.guarded_copy import GuardedCopy
from webordinary_worker.confinement.safe_copy import OverQuotaError, Quota, is_git_folder
from webordinary_worker.failures import TooLargeError
from webordinary_worker.git.build_history import History
from webordinary_worker.git.command import Git, GitError, remove_repositories
from webordinary_worker.git.editable_paths import EditablePaths
from webordinary_worker.git.submodules import MissingSubmodule, Submodules, submodules_of
from webordinary_worker.git.thread_commits import INTERRUPTED, ThreadCommits, read_commits

NEVER_COMMITTED = ("node_modules", ".astro", "dist")
MAX_DIFF_CHARACTERS = 100_000
PLAIN_FILES = ("100644", "100755")
NOT_COMMITTED = "Not committed yet"


class WorkTree:
    """Files of a branch. `ThreadTree` and `MainBranch` add what jobs do on their branches."""

    def __init__(
        self,
        folder: Path,
        git: Git,
        branch: str,
        default_branch: str,
        submodules: Submodules | None = None,
        editable: EditablePaths | None = None,
    ) -> None:
        self.folder = folder
        self.branch = branch
        self.missing_submodules: tuple[MissingSubmodule, ...] = ()
        self._git = git
        self._default_branch = default_branch
        self._submodules = submodules
        self._editable = editable or EditablePaths(folder)
        self._commits: dict[tuple[str, str], ThreadCommits] = {}  # by main branch and revision

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

    def diff(self) -> str:
        """The uncommitted changes as a diff without context, cut after its first part."""
        self._add_all()
        return self._git("diff", "--cached", "--unified=0", "--no-ext-diff", "--no-textconv")[:MAX_DIFF_CHARACTERS]

    def import_copy(self, copy: Path, owner: int | None, quota: Quota) -> tuple[str, ...]:
        """Takes over the editable files of a confined user's copy of the tree. No process of that user may be running.

        Returns the paths of all other changes, which are left out.
        """
        guarded_copy = GuardedCopy(quota, source_uid=owner, skip=is_excluded, may_change=self._editable.allow)
        try:
            guarded_copy.run(copy, self.folder)
        except OverQuotaError as error:
            self.discard_changes()
            raise TooLargeError(error.what) from error
        self.update_submodules()  # changes in submodules are never committed, so a preview must not show them
        return tuple(guarded_copy.refused)

    def commit(self, message: str) -> str:
        """Commits all changes. Without changes, the commit is empty."""
        self._add_all()
        self._git("commit", "--quiet", "--no-verify", "--no-gpg-sign", "--allow-empty", "-m", message)
        return self.head

    def discard_changes(self) -> None:
        """Discards all uncommitted changes."""
        self.reset("HEAD")

    def reset(self, revision: str) -> None:
        """Makes the tree's files, and its branch if it is on one, those of a revision."""
        self._git("reset", "--hard", "--quiet", revision)
        self._git("clean", "-ffdq")

    def push_once(self, check_lease: Callable[[], None]) -> bool:
        """Pushes the branch without force. Returns False if it was rejected: the remote branch has newer commits.

        The lease is checked first: the remote may have the push of a newer worker.
        """
        check_lease()
        code, output = self._git.run("push", "--quiet", "--no-verify", "origin", f"HEAD:refs/heads/{self.branch}")
        if code == 0:
            return True
        if "rejected" in output or "fetch first" in output:
            return False
        raise GitError(("push",), output)

    def update_submodules(self) -> None:
        """Copies the files of the submodules into the tree."""
        if self._submodules is not None:
            self.missing_submodules = self._submodules.checkout(self._git, "HEAD", self.folder)

    def submodule_folders(self) -> tuple[str, ...]:
        return tuple(one.path for one in submodules_of(self._git, "HEAD"))

    def commits(self, revision: str = "HEAD") -> ThreadCommits:
        """The thread's own commits that lead to a revision."""
        main = f"refs/remotes/origin/{self._default_branch}"
        main, tip = self._git("rev-parse", main, f"{revision}^{{commit}}").split()
        if (main, tip) not in self._commits:  # commits do not change, and a job asks often
            self._commits[main, tip] = read_commits(self._git, main, tip)
        return self._commits[main, tip]

    def files_of(self, commit: str) -> tuple[str, ...]:
        names = self._git("diff-tree", "--no-commit-id", "--name-only", "-r", "-z", commit)
        return tuple(filter(None, names.split("\0")))

    def subject_of(self, commit: str) -> str:
        return self._git("log", "-1", "--format=%s", commit).strip()

    def name_of(self, commit: str) -> str:
        return self.subject_of(commit).removeprefix(INTERRUPTED)

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


def is_excluded(name: str) -> bool:
    return name in NEVER_COMMITTED or is_git_folder(name)
