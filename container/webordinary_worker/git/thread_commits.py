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
BOUNDARY = "-"  # git's mark


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
        """What happened to the thread's changes on its branch, oldest first."""
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

    def was_undone(self, job_id: str) -> bool:
        """Whether a later mail has undone the partial work of this job."""
        undone = {commit for one in self if set(one.trailers[JOB]) - {job_id} for commit in one.undoes}
        return any(one.commit in undone and job_id in one.interrupted_jobs for one in self)

    def _not_undone(self) -> list[ThreadCommit]:
        undone = {commit for one in self for commit in one.undoes}
        return [one for one in self if not one.undoes and one.commit not in undone]


def read_commits(git: Git, main: str, tip: str) -> ThreadCommits:
    trailers = "%x00".join(f"%(trailers:key={key},valueonly,separator=%x20)" for key in TRAILERS)
    # The boundary is the parent of the oldest commit: only its tree counts.
    form = f"--format=%m%x00%H%x00%T%x00%P%x00{trailers}%x00%s"
    trees, found = {}, []
    log = git("log", "--boundary", form, *_own_commits(git, main, tip))
    for line in filter(None, log.split("\n")):
        mark, commit, tree, parents, *values = line.split("\0", 4 + len(TRAILERS))
        trees[commit] = tree
        if mark != BOUNDARY:
            named = {key: tuple(value.split()) for key, value in zip(TRAILERS, values, strict=False)}
            found.append((commit, tree, parents.partition(" ")[0], values[-1], named))
    return ThreadCommits(
        ThreadCommit(commit, tree, trees.get(parent, ""), subject, named)
        for commit, tree, parent, subject, named in found
    )


def _own_commits(git: Git, main: str, tip: str) -> tuple[str, ...]:
    """Options that select the thread's own commits, also those that were published.

    A publish merges the branch as the second parent, so its commits are not first parents of the main branch. Git's
    own `--exclude-first-parent-only` also excludes second parents of older merges (2.39).
    """
    published = set(git("rev-list", "--first-parent", main).split())
    chain = git("rev-list", "--first-parent", tip).split()
    fork = next((commit for commit in chain if commit in published), None)
    return ("--first-parent", tip, *((f"^{fork}",) if fork is not None else ()))
