"""Prints milestones, one line each: time, seconds since the mail, component, description."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rich.console import Console
from rich.text import Text

from local.runtime.events import Event

# `{took}` is the duration of the step, if the milestone carries one.
MILESTONES = {
    "mail_accepted": "mail accepted and stored",
    "execution_started": "state machine execution started",
    "mail_parsed": "sender, thread and request identified",
    "worker_requested": "worker request: {verdict}",
    "worker_started": "worker started",
    "job_dispatched": "job sent to the pair's queue",
    "pair_claimed": "claimed {pair} with fence {fence}",
    "agent_started": "Claude Code started",
    "agent_finished": "Claude Code finished{took}",
    "repository_refused": "repository access refused: {why}",
    "model_unavailable": "model unavailable: {why}",
    "site_built": "site built{took}",
    "branch_pushed": "branch pushed{took}",
    "site_deployed": "preview deployed{took}",
    "site_published": "live site published{took}",
    "job_reported": "job reported: {state}",
    "job_ended": "job ended: {state}",
    "job_settled": "state machine notified",
    "reply_sent": "reply sent",
    "pair_released": "released {pair}",
}


class Timeline:
    """Prints events as they arrive. The elapsed time restarts with every mail."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._started: float | None = None

    def show(self, event: Event) -> None:
        if self._started is None or event.milestone == "mail_accepted":
            self._started = event.at
        clock = datetime.fromtimestamp(event.at).astimezone().strftime("%H:%M:%S")
        after = f"+{event.at - self._started:.1f} s"
        where = (f"{source_label(event.source):<16}", colour(event.source))
        self._console.print(Text.assemble("  ", (clock, "dim"), f" {after:>9}  ", where, describe(event)))


def source_label(source: str) -> str:
    """`function/webordinary-parse-email` becomes `parse-email`."""
    return source.removeprefix("function/").removeprefix("webordinary-")


def colour(source: str) -> str:
    if source.startswith("function/"):
        return "blue"
    return "cyan" if source.startswith("worker") else "yellow"


def describe(event: Event) -> str:
    template = MILESTONES.get(event.milestone, event.milestone.replace("_", " "))
    seconds = event.fields.get("seconds")
    took = f" in {float(seconds):.1f} s" if seconds is not None else ""
    return template.format_map(_UnknownFields(event.fields, took=took))


class _UnknownFields(dict[str, Any]):
    """Shows `?` for a field that the milestone lacks."""

    def __missing__(self, _key: str) -> str:
        return "?"
