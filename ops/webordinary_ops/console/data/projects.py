"""Projects: a page of them by name, and one with its people, releases and last conversations."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date

from webordinary.sites.live_releases import LiveRelease
from webordinary.tables.conversation_records import ConversationSummary
from webordinary.tables.project_entries import ProjectEntry
from webordinary.tables.spending import MonthSpend, month_of
from webordinary_ops.deployment import Deployment
from webordinary_ops.site_releases import read_releases

PAGE_SIZE = 25
MAX_RELEASES = 8
MAX_CONVERSATIONS = 50


@dataclass(frozen=True)
class ProjectPage:
    projects: list[ProjectEntry]
    total: int
    paused: frozenset[str | None]
    after: str  # continues the list; empty at its end

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
    spend: MonthSpend
    today: date

    @property
    def spent_today(self) -> float:
        return sum(day.dollars for day in self.spend.by_day() if day.day == self.today)

    def conversation_of(self, release: LiveRelease) -> ConversationSummary | None:
        """The conversation that a release came from, if it is one of the last ones."""
        return next((one for one in self.conversations if one.thread_id == release.thread_id), None)

    @property
    def days(self) -> list[float]:
        """Dollars of each day of the month, to today."""
        spent = {day.day.day: day.dollars for day in self.spend.by_day()}
        return [spent.get(number, 0.0) for number in range(1, self.today.day + 1)]


def list_projects(deployment: Deployment, text: str = "", after: str = "") -> ProjectPage:
    """One item has all names, so a page is three reads however many projects there are."""
    names = [name for name in deployment.entries.names() if text.casefold() in name]
    rest = [name for name in names if name > after]
    shown = rest[:PAGE_SIZE]
    return ProjectPage(
        projects=deployment.entries.get_all(shown),
        total=len(names),
        paused=frozenset(deployment.pauses.listed()),
        after=shown[-1] if len(rest) > PAGE_SIZE else "",
    )


def read_project(deployment: Deployment, project_id: str) -> ProjectDetails:
    entry = deployment.entries.get(project_id)
    record, releases = read_releases(deployment, project_id, MAX_RELEASES)
    paused = deployment.pauses.listed()
    return ProjectDetails(
        entry=entry,
        paused=project_id in paused,
        all_paused=None in paused,
        live=record.number,
        releases=releases,
        conversations=deployment.conversations.of_project(project_id, MAX_CONVERSATIONS).found,
        spend=deployment.spending.of_month(project_id, month_of(deployment.clock())),
        today=deployment.clock().astimezone(UTC).date(),
        credential=deployment.git_credentials.is_stored(project_id),
    )
