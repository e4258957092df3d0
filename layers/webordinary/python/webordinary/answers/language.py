"""The sentences that each language defines: one for every code, and the phrases between them.

Placeholders are facts: `{subject}`, `{changes}`, `{command}`, `{addresses}`, `{project}`, `{time}`, `{limit}`,
`{detail}`, `{number}`, `{publish}`, `{unpublish}` and `{undo}` (the command words), `{developer}`, `{lock}`,
`{folders}`, `{asker}`, `{seconds}`, `{dollars}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from webordinary.contract.outcomes import AttachmentProblem, Command, Failure, RefusalReason, Result, RiskKind


class Plural(NamedTuple):
    """A sentence with forms for one, more and optionally none; without a form for none it is never used with zero."""

    one: str
    more: str
    none: str = ""

    def of(self, number: int) -> str:
        return {0: self.none, 1: self.one}.get(number, self.more)


class Language(NamedTuple):
    code: str  # ISO 639-1
    date: str  # with the placeholders `day`, `month`, `year` and `time`
    months: str  # twelve words, as they stand in a date
    results: Mapping[Result, str | Plural]
    named_results: Mapping[Result, str]  # of results that may also have no name
    failures: Mapping[Failure, str]
    refusals: Mapping[RefusalReason, str]
    attachment_problems: Mapping[AttachmentProblem, str]
    words: Mapping[Command, str]  # command words offered in replies; the mail parser recognizes them
    preempted: str
    went_to: str  # names the newer request that is handled together with this one
    not_handed_over: str  # the newer request does not know of this one
    tries_again: str  # the model is busy, and the request is carried out later
    stopped: str  # the sender stopped the request
    partial_work_kept: str  # of a stopped request
    earlier_included: str  # what happened to an earlier request that was interrupted
    earlier_separate: str
    earlier_removed: str
    earlier_not_started: str
    earlier_kept: str
    reply_to_question: str  # below the agent's question
    preview: str  # link text
    not_online: str
    pages: str  # heading
    new_page: str  # note after a title
    removed_page: str  # note after a title
    before: str  # label of the previous text
    after: str  # label of the current text
    more_pages: Plural
    risks: str  # heading
    risk_lines: Mapping[RiskKind, str]
    more_risks: Plural
    reverted_files: str  # heading
    more_reverted_files: Plural
    not_done: str  # heading; items carry the reason
    refused_attachments: str  # heading; items carry the reason
    running: str  # heading
    waiting: str  # heading
    changes_made: str  # heading
    is_live: str  # note after a change
    taken_off: str  # note after a change
    undone_still_live: str  # note after a change
    still_live: str  # after an undo
    live: str  # link text
    publish_question: str  # to a publisher, about an editor's request
    own_questions: Mapping[Command, str]  # to a publisher, about the publisher's own request
    request_asked_again: str  # to an editor: the question about their request was asked again
    request_outdated: str  # to an editor: their request is no longer about anything
    next_steps: str  # possible replies to a change
    unpublish_hint: str  # possible reply to a publication
    guide: str  # link text, below the help
    reply_hint: str  # last line of every reply
    developer_informed: str
    developer_note: str  # to the site's developer, above technical details
    stale_lock: str  # to the site's developer
    empty_folders: str  # to the site's developer, above technical details
    small_print: str

    def date_and_time(self, when: datetime) -> str:
        utc = when.astimezone(UTC)
        month = self.months.split()[utc.month - 1]
        return self.date.format(day=utc.day, month=month, year=utc.year, time=f"{utc:%H:%M}")
