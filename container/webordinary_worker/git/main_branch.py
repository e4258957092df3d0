"""The project's main branch, for publishing and unpublishing threads.

Every publish is one commit: its first parent is the previous main branch, its second the thread's branch. Trailers name
the job and the thread that it publishes or unpublishes. The tree is created from the remote branch for every job, so a
failed attempt leaves nothing.
"""

from __future__ import annotations

import re
from pathlib import Path

from webordinary_worker.git.command import Git, GitError
from webordinary_worker.git.editable_paths import EditablePaths
from webordinary_worker.git.submodules import Submodules
from webordinary_worker.git.thread_commits import JOB
from webordinary_worker.git.work_tree import WorkTree

PUBLISHES = "Webordinary-Publishes"
UNPUBLISHES = "Webordinary-Unpublishes"
REVERTS_RELEASE = "Webordinary-Takes-Back-Release"
MAX_COMMITS_SEARCHED = 1000
MAX_CLASHES = 10
_MARKER = re.compile(rb"^(<<<<<<<|>>>>>>>) ", re.MULTILINE)


class MainBranch(WorkTree):
    """A detached work tree at the main branch."""

    def __init__(
        self,
        folder: Path,
        git: Git,
        default_branch: str,
        submodules: Submodules | None = None,
        editable: EditablePaths | None = None,
    ) -> None:
        super().__init__(folder, git, default_branch, default_branch, submodules, editable)
        self._conflicting: tuple[str, ...] = ()

    @property
    def upstream(self) -> str:
        return self._upstream

    def fetch(self) -> None:
        self._git("fetch", "--quiet", "--prune", "--no-recurse-submodules", "origin")

    def refresh(self) -> None:
        """Fetches, and resets the tree to the remote branch."""
        self.fetch()
        self.reset(self._upstream)

    def commit_of(self, job_id: str) -> str | None:
        return next((commit for commit, jobs in self._trailers(JOB) if job_id in jobs), None)

    def find_unpublished(self, thread_id: str) -> list[str]:
        """The commits that unpublished the thread since it was published last, newest first."""
        published = next((commit for commit, ids in self._trailers(PUBLISHES) if thread_id in ids), None)
        unpublished = [commit for commit, ids in self._trailers(UNPUBLISHES) if thread_id in ids]
        return [commit for commit in unpublished if published is None or self.is_ancestor(published, commit)]

    def reverted_release(self, commit: str) -> int:
        """The number of the release that a commit reverts; 0 if none."""
        return int(self._git("log", "-1", f"--format=%(trailers:key={REVERTS_RELEASE},valueonly)", commit).strip() or 0)

    def has_commit(self, revision: str) -> bool:
        return bool(revision) and self._git.succeeds("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")

    def is_ancestor(self, older: str, newer: str) -> bool:
        return self._git.succeeds("merge-base", "--is-ancestor", older, newer)

    def has_changes(self, source: str) -> bool:
        """Whether `source` differs from the commit on which it is based."""
        return not self._git.succeeds("diff", "--quiet", f"{self._upstream}...{source}")

    def tree_of(self, revision: str) -> str:
        return self._git("rev-parse", f"{revision}^{{tree}}").strip()

    def commit_id(self, revision: str) -> str:
        return self._git("rev-parse", f"{revision}^{{commit}}").strip()

    def merge(self, source: str) -> tuple[str, ...]:
        """Merges `source` into the tree. Returns the conflicting files; they have conflict markers."""
        return self._merge(self._git("merge-base", "HEAD", source).strip(), source)

    def remerge(self, unpublished: str) -> tuple[str, ...]:
        """Merges again what a commit has unpublished."""
        return self._merge(unpublished, f"{unpublished}^1")

    def unmerge(self, release: str, previous: str) -> tuple[str, ...]:
        """Removes what `release` has changed since `previous`, and keeps later changes."""
        return self._merge(release, previous)

    def clashes(self, source: str) -> tuple[str, ...]:
        """The subjects of the main branch's commits to the conflicting files."""
        base = self._git("merge-base", self._upstream, source).strip()
        log = self._git("log", "--no-merges", "--format=%s", f"{base}..{self._upstream}", "--", *self._conflicting)
        return tuple(dict.fromkeys(log.splitlines()))[:MAX_CLASHES]

    def is_resolved(self) -> bool:
        """Whether all conflicts are resolved and no other file was changed."""
        others = self._git("diff", "--name-only", "-z", "--diff-filter=u")
        new = self._git("ls-files", "--others", "-z")
        if not set(filter(None, (others + new).split("\0"))).issubset(self._conflicting):
            return False
        files = (self.folder / name for name in self._conflicting)
        return not any(_MARKER.search(file.read_bytes()) for file in files if file.is_file() and not file.is_symlink())

    def commit_intermediate(self) -> None:
        """Commits the merge so far as the base of the next merge. `commit_merge` squashes it."""
        self._add_all()
        self._git("commit", "--quiet", "--no-verify", "--no-gpg-sign", "--allow-empty", "-m", "merged so far")

    def follows(self, commit: str, parent: str) -> bool:
        """Whether `parent` is the first parent of a commit."""
        return self.has_commit(f"{commit}^1") and self.commit_id(f"{commit}^1") == parent

    def commit_merge(self, message: str, source: str | None = None) -> str:
        """Makes one commit of all merges. `source` becomes its second parent, so that it is not merged twice."""
        self._add_all()
        tree = self._git("write-tree").strip()
        parents = ["-p", self._upstream]
        if source is not None and not self.is_ancestor(source, self._upstream):
            parents += ["-p", source]
        commit = self._git("commit-tree", tree, *parents, "-m", message).strip()
        self._git("reset", "--hard", "--quiet", commit)
        return commit

    def _merge(self, base: str, other: str) -> tuple[str, ...]:
        """A three-way merge into tree and index, without commits or branches."""
        code, output = self._git.run("merge-recursive", base, "--", "HEAD", other)
        if code not in (0, 1):
            raise GitError(("merge-recursive",), output)
        names = self._git("diff", "--name-only", "-z", "--diff-filter=U").split("\0")
        self._conflicting = tuple(dict.fromkeys(filter(None, names)))
        if code == 1 and not self._conflicting:
            raise GitError(("merge-recursive",), output)
        return self._conflicting

    def _trailers(self, key: str) -> list[tuple[str, list[str]]]:
        form = f"--format=%H %(trailers:key={key},valueonly,separator=%x20)"
        log = self._git("log", form, "--first-parent", f"--max-count={MAX_COMMITS_SEARCHED}", self._upstream)
        return [(commit, values) for commit, *values in map(str.split, log.splitlines())]
