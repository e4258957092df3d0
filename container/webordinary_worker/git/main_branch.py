"""The project's main branch, while a conversation is brought into it or taken out again.

Every publish is one commit on it, whatever it took: its first parent is what was there before, its second the
conversation's branch. Trailers say which job made it and which conversation it publishes or unpublishes. Nothing here
is kept: the tree is made anew from what was pushed, so an attempt that broke off leaves nothing behind.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from webordinary_worker.git.command import Git, GitError
from webordinary_worker.git.submodules import Submodules
from webordinary_worker.git.work_tree import JOB, WorkTree

PUBLISHES = "Webordinary-Publishes"
UNPUBLISHES = "Webordinary-Unpublishes"
REVERTS_RELEASE = "Webordinary-Takes-Back-Release"
COMMITS_LOOKED_THROUGH = 1000
CLASHES_NAMED = 10
_MARKER = re.compile(rb"^(<<<<<<<|>>>>>>>) ", re.MULTILINE)


class MainBranch(WorkTree):
    """A work tree on the main branch, without a branch of its own."""

    def __init__(self, folder: Path, git: Git, default_branch: str, submodules: Submodules | None = None) -> None:
        super().__init__(folder, git, default_branch, default_branch, submodules)
        self._clashing: tuple[str, ...] = ()

    @property
    def upstream(self) -> str:
        return self._upstream

    def fetch(self) -> None:
        self._git("fetch", "--quiet", "--prune", "--no-recurse-submodules", "origin")

    def refresh(self) -> None:
        """Starts anew from what is on the remote by now."""
        self.fetch()
        self.check_out(self._upstream)

    def check_out(self, revision: str) -> None:
        self._git("reset", "--hard", "--quiet", revision)
        self.discard_changes()

    def commit_of(self, job_id: str) -> str | None:
        return next((commit for commit, jobs in self._trailers(JOB) if job_id in jobs), None)

    def find_unpublish(self, thread_id: str) -> str | None:
        """The commit that took the conversation out again, if that is the last word on it."""
        published = next((commit for commit, ids in self._trailers(PUBLISHES) if thread_id in ids), None)
        unpublished = next((commit for commit, ids in self._trailers(UNPUBLISHES) if thread_id in ids), None)
        if unpublished is None or (published is not None and not self.is_ancestor(published, unpublished)):
            return None
        return unpublished

    def reverted_release(self, commit: str) -> int:
        """The number of the release that a commit takes back."""
        return int(self._git("log", "-1", f"--format=%(trailers:key={REVERTS_RELEASE},valueonly)", commit).strip() or 0)

    def has_commit(self, revision: str) -> bool:
        return bool(revision) and self._git.succeeds("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")

    def is_ancestor(self, older: str, newer: str) -> bool:
        return self._git.succeeds("merge-base", "--is-ancestor", older, newer)

    def tree_of(self, revision: str) -> str:
        return self._git("rev-parse", f"{revision}^{{tree}}").strip()

    def commit_id(self, revision: str) -> str:
        return self._git("rev-parse", f"{revision}^{{commit}}").strip()

    def merge(self, source: str) -> tuple[str, ...]:
        """Brings in what `source` has beyond the branch. Returns the files that clash; the tree shows both versions."""
        return self._join(self._git("merge-base", "HEAD", source).strip(), source)

    def remerge(self, unpublished: str) -> tuple[str, ...]:
        """Brings in again what a commit took out."""
        return self._join(unpublished, f"{unpublished}^1")

    def unmerge(self, release: str, previous: str) -> tuple[str, ...]:
        """Takes out what `release` has beyond `previous`; what came after it stays."""
        return self._join(release, previous)

    def clashes(self, source: str) -> tuple[str, ...]:
        """What was done on the branch to the files that clash, in the words of those who asked for it."""
        base = self._git("merge-base", self._upstream, source).strip()
        log = self._git("log", "--no-merges", "--format=%s", f"{base}..{self._upstream}", "--", *self._clashing)
        return tuple(dict.fromkeys(log.splitlines()))[:CLASHES_NAMED]

    def is_resolved(self) -> bool:
        """Whether the files that clashed, and no others, were put in order."""
        others = self._git("diff", "--name-only", "-z", "--diff-filter=u")
        new = self._git("ls-files", "--others", "-z")
        if not set(filter(None, (others + new).split("\0"))).issubset(self._clashing):
            return False
        files = (self.folder / name for name in self._clashing)
        return not any(_MARKER.search(file.read_bytes()) for file in files if file.is_file() and not file.is_symlink())

    def commit_intermediate(self) -> None:
        """Makes what was joined the ground for the next join. It is part of the one commit in the end."""
        self._add_all()
        self._git("commit", "--quiet", "--no-verify", "--no-gpg-sign", "--allow-empty", "-m", "joined so far")

    def follows(self, commit: str, parent: str) -> bool:
        """Whether a commit was made right on top of another."""
        return self.has_commit(f"{commit}^1") and self.commit_id(f"{commit}^1") == parent

    def commit_merge(self, message: str, source: str | None = None) -> str:
        """One commit of all that was joined. `source` becomes its second parent, so that it is not brought in twice."""
        self._add_all()
        tree = self._git("write-tree").strip()
        parents = ["-p", self._upstream]
        if source is not None and not self.is_ancestor(source, self._upstream):
            parents += ["-p", source]
        commit = self._git("commit-tree", tree, *parents, "-m", message).strip()
        self._git("reset", "--hard", "--quiet", commit)
        return commit

    def push_once(self, check_lease: Callable[[], None]) -> bool:
        """False if somebody else was quicker."""
        check_lease()
        return self._try_push()

    def _join(self, base: str, other: str) -> tuple[str, ...]:
        """A three-way merge into tree and index that knows nothing of branches."""
        code, output = self._git.run("merge-recursive", base, "--", "HEAD", other)
        if code not in (0, 1):
            raise GitError(("merge-recursive",), output)
        names = self._git("diff", "--name-only", "-z", "--diff-filter=U").split("\0")
        self._clashing = tuple(dict.fromkeys(filter(None, names)))
        if code == 1 and not self._clashing:
            raise GitError(("merge-recursive",), output)
        return self._clashing

    def _trailers(self, key: str) -> list[tuple[str, list[str]]]:
        wanted = f"--format=%H %(trailers:key={key},valueonly,separator=%x20)"
        log = self._git("log", wanted, "--first-parent", f"--max-count={COMMITS_LOOKED_THROUGH}", self._upstream)
        return [(commit, values) for commit, *values in map(str.split, log.splitlines())]
