"""The work trees of a pair: one per thread, on the thread's branch, all from one bare clone.

    <workspace>/<project>-<user>/repository       bare clone
    <workspace>/<project>-<user>/submodules       what other repositories bring to a tree
    <workspace>/<project>-<user>/<thread>/tree    work tree on branch thread-<thread>, without a .git of its own
    <workspace>/<project>-<user>/<thread>/main    work tree of the main branch, made anew for every job that publishes
    <workspace>/<project>-<user>/<thread>/agent   the agent's home and its copy of the tree
    <workspace>/<project>-<user>/<thread>/built   the build's home, its copy of the tree and what it built

Repository and trees are the worker's alone. A thread's folder can be entered by the confined users only while a job of
that thread runs, so nothing of another thread can be read or written.

What was pushed is the truth. A tree is brought to it before a job; what is only local is kept where it is ahead.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from webordinary.aws.telemetry import logger
from webordinary.contract.messages.base import Pair
from webordinary.contract.names import branch_of
from webordinary.tables.projects import ProjectConfig
from webordinary_worker.git.command import Git, GitError, Identity
from webordinary_worker.git.credentials import GitCredentials
from webordinary_worker.git.main_branch import MainBranch
from webordinary_worker.git.submodules import Submodules
from webordinary_worker.git.work_tree import NEVER_COMMITTED, WorkTree

# Of the history, commits and lists of files are fetched; contents come with the tree that needs them. A server that
# cannot leave them out sends them all.
WITHOUT_CONTENTS = {"remote.origin.promisor": "true", "remote.origin.partialclonefilter": "blob:none"}


class ObjectCache(Protocol):
    """Git objects that an earlier worker of the pair has stored. `warm_start` implements it."""

    def restore_objects(self, repository: Path, git: Git) -> tuple[str, ...] | None: ...
    def keep(self, repository: Path, git: Git, default_branch: str) -> None: ...


class Workspace:
    """All that this worker keeps of one pair on its disk."""

    def __init__(
        self,
        root: Path,
        pair: Pair,
        project: ProjectConfig,
        identity: Identity,
        credentials: GitCredentials | None = None,
        network: Mapping[str, str] | None = None,
        object_cache: ObjectCache | None = None,
    ) -> None:
        self.folder = root / f"{pair.project}-{pair.user}"
        self._project = project
        self._identity = identity
        self._credentials = credentials
        self._network = network or {}
        self._object_cache = object_cache
        self._repository = self.folder / "repository"
        self._submodules = Submodules(self.folder / "submodules", project.repository)

    def thread_folder(self, thread_id: str) -> Path:
        folder = self.folder / thread_id
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o711)
        folder.mkdir(exist_ok=True, mode=0o700)
        return folder

    def open(self, thread_id: str) -> WorkTree:
        """The thread's tree as it was left, made if it is new; the remote's state is known afterwards."""
        self._fetch()
        self._let_enter_only(thread_id)
        folder = self.thread_folder(thread_id) / "tree"
        branch = branch_of(thread_id)
        if not (self._repository / "worktrees" / thread_id).is_dir() or not folder.is_dir():
            self._add(folder, thread_id, branch)
        git = self._git_of(thread_id, folder)
        return WorkTree(folder, git, branch, self._project.default_branch, self._submodules)

    def open_main(self, thread_id: str) -> MainBranch:
        """A fresh tree on the main branch, for a job of this thread; the remote's state is known afterwards."""
        self._fetch()
        self._let_enter_only(thread_id)
        folder, name = self.thread_folder(thread_id) / "main", f"{thread_id}-main"
        self._add(folder, name, None)
        return MainBranch(folder, self._git_of(name, folder), self._project.default_branch, self._submodules)

    def _let_enter_only(self, thread_id: str) -> None:
        self.thread_folder(thread_id)
        for folder in self.folder.iterdir():
            folder.chmod(0o711 if folder.name == thread_id else 0o700)

    def keep(self) -> None:
        """Lets the pair's next worker have what this one has of the repository, in the background."""
        if self._object_cache is not None and (self._repository / "HEAD").is_file():
            self._object_cache.keep(self._repository, self._git_of(None, None), self._project.default_branch)

    def _fetch(self) -> None:
        if (self._repository / "HEAD").is_file():
            self._fetch_new()
            return
        git = self._make_repository()
        brought = self._object_cache.restore_objects(self._repository, git) if self._object_cache is not None else None
        self._name_remote(git)
        try:
            self._fetch_new(*(f"--negotiation-tip={commit}" for commit in brought or ()))
        except GitError:
            if brought is None:
                raise
            logger().warning("The repository is fetched without what was kept of it.")
            self._name_remote(self._make_repository())
            self._fetch_new()

    def _fetch_new(self, *options: str) -> None:
        self._git_of(None, None)("fetch", "--quiet", "--prune", "--no-recurse-submodules", *options, "origin")

    def _make_repository(self) -> Git:
        git = self._git_of(None, None)
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o711)
        shutil.rmtree(self._repository, ignore_errors=True)
        git("init", "--bare", "--quiet", str(self._repository))
        self._repository.chmod(0o700)
        (self._repository / "info" / "exclude").write_text("\n".join(NEVER_COMMITTED) + "\n")
        return git

    def _name_remote(self, git: Git) -> None:
        git("remote", "add", "origin", self._project.repository)
        for name, value in WITHOUT_CONTENTS.items():
            git("config", name, value)

    def _add(self, folder: Path, name: str, branch: str | None) -> None:
        """A work tree on a branch, or without one where the main branch is."""
        git = self._git_of(None, None)
        # The folder that git keeps for a work tree is named after its path's last part.
        staging, kept_by_git = folder.with_name(name), self._repository / "worktrees" / name
        for left_by_an_earlier_try in (folder, staging, kept_by_git):
            shutil.rmtree(left_by_an_earlier_try, ignore_errors=True)
        start = f"refs/remotes/origin/{branch or self._project.default_branch}"
        if not git.succeeds("rev-parse", "--verify", "--quiet", start):
            start = f"refs/remotes/origin/{self._project.default_branch}"
        where = ["--detach"] if branch is None else ["-B", branch, "--no-track"]
        made = ("worktree", "add", "--quiet", "--force", *where, str(staging), start)
        code, said = git.run(*made)
        if code != 0:
            if "promisor" not in said:
                raise GitError(made, said)
            self._fetch_contents(git)
            shutil.rmtree(staging, ignore_errors=True)
            git(*made)
        (staging / ".git").unlink()
        staging.chmod(0o700)
        staging.rename(folder)
        (kept_by_git / "locked").write_text("its tree has no .git on purpose\n")

    @staticmethod
    def _fetch_contents(git: Git) -> None:
        """All of them, from a server that left them out and does not give them one by one either."""
        for name in WITHOUT_CONTENTS:
            git("config", "--unset", name)
        git("fetch", "--quiet", "--refetch", "--no-recurse-submodules", "origin")

    def _git_of(self, thread_id: str | None, folder: Path | None) -> Git:
        git_folder = self._repository if thread_id is None else self._repository / "worktrees" / thread_id
        local = self._project.repository.startswith(("file://", "/"))
        return Git(git_folder, self._identity, folder, local, self._credentials, self._network)
