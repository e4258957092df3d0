"""What needs an operator's attention, from what the overview has read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from webordinary.contract.settings import Timing
from webordinary.tables.budgets import NEARLY
from webordinary.tables.jobs import UnreadableJob
from webordinary.tables.workers import Phase
from webordinary_ops.console.data.reads import Unknown
from webordinary_ops.console.filters import counted

if TYPE_CHECKING:
    from webordinary_ops.console.data.overview import Overview

MISSED_SWEEPS = 5


@dataclass(frozen=True)
class Concern:
    """Something that needs attention."""

    kind: str  # bad, warn or off
    title: str
    text: str
    runbook: str = ""
    link: str = ""
    link_words: str = ""


def _known(value: list[Any] | dict[str, Any] | Unknown) -> Any:
    return () if isinstance(value, Unknown) else value


def _alarm_concerns(overview: Overview, _: Timing) -> list[Concern]:
    return [
        Concern("bad", f"Alarm {one.name}", f"{one.description} On since {one.since:%H:%M} UTC.", one.runbook)
        for one in _known(overview.alarms)
    ]


def _letter_concerns(overview: Overview, _: Timing) -> list[Concern]:
    found = {} if isinstance(overview.dead_letters, Unknown) else overview.dead_letters
    return [
        Concern(
            "bad",
            f"{number} {'message' if number == 1 else 'messages'} in the dead letters of the {kind} queue",
            "They failed repeatedly. Fix the cause, then redrive them.",
            "dead-letters",
        )
        for kind, number in found.items()
        if number
    ]


def _pause_concerns(overview: Overview, _: Timing) -> list[Concern]:
    return [
        Concern(
            "warn",
            f"{project or 'Everything'} is paused",
            "Mails are accepted and wait. No agent runs.",
            "",
            f"/projects/{project}" if project else "/projects",
            f"Open {project}" if project else "Open the projects",
        )
        for project in _known(overview.pauses)
    ]


def _wait_concerns(overview: Overview, timing: Timing) -> list[Concern]:
    """Pairs that wait for longer than one window of worker requests; with an open breaker their jobs fail."""
    concerns = []
    for request in _known(overview.requests):
        waited = (overview.now - request.requested_at).total_seconds()
        broken = request.attempts >= timing.claim_breaker_failures and waited >= timing.claim_window_seconds
        if broken or request.attempts > 1:
            concerns.append(
                Concern(
                    "bad" if broken else "warn",
                    f"{request.pair_key} waits for a worker",
                    "The breaker is open: its jobs fail, and their senders get a reply."
                    if broken
                    else f"{request.attempts} requests found no worker. The next goes out at "
                    f"{request.next_allowed_at:%H:%M:%S} UTC.",
                    "no-worker",
                    "/fleet",
                    "Open the fleet",
                )
            )
    return concerns


def _budget_concerns(overview: Overview, _: Timing) -> list[Concern]:
    found = []
    for one in _known(overview.budgets):
        for spent, budget, name in ((one.today, one.per_day, "today"), (one.month, one.per_month, "this month")):
            if budget and spent >= NEARLY * budget:
                title = f"{one.project} has used {100 * spent / budget:.0f} % of its budget of {name}"
                text = f"${spent:.2f} of ${budget:.2f}. Then mails get the reply that says when work resumes."
                link = f"/projects/{one.project}"
                found.append(Concern("warn", title, text, "budgets", link, f"Open {one.project}"))
    return found


def _record_concerns(overview: Overview, _: Timing) -> list[Concern]:
    jobs = _known(overview.open_jobs)
    unreadable = sum(isinstance(one, UnreadableJob) for one in jobs)
    found = []
    if unreadable:
        found.append(Concern("warn", f"{unreadable} job records cannot be read by this version", "", "sweep"))
    return found


def _sweep_concerns(overview: Overview, timing: Timing) -> list[Concern]:
    last = overview.sweep
    if last is None or isinstance(last, Unknown):
        return []
    if overview.now - last.ended_at > MISSED_SWEEPS * timedelta(seconds=timing.sweep_seconds):
        title = f"The sweep has not run since {last.ended_at:%H:%M} UTC"
        text = "Lost messages are not recovered, and mails that wait for long may fail."
        return [Concern("bad", title, text, "sweep")]
    if last.not_done:
        title = f"The last sweep skipped {counted(last.not_done, 'record')}"
        return [Concern("warn", title, "Its log says why. The next sweep repeats them.", "sweep")]
    return []


def _worker_concerns(overview: Overview, timing: Timing) -> list[Concern]:
    late = timedelta(seconds=timing.worker_start_seconds)
    return [
        Concern("warn", f"The worker in {one.launch.slot} has not registered in time",
                "The fleet stops it and starts another one.", "no-worker", "/fleet", "Open the fleet")
        for one in _known(overview.workers)
        if one.phase is Phase.STARTING and overview.now - one.since > late
    ]  # fmt: skip


FINDERS: tuple[Callable[[Overview, Timing], list[Concern]], ...] = (
    _alarm_concerns,
    _letter_concerns,
    _sweep_concerns,
    _wait_concerns,
    _worker_concerns,
    _budget_concerns,
    _pause_concerns,
    _record_concerns,
)


def find_concerns(overview: Overview, timing: Timing) -> Iterator[Concern]:
    for find in FINDERS:
        yield from find(overview, timing)
