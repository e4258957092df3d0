"""A git work tree without a `.git` folder: its changes, commits and pushes.

The remote branch is authoritative: a tree is reset to it before a job.
"""

from __future__ import annotations

import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from webordinary.archives import unpack_tar
from webordinary.protocol.change_life import Event, Made, Undone
from webordinary_worker.confinement.guarded_copy import GuardedCopy
from webordinary_worker.confinement.safe_copy import OverQuotaError, Quota, is_git_folder
from webordinary_worker.failures import ConflictError, TooLargeError
from webordinary_worker.git.build_history import History
from webordinary_worker.git.command import Git, GitError, remove_repositories
from webordinary_worker.git.editable_paths import EditablePaths
from webordinary_worker.git.submodules import MissingSubmodule, Submodules, submodules_of

NEVER_COMMITTED = ("node_modules", ".astro", "dist")
JOB = "Webordinary-Job"
INTERRUPTED_JOB = "Webordinary-Interrupted-Job"
INCLUDES_JOB = "Webordinary-Includes-Job"  # an interrupted job whose work this commit contains
DECIDED_BY = "Webordinary-Decided-By"  # the job that made a change of partial work, or reverted it
UNDOES = "Webordinary-Undoes"
TRAILERS = (JOB, INCLUDES_JOB, INTERRUPTED_JOB, DECIDED_BY, UNDOES)
INTERRUPTED = "interrupted: "  # prefix of the subject of partial work
MAX_DIFF_CHARACTERS = 100_000
PLAIN_FILES = ("100644", "100755")
NOT_COMMITTED = "Not committed yet"


@dataclass(frozen=True)
class ThreadCommit:
    """A commit of a thread's branch: its git tree, its subject, and its trailers."""

    commit: str
    tree: str
    parent_tree: str
    subject: str
    trailers: Mapping[str, tuple[str, ...]]

    @property
    def name(self) -> str:
        return self.subject.removeprefix(INTERRUPTED)

    @property
    def jobs(self) -> tuple[str, ...]:
        """The jobs whose result this commit is."""
        return (*self.trailers[JOB], *self.trailers[INCLUDES_JOB])

    @property
    def decided_by(self) -> tuple[str, ...]:
        return self.trailers[DECIDED_BY]

    @property
    def interrupted_jobs(self) -> tuple[str, ...]:
        return self.trailers[INTERRUPTED_JOB]

    @property
    def undoes(self) -> tuple[str, ...]:
        return self.trailers[UNDOES]

    @property
    def is_empty(self) -> bool:
        return self.tree == self.parent_tree


@dataclass(frozen=True)
class PartialWork:
    """The work of interrupted jobs, oldest first. `snapshot` is a commit of what is uncommitted again, if anything."""

    jobs: tuple[str, ...]
    snapshot: str | None
    has_work: bool  # whether they changed files; such work may also stay a commit that later ones build on


