"""What a site's build may ask git: when a page was changed, and by whom.

A build gets a git folder of its own with the commits and lists of files that lead to what is built, and nothing else:
no contents of files, no remote and nothing that would open one, no hook, no other branch, no configuration but ours. It
is a copy, made from files and never read again: whatever a build makes of it, no git of the worker's looks at it.

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
"""  # to see what was renamed and changed at once, git would read contents
NOBODY = Identity("webordinary", "webordinary@example.com")
NO_FILES = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # the tree without any, which git knows by itself
NO_BRANCH = "main"


@dataclass(frozen=True)
class History:
    """All that led to a commit, which is on a branch as far as a build can see."""

    git: Git
    commit: str
    branch: str

    def write(self, folder: Path) -> None:
        """Makes a folder of the worker's what a build may see. What it has already is not brought again."""
        # What is there may come from a repository that is not there any more, or be half made.
        known = _newest(folder)
        if known is not None and self._is_written(folder, known):
            return
        if not self._is_written(folder, None):
            write_empty(folder)

    def _is_written(self, folder: Path, known: str | None) -> bool:
        try:
            self._write(folder, known)
        except GitError as error:
            logger().warning("The history of a site was not brought to its build.", extra={"cause": str(error)})
            return False
        return True

    def _write(self, folder: Path, known: str | None) -> None:
        given = _made(folder) if known is None else Git(folder, NOBODY)
        since = [] if known is None else [f"^{known}"]
        if known is None or int(self.git("rev-list", "--count", self.commit, *since)) > 0:
            self._bring(given, since)
        _show(given, self.commit, self.branch)

    def _bring(self, given: Git, since: list[str]) -> None:
        bundle = given.git_folder.with_name("history.bundle")
        name = f"refs/worktree/history-{secrets.token_hex(8)}"  # a bundle is of something that has a name
        self.git("update-ref", name, self.commit)
        try:
            self.git("bundle", "create", "--quiet", str(bundle), "--filter=blob:none", name, *since)
            given("bundle", "unbundle", str(bundle))
        finally:
            self.git("update-ref", "-d", name)
            bundle.unlink(missing_ok=True)


def write_empty(folder: Path) -> None:
    """A history in which no file was ever changed: whoever asks is answered, with nothing."""
    given = _made(folder)
    _show(given, given("commit-tree", NO_FILES, "-m", "No history").strip(), NO_BRANCH)


def _made(folder: Path) -> Git:
    shutil.rmtree(folder, ignore_errors=True)
    for place in ("objects", "refs/heads"):
        (folder / place).mkdir(parents=True)
    folder.chmod(0o700)
    (folder / "HEAD").write_text(f"ref: refs/heads/{NO_BRANCH}\n")
    (folder / "config").write_text(CONFIGURATION)
    return Git(folder, NOBODY)


def _newest(folder: Path) -> str | None:
    if not (folder / "HEAD").is_file():
        return None
    code, commit = Git(folder, NOBODY).run("rev-parse", "--verify", "--quiet", "HEAD")
    return commit.strip() if code == 0 else None


def _show(given: Git, commit: str, branch: str) -> None:
    given("update-ref", f"refs/heads/{branch}", commit)
    given("symbolic-ref", "HEAD", f"refs/heads/{branch}")
    given("read-tree", commit)  # so that the build's files count as known ones
