"""The commits of a thread's branch, and what their trailers say about jobs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from webordinary.protocol.change_life import Event, Made, Undone
from webordinary_worker.git.command import Git

JOB = "Webordinary-Job"
INTERRUPTED_JOB = "Webordinary-Interrupted-Job"
INCLUDES_JOB = "Webordinary-Includes-Job"  # an interrupted job whose work this commit contains
DECIDED_BY = "Webordinary-Decided-By"  # the job that made a change of partial work, or reverted it
UNDOES = "Webordinary-Undoes"
TRAILERS = (JOB, INCLUDES_JOB, INTERRUPTED_JOB, DECIDED_BY, UNDOES)
INTERRUPTED = "interrupted: "  # prefix of the subject of partial work


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


class ThreadCommits(tuple[ThreadCommit, ...]):
    """The thread's own commits, newest first. Publishing them does not change that they are its own."""

    __slots__ = ()

    def active_changes(self) -> list[ThreadCommit]:
        """The thread's changes that are not undone; without partial work that waits to be continued."""
        waiting = {one.commit for one in self.unfinished()}
        return [one for one in self._not_undone() if one.commit not in waiting]

    def unfinished(self) -> list[ThreadCommit]:
        """Partial work of interrupted jobs that no later commit contains."""
        finished = {job for one in self for job in one.jobs}
        return [
            one for one in self._not_undone() if one.interrupted_jobs and not finished.issuperset(one.interrupted_jobs)
        ]

    def events(self) -> list[Event]:
        """The life of the thread's changes, as its branch tells it."""
        waiting = {one.commit for one in self.unfinished()}
        events: list[Event] = []
        for one in reversed(self):
            if one.undoes:
                events += [Undone(commit) for commit in one.undoes]
            elif one.commit not in waiting:
                events.append(Made(one.commit, one.name))
        return events

    def commit_of(self, job_id: str) -> ThreadCommit | None:
        """The commit with the result of a job."""
        return next((one for one in self if job_id in one.jobs), None)

    def is_taken_back(self, job_id: str) -> bool:
        """Whether an undo of a later mail has removed the partial work of this job."""
        undone = {commit for one in self if set(one.trailers[JOB]) - {job_id} for commit in one.undoes}
        return any(one.commit in undone and job_id in one.interrupted_jobs for one in self)

    def _not_undone(self) -> list[ThreadCommit]:
        undone = {commit for one in self for commit in one.undoes}
        return [one for one in self if not one.undoes and one.commit not in undone]


def read_commits(git: Git, default_branch: str, revision: str) -> ThreadCommits:
    trailers = "%x00".join(f"%(trailers:key={key},valueonly,separator=%x20)" for key in TRAILERS)
    log = git("log", f"--format=%H%x00%T%x00%P%x00{trailers}%x00%s", *_own_commits(git, default_branch, revision))
    found = []
    for line in log.splitlines():
        commit, tree, parents, *values = line.split("\0", 3 + len(TRAILERS))
        named = {key: tuple(value.split()) for key, value in zip(TRAILERS, values, strict=False)}
        found.append((commit, tree, parents.split()[:1], values[-1], named))
    trees = {commit: tree for commit, tree, *_ in found}
    return ThreadCommits(
        ThreadCommit(commit, tree, _tree_of_parent(git, parent, trees), subject, named)
        for commit, tree, parent, subject, named in found
    )


def _tree_of_parent(git: Git, parent: list[str], trees: Mapping[str, str]) -> str:
    if not parent:
        return ""
    return trees.get(parent[0]) or git("rev-parse", f"{parent[0]}^{{tree}}").strip()


def _own_commits(git: Git, default_branch: str, revision: str) -> tuple[str, ...]:
    """Options that select the thread's own commits, also those that were published.

    A publish merges the branch as the second parent, so its commits are no first parents of the main branch. Git's
    own `--exclude-first-parent-only` also excludes second parents of older merges (2.39).
    """
    main = set(git("rev-list", "--first-parent", f"refs/remotes/origin/{default_branch}").split())
    chain = git("rev-list", "--first-parent", revision).split()
    fork = next((commit for commit in chain if commit in main), None)
    return ("--first-parent", revision, *((f"^{fork}",) if fork is not None else ()))