class WorkTree:
    """A thread's work tree."""

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
        self._work_base = ""  # what this job's work is committed on

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
        self._git("reset", "--hard", "--quiet")
        self._git("clean", "-ffdq")

    def push_once(self, check_lease: Callable[[], None]) -> bool:
        """Pushes the branch without force. Returns False if it was rejected: the remote branch has newer commits.

        The lease is checked first: the remote may have the push of a newer worker.
        """
        check_lease()
        return self._try_push()

    def rebase(self) -> None:
        """Fetches, and rebases unpushed commits onto the remote branch."""
        own = int(self._git("rev-list", "--count", f"{self._work_base}..HEAD")) if self._work_base else 0
        self._git("fetch", "--quiet", "origin")
        try:
            self._rebase()
        except ConflictError:
            self._work_base = self.head
            raise
        self._work_base = self._git("rev-parse", f"HEAD~{own}").strip()

    def push(self, check_lease: Callable[[], None] = lambda: None) -> str:
        """Pushes the branch. A rejected push is rebased and retried once. Returns the pushed commit."""
        if not self.push_once(check_lease):
            self.rebase()
            if not self.push_once(check_lease):
                raise ConflictError
        return self.head

    def catch_up(self) -> None:
        """Resets the tree to the remote branch. Unpushed commits are leftovers of a run that was cancelled."""
        self.reset_to_remote()  # removes files of submodules that no longer exist
        self.update_submodules()

    def update_submodules(self) -> None:
        """Copies the files of the submodules into the tree."""
        if self._submodules is not None:
            self.missing_submodules = self._submodules.checkout(self._git, "HEAD", self.folder)

    def submodule_folders(self) -> tuple[str, ...]:
        return tuple(one.path for one in submodules_of(self._git, "HEAD"))

    def commits(self, revision: str = "HEAD") -> list[ThreadCommit]:
        """The thread's own commits, newest first. Publishing them does not change that they are its own."""
        trailers = "%x00".join(f"%(trailers:key={key},valueonly,separator=%x20)" for key in TRAILERS)
        found = []
        for line in self._git(
            "log", f"--format=%H%x00%T%x00%P%x00{trailers}%x00%s", *self._own_commits(revision)
        ).splitlines():
            commit, tree, parents, *values = line.split("\0", 3 + len(TRAILERS))
            named = {key: tuple(value.split()) for key, value in zip(TRAILERS, values, strict=False)}
            found.append((commit, tree, parents.split()[:1], values[-1], named))
        trees = {commit: tree for commit, tree, *_ in found}
        return [
            ThreadCommit(commit, tree, self._tree_of_parent(parent, trees), subject, named)
            for commit, tree, parent, subject, named in found
        ]

    def _tree_of_parent(self, parent: list[str], trees: Mapping[str, str]) -> str:
        if not parent:
            return ""
        return trees.get(parent[0]) or self._git("rev-parse", f"{parent[0]}^{{tree}}").strip()

    def active_changes(self, revision: str = "HEAD") -> list[ThreadCommit]:
        """The thread's changes that are not undone, newest first; without partial work that waits to be continued."""
        waiting = {one.commit for one in self.unfinished(revision)}
        return [one for one in self._not_undone(revision) if one.commit not in waiting]

    def unfinished(self, revision: str = "HEAD") -> list[ThreadCommit]:
        """Commits with partial work of interrupted jobs that no later commit contains, newest first."""
        finished = {job for one in self.commits(revision) for job in one.jobs}
        return [
            one
            for one in self._not_undone(revision)
            if one.interrupted_jobs and not finished.issuperset(one.interrupted_jobs)
        ]

    def _not_undone(self, revision: str) -> list[ThreadCommit]:
        commits = self.commits(revision)
        undone = {commit for one in commits for commit in one.undoes}
        return [one for one in commits if not one.undoes and one.commit not in undone]

    def events(self, revision: str = "HEAD") -> list[Event]:
        """The life of the thread's changes, as its branch tells it."""
        waiting = {one.commit for one in self.unfinished(revision)}
        events: list[Event] = []
        for one in reversed(self.commits(revision)):
            if one.undoes:
                events += [Undone(commit) for commit in one.undoes]
            elif one.commit not in waiting:
                events.append(Made(one.commit, one.name))
        return events

    def stage_undo(self, commit: str) -> None:
        """Reverts a commit in the tree, without committing."""
        try:
            self._git("revert", "--no-commit", "--no-edit", commit)
        except GitError as error:
            self._git.run("revert", "--abort")
            self.discard_changes()
            raise ConflictError from error

    def commit_of(self, job_id: str) -> str | None:
        """The commit with the result of a job on this branch, or None."""
        return next((one.commit for one in self.commits() if job_id in one.jobs), None)

    def is_taken_back(self, job_id: str) -> bool:
        """Whether an undo of a later mail has removed the partial work of this job."""
        commits = self.commits()
        undone = {commit for one in commits if set(one.trailers[JOB]) - {job_id} for commit in one.undoes}
        return any(one.commit in undone and job_id in one.interrupted_jobs for one in commits)

    def resume_interrupted(self, message: str) -> PartialWork | None:
        """Turns the partial commits of interrupted jobs into uncommitted changes again.

        So a job ends with one commit of all the work, or with none. Returns None if there is no partial work.
        """
        parts, before = self.unfinished(), self.head
        resumed = [part for part in parts if self._revert_partial(part, message)]
        if not resumed:
            return None
        self._work_base = self.head
        tree = self._git("rev-parse", f"{before}^{{tree}}").strip()
        snapshot = None
        if tree != self.content:
            snapshot = self._git("commit-tree", tree, "-p", self.head, "-m", NOT_COMMITTED).strip()
            self._git("read-tree", "--reset", "-u", before)
        jobs = dict.fromkeys(job for part in reversed(resumed) for job in part.interrupted_jobs)
        return PartialWork(tuple(jobs), snapshot, has_work=not all(part.is_empty for part in resumed))

    def take_back_interrupted(self, message: str) -> None:
        """Commits the revert of all partial work of interrupted jobs."""
        parts = self.unfinished()
        for part in parts:
            if not part.is_empty:
                self.stage_undo(part.commit)
        self.commit(message + "".join(f"{UNDOES}: {part.commit}\n" for part in parts))

    def restore(self, snapshot: str) -> bool:
        """Makes the tree's uncommitted changes those of a snapshot. False if later commits conflict with it."""
        self.discard_changes()
        if not self._git.succeeds("cherry-pick", "--no-commit", snapshot):
            self.discard_changes()
            return False
        return bool(self.changed_files())

    def discard_own(self) -> None:
        """Discards everything that this job has done and not pushed, except the revert of partial work."""
        if self._work_base and not self._git.succeeds("merge-base", "--is-ancestor", "HEAD", self._upstream):
            self._git("reset", "--hard", "--quiet", self._work_base)
        self.discard_changes()

    def reset_to_remote(self) -> None:
        """Discards everything that is not pushed."""
        self._git("reset", "--hard", "--quiet", self._start)
        self.discard_changes()
        self._work_base = self.head

    def uncommit(self) -> None:
        """Turns the unpushed commits of this job into uncommitted changes again."""
        if not self._work_base:
            self.reset_to_remote()  # the job was cancelled before it began
        self._git("reset", "--soft", self._work_base)

    def take_back_pushed(self, message: str) -> None:
        """Commits the revert of this job's own commits."""
        own = self._git("rev-list", f"{self._work_base}..HEAD").split()
        self._git("read-tree", "--reset", "-u", self._work_base)
        self.commit(message + "".join(f"{UNDOES}: {commit}\n" for commit in own))

    def _revert_partial(self, part: ThreadCommit, message: str) -> bool:
        """Commits the revert of partial work. False if it was reverted by hand."""
        if part.is_empty:
            self.commit(f"{message}{UNDOES}: {part.commit}\n")
            return True
        try:
            self.stage_undo(part.commit)
        except ConflictError:
            return True  # later commits build on it: it stays a separate commit
        by_hand = not self.changed_files()
        self.commit(f"{message}{UNDOES}: {part.commit}\n")
        return not by_hand

    def undone_commit(self, commit: str) -> str:
        """The commit that an undo commit has reverted."""
        return self._git("log", "-1", f"--format=%(trailers:key={UNDOES},valueonly)", commit).partition("\n")[0].strip()

    def files_of(self, commit: str) -> tuple[str, ...]:
        names = self._git("diff-tree", "--no-commit-id", "--name-only", "-r", "-z", commit)
        return tuple(filter(None, names.split("\0")))

    def subject_of(self, commit: str) -> str:
        return self._git("log", "-1", "--format=%s", commit).strip()

    def name_of(self, commit: str) -> str:
        return self.subject_of(commit).removeprefix(INTERRUPTED)

    def count_commits(self) -> int:
        """The number of commits on the thread's branch."""
        return int(self._git("rev-list", "--count", *self._own_commits("HEAD")))

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
    def _start(self) -> str:
        """The remote branch; for a thread without one, the main branch."""
        if self._git.succeeds("rev-parse", "--verify", "--quiet", self._upstream):
            return self._upstream
        return f"refs/remotes/origin/{self._default_branch}"

    def _own_commits(self, revision: str) -> tuple[str, ...]:
        """Options that select the thread's own commits, also those that were published.

        A publish merges the branch as the second parent, so its commits are no first parents of the main branch. Git's
        own `--exclude-first-parent-only` also excludes second parents of older merges (2.39).
        """
        upstream = f"refs/remotes/origin/{self._default_branch}"
        main = set(self._git("rev-list", "--first-parent", upstream).split())
        chain = self._git("rev-list", "--first-parent", revision).split()
        fork = next((commit for commit in chain if commit in main), None)
        return ("--first-parent", revision, *((f"^{fork}",) if fork is not None else ()))

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
