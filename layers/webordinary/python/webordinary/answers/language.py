"""What a language has to bring: a sentence for every code, and the phrases between them.

In braces stand facts: `{subject}`, `{changes}`, `{command}`, `{addresses}`, `{project}`, `{moment}`, `{limit}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from webordinary.platform.codes import AttachmentProblem, Failure, RefusalReason, Result


@dataclass(frozen=True)
class Counted:
    """A sentence that depends on how many changes there are."""

    none: str
    one: str
    more: str

    def of(self, number: int) -> str:
        return {0: self.none, 1: self.one}.get(number, self.more)


@dataclass(frozen=True)
class Language:
    results: Mapping[Result, str | Counted]
    failures: Mapping[Failure, str]
    refusals: Mapping[RefusalReason, str]
    attachment_problems: Mapping[AttachmentProblem, str]
    preempted: str
    partial_work_kept: str
    preview: str  # above the link
    live: str  # above the link
    changed_files: str  # above their names
    detail: str  # above technical lines
    refused_attachments: str  # above their names and why
