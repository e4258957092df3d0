"""Milestones in words, one line each: when, how long after the mail, where, what."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rich.console import Console
from rich.text import Text

from local.runtime.events import Event

# `{took}` is how long the step took, where the milestone says it.
MILESTONES = {
    "mail_accepted": "SES takes the mail and stores it",
    "execution_started": "the state machine starts, named after the mail",
    "mail_parsed": "sender, thread and request are understood",
    "claim_requested": "a worker is called: {verdict}",
    "worker_started": "a worker is started",
    "job_dispatched": "the job waits in the pair's queue",
    "pair_claimed": "claims {pair} with fence {fence}",
    "agent_started": "Claude Code starts on the request",
    "agent_finished": "Claude Code is done{took}",
    "repository_refused": "the repository does not let the worker in: {why}",
    "site_built": "Astro builds the site{took}",
    "branch_pushed": "the branch is pushed{took}",
    "site_deployed": "the changed files are online{took}",
    "site_published": "the live site shows it{took}",
    "job_reported": "the job is reported: {state}",
    "job_ended": "the report counts: {state}",
    "job_settled": "the state machine has its answer",
    "reply_sent": "the answer is on its way",
    "pair_released": "releases {pair}",
}


class Timeline:
    """Prints events as they come. The clock starts anew with every mail."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._began: float | None = None

    def show(self, event: Event) -> None:
        if self._began is None or event.milestone == "mail_accepted":
            self._began = event.at
        clock = datetime.fromtimestamp(event.at).astimezone().strftime("%H:%M:%S")
        after = f"+{event.at - self._began:.1f} s"
        where = (f"{place(event.source):<16}", colour(event.source))
        self._console.print(Text.assemble("  ", (clock, "dim"), f" {after:>9}  ", where, words(event)))


def place(source: str) -> str:
    """`function/webordinary-parse-email` is shown as `parse-email`."""
    return source.removeprefix("function/").removeprefix("webordinary-")


def colour(source: str) -> str:
    if source.startswith("function/"):
        return "blue"
    return "cyan" if source.startswith("worker") else "yellow"


def words(event: Event) -> str:
    template = MILESTONES.get(event.milestone, event.milestone.replace("_", " "))
    seconds = event.fields.get("seconds")
    took = f" in {float(seconds):.1f} s" if seconds is not None else ""
    return template.format_map(_OrUnknown(event.fields, took=took))


class _OrUnknown(dict[str, Any]):
    """A milestone that lacks a field is shown all the same."""

    def __missing__(self, _key: str) -> str:
        return "?"
