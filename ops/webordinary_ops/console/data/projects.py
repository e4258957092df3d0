"""Projects: a page of them by name, and one with its people, releases and last conversations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from webordinary.contract.messages.base import Pair
from webordinary.contract.outcomes import Failure
from webordinary.sites.live_releases import LiveRelease
from webordinary.tables.conversation_lists import ConversationSummary
from webordinary.tables.job_records import JobRecord
from webordinary.tables.project_entries import ProjectEntry
from webordinary.tables.spending import MonthSpend, month_of
from webordinary_ops.console.filters import as_datetime
from webordinary_ops.deployment import Deployment
from webordinary_ops.site_releases import read_releases

PAGE_SIZE = 25
DAYS = 30  # of the chart
MAX_RELEASES = 8
MAX_CONVERSATIONS = 50


@dataclass(frozen=True)
class ProjectPage:
    projects: list[ProjectEntry]
    total: int
    paused: frozenset[str | None]
    after: str  # continues the list; empty at its end
    spend: dict[str, MonthSpend]  # of this month, by project
    today: date

    def spent_today(self, project_id: str) -> float:
        return self.spend[project_id].of_day(self.today)

    def is_paused(self, project_id: str) -> bool:
        return None in self.paused or project_id in self.paused


@dataclass(frozen=True)
class ProjectDetails:
    entry: ProjectEntry
    paused: bool
    all_paused: bool
    live: int  # the number of the live release; 0 before the first
    releases: list[LiveRelease]
    conversations: tuple[ConversationSummary, ...]
    credential: bool
    scheduled: list[JobRecord]  # mails that are processed again
    spend: MonthSpend  # of this month
    spend_before: MonthSpend  # of the month before
    today: date

    @property
    def spent_today(self) -> float:
        return self.spend.of_day(self.today)

    def conversation_of(self, release: LiveRelease) -> ConversationSummary | None:
        """The conversation that a release came from, if it is one of the last ones."""
        return next((one for one in self.conversations if one.thread_id == release.thread_id), None)

    @property
    def first_day(self) -> date:
        return self.today - timedelta(days=DAYS - 1)

    @property
    def days(self) -> list[float]:
        """Dollars of each of the last days, to today."""
        spent = {day.day: day.dollars for month in (self.spend_before, self.spend) for day in month.by_day()}
        return [spent.get(self.first_day + timedelta(days=number), 0.0) for number in range(DAYS)]


def list_projects(deployment: Deployment, text: str = "", after: str = "") -> ProjectPage:
    """One item has all names, so a page is three reads and one for each project that it shows."""
    names = [name for name in deployment.entries.names() if text.casefold() in name]
    rest = [name for name in names if name > after]
    shown, now = rest[:PAGE_SIZE], deployment.clock()
    return ProjectPage(
        projects=deployment.entries.get_all(shown),
        total=len(names),
        paused=frozenset(deployment.pauses.listed()),
        after=shown[-1] if len(rest) > PAGE_SIZE else "",
        spend={name: deployment.spending.of_month(name, month_of(now)) for name in shown},
        today=now.astimezone(UTC).date(),
    )


def read_project(deployment: Deployment, project_id: str) -> ProjectDetails:
    entry = deployment.entries.get(project_id)
    record, releases = read_releases(deployment, project_id, MAX_RELEASES)
    paused, now = deployment.pauses.listed(), deployment.clock()
    conversations = deployment.conversations.of_project(project_id, MAX_CONVERSATIONS).found
    return ProjectDetails(
        entry=entry,
        paused=project_id in paused,
        all_paused=None in paused,
        live=record.number,
        releases=releases,
        conversations=conversations,
        scheduled=_scheduled(deployment, conversations, now),
        spend=deployment.spending.of_month(project_id, month_of(now)),
        spend_before=deployment.spending.of_month(project_id, month_of(now - timedelta(days=now.astimezone(UTC).day))),
        today=now.astimezone(UTC).date(),
        credential=deployment.git_credentials.is_stored(project_id),
    )


def _scheduled(deployment: Deployment, conversations: Sequence[ConversationSummary], now: datetime) -> list[JobRecord]:
    """Second attempts of the last mails: one call, and none if the model was available."""
    ended = [one for one in conversations if one.result == Failure.MODEL_BUSY.value and not one.is_open]
    found = deployment.jobs.get_all([(Pair.from_key(one.pair_key), one.last_job) for one in ended])
    return [one for one in found.values() if (at := as_datetime(one.tries_again_at or "")) is not None and at > now]
