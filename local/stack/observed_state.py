"""What a mail has changed on the git remote and in the sites bucket."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from local.domain import branch_of, preview_prefix, site_prefix

if TYPE_CHECKING:
    from local.stack.stack import Stack

_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True)
class ObservedState:
    branch: str
    diff: str
    page: str
    source_before: str

    def line_before(self, text: str) -> str:
        return _readable(_line_with(self.source_before, text))

    def line_now(self, text: str) -> str:
        return _readable(_line_with(self.page, text))


def observe(stack: Stack, project: str, page: str, source: str = "src/pages/index.astro") -> ObservedState:
    """The state of a project's newest thread. Missing parts are empty."""
    remote = stack.remotes[project]
    threads = [branch for branch in remote.branches() if branch.startswith(branch_of(""))]
    branch = threads[-1] if threads else ""
    thread_id = branch.removeprefix(branch_of(""))
    return ObservedState(
        branch=branch,
        diff=remote.diff(branch) if branch else "",
        page=deployed_page(stack, project, thread_id, page) if branch else "",
        source_before=remote.show("main", source),
    )


def deployed_page(stack: Stack, project: str, thread_id: str, page: str) -> str:
    """A page of a thread's preview; empty if missing."""
    return _stored_page(stack, preview_prefix(project, thread_id) + page)


def live_page(stack: Stack, project: str, page: str) -> str:
    """A page of a project's live site; empty if missing."""
    return _stored_page(stack, site_prefix("live", project) + page)


def _stored_page(stack: Stack, key: str) -> str:
    s3 = stack.emulated.client("s3")
    try:
        found = s3.get_object(Bucket=stack.names.bucket("sites"), Key=key)
    except s3.exceptions.NoSuchKey:
        return ""
    return str(found["Body"].read().decode(errors="replace"))


def _line_with(text: str, phrase: str) -> str:
    """The line or `<div>` that contains the phrase, up to the phrase's end."""
    position = text.find(phrase)
    if position < 0:
        return "(not found)"
    opening = max(text.rfind("<div", 0, position), text.rfind("\n", 0, position), 0)
    return text[opening : position + len(phrase)]


def _readable(html: str) -> str:
    return " ".join(_TAG.sub(" ", html).split())
