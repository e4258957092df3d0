"""What a language has to bring: a sentence for every code, and the phrases between them.

In braces stand facts: `{subject}`, `{changes}`, `{command}`, `{addresses}`, `{project}`, `{moment}`, `{limit}`,
`{number}`, `{publish}`, `{unpublish}` and `{undo}` (the words that ask for it), `{developer}`, `{lock}`, `{seconds}`,
`{dollars}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from webordinary.contract.outcomes import AttachmentProblem, Command, Failure, RefusalReason, Result


@dataclass(frozen=True)
class Plural:
    """A sentence that depends on how many there are; one without a form for none is not said of none."""

    one: str
    more: str
    none: str = ""

    def of(self, number: int) -> str:
        return {0: self.none, 1: self.one}.get(number, self.more)


@dataclass(frozen=True)
class Language:
    code: str  # two letters, as ISO 639 has them
    results: Mapping[Result, str | Plural]
    failures: Mapping[Failure, str]
    refusals: Mapping[RefusalReason, str]
    attachment_problems: Mapping[AttachmentProblem, str]
    words: Mapping[Command, str]  # by which some commands are asked for; the mail parser knows them
    preempted: str
    went_to: str  # where a request went that a newer mail has taken over
    stopped: str  # about a request that its writer stopped
    partial_work_kept: str
    reply_to_question: str  # below the agent's question
    preview: str  # the link to it
    pages: str  # above the changed pages
    new_page: str  # beside a title
    removed_page: str  # beside a title
    before: str  # before the words that were there
    after: str  # before the words that are there now
    more_pages: Plural
    not_done: str  # above what was not done, and why
    refused_attachments: str  # above their names and why
    running: str  # above what is being worked on
    waiting: str  # above what waits
    made: str  # above what was changed in this conversation
    is_live: str  # beside a change
    live: str  # the link to the live site
    publish_question: str  # to a publisher, about an editor's wish
    next_steps: str  # what can be answered to a change
    unpublish_hint: str  # what can be answered to what went live
    reply_hint: str  # below every answer
    developer_informed: str
    developer_note: str  # above technical lines, to the site's developer
    stale_lock: str  # to the site's developer
    empty_folders: str  # likewise, above technical lines
    small_print: str
