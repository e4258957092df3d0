"""What a site's operator and its developers want every editor to keep to. Quoted to the agent as data."""

from __future__ import annotations

from collections.abc import Sequence

from webordinary.aws.telemetry import logger
from webordinary.contract.values import limit
from webordinary_worker.git.command import GitError
from webordinary_worker.git.work_tree import WorkTree
from webordinary_worker.jobs.job_context import JobContext

FILES = ("CLAUDE.md", "AGENTS.md")
REMEMBERED = "guides.txt"


def new_guides(context: JobContext, tree: WorkTree) -> Sequence[tuple[str, str]]:
    """Tags and texts, or nothing if the agent already has them in the thread's session."""
    project, remembered = context.tools.project, context.folder / REMEMBERED
    guides = [("instructions", project.instructions), ("conventions", _conventions(tree, project.folder))]
    current = repr(guides)
    if remembered.is_file() and remembered.read_text() == current:
        return ()
    remembered.write_text(current)
    return [(tag, text) for tag, text in guides if text]


def _conventions(tree: WorkTree, folder: str) -> str:
    """Of the default branch: a mail cannot change them, only a merge can."""
    places = dict.fromkeys([f"{folder}/{name}".lstrip("/") for name in FILES] + list(FILES))
    try:
        found = next((text for path in places if (text := tree.published_file(path))), "")
    except GitError as error:
        logger().warning("Could not read the site's conventions; the agent works without.", extra={"cause": str(error)})
        return ""
    return found.strip()[: limit("convention_characters")]
