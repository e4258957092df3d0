"""The git history that a site's build may read: when a page was changed, and by whom.

A build gets its own git folder with the commits and trees that lead to the built commit, and nothing else: no file
contents, no remote, no hook, no other branch, no foreign configuration. It is a copy that the worker never reads back,
so a build can do anything to it.

    worker's repository ── bundle, no contents ──▶ <build directory>/history, the worker's ── copy ──▶ the build's .git
"""

from __future__ import annotations

import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

from webordinary.aws.telemetry import logger
from webordinary_worker.git.command import Git, GitError, Identity

CONFIGURATION = """[core]
\trepositoryformatversion = 0
\tbare = false
\tlogAllRefUpdates = false
[gc]
\tauto = 0
[diff]
\trenames = false
"""  # rename detection would read file contents
IDENTITY = Identity("webordinary", "webordinary@example.com")
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # the empty tree, which is built into git
DEFAULT_BRANCH = "main"


@dataclass(frozen=True)
class History:
    """The history of a commit. For the build, the commit is on this branch."""

    git: Git
    commit: str
    branch: str

    def write(self, folder: Path) -> None:
        """Writes the history to a folder of the worker's, which may have a part of it already."""
        # An existing folder may be incomplete, or come from a repository that no longer exists.
        known = _newest(folder)
        if known is not None and self._try_write(folder, known):
            return
        if not self._try_write(folder, None):
            write_empty(folder)

    def _try_write(self, folder: Path, known: str | None) -> bool:
        try:
            self._write(folder, known)
        except GitError as error:
            logger().warning(
                "The git history could not be written; the build may run without it.", extra={"cause": str(error)}
            )
            return False
        return True

    def _write(self, folder: Path, known: str | None) -> None:
        target = _create(folder) if known is None else Git(folder, IDENTITY)
        since = [] if known is None else [f"^{known}"]
        if known is None or int(self.git("rev-list", "--count", self.commit, *since)) > 0:
            self._copy_commits(target, since)
        _check_out(target, self.commit, self.branch)

    def _copy_commits(self, target: Git, since: list[str]) -> None:
        bundle = target.git_folder.with_name("history.bundle")
        name = f"refs/worktree/history-{secrets.token_hex(8)}"  # a bundle needs a named reference
        self.git("update-ref", name, self.commit)
        try:
            self.git("bundle", "create", "--quiet", str(bundle), "--filter=blob:none", name, *since)
            target("bundle", "unbundle", str(bundle))
        finally:
            self.git("update-ref", "-d", name)
            bundle.unlink(missing_ok=True)


def write_empty(folder: Path) -> None:
    """Writes a history of one empty commit: git commands of a build succeed and find nothing."""
    target = _create(folder)
    _check_out(target, target("commit-tree", EMPTY_TREE, "-m", "No history").strip(), DEFAULT_BRANCH)


def _create(folder: Path) -> Git:
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("objects", "refs/heads"):
        (folder / name).mkdir(parents=True)
    folder.chmod(0o700)
    (folder / "HEAD").write_text(f"ref: refs/heads/{DEFAULT_BRANCH}\n")
    (folder / "config").write_text(CONFIGURATION)
    return Git(folder, IDENTITY)


def _newest(folder: Path) -> str | None:
    if not (folder / "HEAD").is_file():
        return None
    code, commit = Git(folder, IDENTITY).run("rev-parse", "--verify", "--quiet", "HEAD")
    return commit.strip() if code == 0 else None


def _check_out(target: Git, commit: str, branch: str) -> None:
    target("update-ref", f"refs/heads/{branch}", commit)
    target("symbolic-ref", "HEAD", f"refs/heads/{branch}")
    target("read-tree", commit)  # so that the build's files count as tracked
