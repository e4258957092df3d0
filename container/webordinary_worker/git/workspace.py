"""The work trees of a pair: one per thread, on the thread's branch, all from one bare clone.

    <workspace>/<project>-<user>/repository       bare clone
    <workspace>/<project>-<user>/submodules       files of submodules
    <workspace>/<project>-<user>/<thread>/tree    work tree on branch thread-<thread>, without a `.git`
    <workspace>/<project>-<user>/<thread>/main    work tree of the main branch, created for every job that publishes
    <workspace>/<project>-<user>/<thread>/agent   the agent's home and its copy of the tree
    <workspace>/<project>-<user>/<thread>/built   the build's home, its copy of the tree and its output

Only the worker can access repository and trees. Confined users can enter a thread's folder only while a job of that
thread runs, so they cannot read or write anything of another thread.
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
from webordinary_worker.git.editable_paths import EditablePaths
from webordinary_worker.git.main_branch import MainBranch
from webordinary_worker.git.submodules import Submodules
from webordinary_worker.git.thread_tree import ThreadTree
from webordinary_worker.git.work_tree import NEVER_COMMITTED

# The highest precedence. A repository's own attributes could merge without a conflict (`merge=union`), hide files from
# the build of the base (`export-ignore`) or from a comparison (`-diff`).
ATTRIBUTES = "* !merge !export-ignore !export-subst !diff !filter\n"
# Partial clone: file contents are fetched when a tree needs them. A server that does not support this sends them all.
PARTIAL_CLONE = {"remote.origin.promisor": "true", "remote.origin.partialclonefilter": "blob:none"}


class ObjectCache(Protocol):
    """Git objects stored by an earlier worker of the pair. `warm_start` implements it."""

    def restore_objects(self, repository: Path, git: Git) -> tuple[str, ...] | None: ...
    def store_objects(self, repository: Path, git: Git, default_branch: str) -> None: ...


class Workspace:
    """The worker's repository and work trees of one pair."""

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

    def open(self, thread_id: str) -> ThreadTree:
        """Fetches, and returns the thread's tree as the last job left it. A new thread gets a new tree."""
        self._fetch()
        self._restrict_access_to(thread_id)
        folder = self.thread_folder(thread_id) / "tree"
        branch = branch_of(thread_id)
        if not (self._repository / "worktrees" / thread_id).is_dir() or not folder.is_dir():
            self._add(folder, thread_id, branch)
        git = self._git_of(thread_id, folder)
        project = self._project
        return ThreadTree(folder, git, branch, project.default_branch, self._submodules, self._editable(folder))

    def open_main(self, thread_id: str) -> MainBranch:
        """Fetches, and returns a new tree of the main branch for a job of this thread."""
        self._fetch()
        self._restrict_access_to(thread_id)
        folder, name = self.thread_folder(thread_id) / "main", f"{thread_id}-main"
        self._add(folder, name, None)
        git, branch = self._git_of(name, folder), self._project.default_branch
        return MainBranch(folder, git, branch, self._submodules, self._editable(folder))

    def _editable(self, tree: Path) -> EditablePaths:
        return EditablePaths(tree, self._project.folder, self._project.agent_paths)

    def _restrict_access_to(self, thread_id: str) -> None:
        self.thread_folder(thread_id)
        for folder in self.folder.iterdir():
            folder.chmod(0o711 if folder.name == thread_id else 0o700)

    def store_objects(self) -> None:
        """Stores the repository's objects for the pair's next worker, in the background."""
        if self._object_cache is not None and (self._repository / "HEAD").is_file():
            self._object_cache.store_objects(self._repository, self._git_of(None, None), self._project.default_branch)

    def _fetch(self) -> None:
        if (self._repository / "HEAD").is_file():
            self._fetch_new()
            return
        git = self._create_repository()
        cached = self._object_cache.restore_objects(self._repository, git) if self._object_cache is not None else None
        self._add_remote(git)
        try:
            self._fetch_new(*(f"--negotiation-tip={commit}" for commit in cached or ()))
        except GitError:
            if cached is None:
                raise
            logger().warning("The fetch with cached objects failed; cloning the repository without them.")
            self._add_remote(self._create_repository())
            self._fetch_new()

    def _fetch_new(self, *options: str) -> None:
        (self._repository / "info").mkdir(exist_ok=True)
        (self._repository / "info" / "attributes").write_text(ATTRIBUTES)
        self._git_of(None, None)("fetch", "--quiet", "--prune", "--no-recurse-submodules", *options, "origin")

    def _create_repository(self) -> Git:
        git = self._git_of(None, None)
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o711)
        shutil.rmtree(self._repository, ignore_errors=True)
        git("init", "--bare", "--quiet", str(self._repository))
        self._repository.chmod(0o700)
        (self._repository / "info" / "exclude").write_text("\n".join(NEVER_COMMITTED) + "\n")
        return git

    def _add_remote(self, git: Git) -> None:
        git("remote", "add", "origin", self._project.repository)
        for name, value in PARTIAL_CLONE.items():
            git("config", name, value)

    def _add(self, folder: Path, name: str, branch: str | None) -> None:
        """Adds a work tree on a branch, or a detached one at the main branch."""
        git = self._git_of(None, None)
        # Git names its folder of a work tree after the last part of the work tree's path.
        staging, git_folder = folder.with_name(name), self._repository / "worktrees" / name
        for leftover in (folder, staging, git_folder):
            shutil.rmtree(leftover, ignore_errors=True)
        start = f"refs/remotes/origin/{branch or self._project.default_branch}"
        if not git.succeeds("rev-parse", "--verify", "--quiet", start):
            start = f"refs/remotes/origin/{self._project.default_branch}"
        target = ["--detach"] if branch is None else ["-B", branch, "--no-track"]
        command = ("worktree", "add", "--quiet", "--force", *target, str(staging), start)
        code, output = git.run(*command)
        if code != 0:
            if "promisor" not in output:
                raise GitError(command, output)
            self._fetch_contents(git)
            shutil.rmtree(staging, ignore_errors=True)
            git(*command)
        (staging / ".git").unlink()
        staging.chmod(0o700)
        staging.rename(folder)
        (git_folder / "locked").write_text("The work tree has no .git on purpose.\n")

    @staticmethod
    def _fetch_contents(git: Git) -> None:
        """Fetches all file contents, from a server that supports partial clones but not fetching single objects."""
        for name in PARTIAL_CLONE:
            git("config", "--unset", name)
        git("fetch", "--quiet", "--refetch", "--no-recurse-submodules", "origin")

    def _git_of(self, thread_id: str | None, folder: Path | None) -> Git:
        git_folder = self._repository if thread_id is None else self._repository / "worktrees" / thread_id
        local = self._project.repository.startswith(("file://", "/"))
        return Git(git_folder, self._identity, folder, local, self._credentials, self._network)
