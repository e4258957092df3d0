"""Partial work of interrupted jobs: commits of a thread that the next job resumes or reverts."""

from __future__ import annotations

from dataclasses import dataclass

from webordinary_worker.failures import ConflictError
from webordinary_worker.git.thread_commits import UNDOES, ThreadCommit
from webordinary_worker.git.thread_tree import ThreadTree


@dataclass(frozen=True)
class PartialWork:
    """The work of interrupted jobs, oldest first. `snapshot` is a commit of what is uncommitted again, if anything."""

    jobs: tuple[str, ...]
    snapshot: str | None
    has_work: bool  # whether they changed files; such work may also stay a commit that later ones build on


def resume_interrupted(tree: ThreadTree, message: str) -> PartialWork | None:
    """Turns the partial commits of interrupted jobs into uncommitted changes again.

    So a job ends with one commit of all the work, or with none. Returns None if there is no partial work.
    """
    parts, before = tree.commits().unfinished(), tree.head
    resumed = [part for part in parts if _revert(tree, part, message)]
    if not resumed:
        return None
    tree.begin_work()
    snapshot = tree.stage_tree_of(before)
    jobs = dict.fromkeys(job for part in reversed(resumed) for job in part.interrupted_jobs)
    return PartialWork(tuple(jobs), snapshot, has_work=not all(part.is_empty for part in resumed))


def revert_interrupted(tree: ThreadTree, message: str) -> None:
    """Commits the revert of all partial work of interrupted jobs."""
    parts = tree.commits().unfinished()
    for part in parts:
        if not part.is_empty:
            tree.stage_undo(part.commit)
    tree.commit(message + _undoes(*parts))


def _revert(tree: ThreadTree, part: ThreadCommit, message: str) -> bool:
    """Commits the revert of partial work. False if it was reverted by hand."""
    if part.is_empty:
        tree.commit(message + _undoes(part))
        return True
    try:
        tree.stage_undo(part.commit)
    except ConflictError:
        return True  # later commits build on it: it stays a separate commit
    by_hand = not tree.changed_files()
    tree.commit(message + _undoes(part))
    return not by_hand


def _undoes(*parts: ThreadCommit) -> str:
    return "".join(f"{UNDOES}: {part.commit}\n" for part in parts)
