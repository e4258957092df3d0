"""Is everything well: what needs attention, what is under way, and the counts of the last day."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from webordinary.contract.settings import Timing
from webordinary.protocol.worker_requests import PendingRequest
from webordinary.tables.conversation_lists import ConversationSummary, HourCounts
from webordinary.tables.jobs import JobRecord, JobState, UnreadableJob
from webordinary.tables.spending import month_of
from webordinary.tables.sweep_notes import SweepNote
from webordinary.tables.workers import Phase, WorkerEntry
from webordinary_ops.console.data.concerns import Concern, find_concerns
from webordinary_ops.console.data.reads import Reads, Unknown
from webordinary_ops.dead_letter_queues import DeadLetterQueues
from webordinary_ops.deployment import Deployment

MAX_OPEN_JOBS = 50
MAX_RECENT = 8
READ_RECENT = 50
MAX_BUDGETS = 10
MAX_REQUESTS = 100
HOURS = 24
RUNBOOK = re.compile(r"docs/runbooks/([a-z-]+)\.md")


@dataclass(frozen=True)
class Alarm:
    name: str
    description: str
    runbook: str
    since: datetime


@dataclass(frozen=True)
class Budget:
    """What a project has spent of its budget of today, and of the month."""

    project: str
    today: float
    per_day: float
    month: float
    per_month: float | None


@dataclass(frozen=True)
class Hours:
    """Counts of the last 24 hours, oldest first; the last one is the present hour."""

    counts: tuple[HourCounts, ...]
    of_today: int  # how many of them belong to the present day (UTC)

    @property
    def mails(self) -> int:
        return sum(one.mails for one in self.counts)

    @property
    def replies(self) -> int:
        return sum(one.replies for one in self.counts)

    @property
    def dollars(self) -> float:
        return sum(one.dollars for one in self.counts)

    @property
    def dollars_today(self) -> float:
        return sum(one.dollars for one in self.counts[-self.of_today :])

    @property
    def reply_seconds(self) -> float | None:
        """On average."""
        return sum(one.reply_seconds for one in self.counts) / self.replies if self.replies else None

    @property
    def work_seconds(self) -> float:
        """Of the average reply, the time of a worker. The rest is waiting."""
        return sum(one.work_seconds for one in self.counts) / self.replies if self.replies else 0.0


@dataclass(frozen=True)
class Overview:
    alarms: list[Alarm] | Unknown
    dead_letters: dict[str, int] | Unknown
    open_jobs: list[JobRecord | UnreadableJob] | Unknown
    workers: list[WorkerEntry] | Unknown
    requests: list[PendingRequest] | Unknown
    pauses: list[str | None] | Unknown
    hours: Hours | Unknown
    recent: list[ConversationSummary] | Unknown
    budgets: list[Budget] | Unknown
    sweep: SweepNote | Unknown | None
    concerns: tuple[Concern, ...]
    now: datetime

    @property
    def unknown(self) -> dict[str, Unknown]:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if isinstance(value, Unknown)}

    @property
    def verdict(self) -> str:
        """ok, warn, bad or unknown: everything is well only if everything could be read."""
        if any(one.kind == "bad" for one in self.concerns):
            return "bad"
        if self.unknown:
            return "unknown"
        return "warn" if self.concerns else "ok"

    @property
    def waiting(self) -> list[JobRecord]:
        return [one for one in self._readable if one.state == JobState.WAITING]

    @property
    def longest_wait(self) -> float:
        """Seconds for which the oldest of the waiting mails has waited."""
        return max([(self.now - one.job.received_at).total_seconds() for one in self.waiting], default=0.0)

    @property
    def busy_workers(self) -> int:
        workers = [] if isinstance(self.workers, Unknown) else self.workers
        return sum(one.phase is Phase.BUSY for one in workers)

    @property
    def under_way(self) -> list[JobRecord]:
        return [one for one in self._readable if not one.state.is_final]

    @property
    def _readable(self) -> list[JobRecord]:
        jobs = [] if isinstance(self.open_jobs, Unknown) else self.open_jobs
        return [one for one in jobs if isinstance(one, JobRecord)]


def read_overview(deployment: Deployment, reads: Reads) -> Overview:
    now = deployment.clock()
    found: dict[str, Any] = {
        name: reads.attempt(name, read)
        for name, read in {
            "alarms": lambda: _alarms(deployment),
            "dead_letters": lambda: DeadLetterQueues(deployment).counts(),
            "open_jobs": lambda: deployment.jobs.first_open_jobs(MAX_OPEN_JOBS),
            "workers": lambda: deployment.workers.all(),
            "requests": lambda: deployment.worker_requests.pending(MAX_REQUESTS),
            "pauses": lambda: deployment.pauses.listed(),
            "hours": lambda: _hours(deployment, now),
            "recent": lambda: _recent(deployment, now),
            "sweep": lambda: deployment.sweep_notes.last(),
        }.items()
    }
    recent = [] if isinstance(found["recent"], Unknown) else found["recent"]
    projects = list(dict.fromkeys(one.project for one in recent))[:MAX_BUDGETS]
    found["budgets"] = reads.attempt("budgets", lambda: _budgets(deployment, projects, now))
    overview = Overview(**found, concerns=(), now=now)
    facts = reads.attempt("facts", lambda: deployment.facts)
    timing = Timing.model_validate({}) if isinstance(facts, Unknown) else facts.timing
    return replace(overview, concerns=tuple(find_concerns(overview, timing)))


def _alarms(deployment: Deployment) -> list[Alarm]:
    """The alarms that are on, in one call."""
    answer = deployment.client("cloudwatch").describe_alarms(
        StateValue="ALARM", AlarmNamePrefix=deployment.connection.prefix, MaxRecords=100
    )
    return [
        Alarm(
            name=one["AlarmName"],
            description=RUNBOOK.sub("", one.get("AlarmDescription", "")).strip(),
            runbook=next(iter(RUNBOOK.findall(one.get("AlarmDescription", ""))), ""),
            since=one["StateUpdatedTimestamp"],
        )
        for one in answer.get("MetricAlarms", [])
        if one["StateValue"] == "ALARM"  # some emulators ignore the filter
    ]


def _hours(deployment: Deployment, now: datetime) -> Hours:
    """Two queries: the last 24 hours lie on at most two days."""
    hour = now.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    shown = [hour - timedelta(hours=back) for back in reversed(range(HOURS))]
    days = {day: deployment.conversations.hours(day) for day in {one.date() for one in shown}}
    counts = tuple(days[one.date()].get(one.hour, HourCounts()) for one in shown)
    return Hours(counts, sum(one.date() == hour.date() for one in shown))


def _recent(deployment: Deployment, now: datetime) -> list[ConversationSummary]:
    today = now.astimezone(UTC).date()
    found = list(deployment.conversations.of_day(today, READ_RECENT).found)
    if len(found) < MAX_RECENT:
        found += deployment.conversations.of_day(today - timedelta(days=1), MAX_RECENT - len(found)).found
    return found


def _budgets(deployment: Deployment, projects: list[str], now: datetime) -> list[Budget]:
    """The budgets of the projects that had mails lately: one call for each, and one for their entries."""
    day, found = now.astimezone(UTC).date(), []
    for entry in deployment.entries.get_all(projects):
        spend = deployment.spending.of_month(entry.project_id, month_of(now))
        today = sum(one.dollars + one.reserved for one in spend.by_day() if one.day == day)
        month = spend.dollars + spend.reserved
        found.append(Budget(entry.project_id, today, entry.dollars_per_day, month, entry.dollars_per_month))
    return found
