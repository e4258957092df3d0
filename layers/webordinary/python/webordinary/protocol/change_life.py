"""The life of a thread's changes, as a fold over events.

    made ──▶ live ──▶ taken off ──▶ live …
     │        │           │
     ▼        ▼           ▼
    undone  undone,     undone
            still live

The worker reads the events from git and the release records, `control` from the outcomes of the thread's jobs and the
release records. Both fold them here, so `status`, answers and commands cannot disagree about a change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from webordinary.contract.outcomes import ChangeState
from webordinary.sites.live_releases import LiveRecord, LiveRelease

MAX_RELEASES_READ = 30


@dataclass(frozen=True)
class Made:
    """A mail changed the preview. The change is named by its commit."""

    commit: str
    name: str


@dataclass(frozen=True)
class Undone:
    commit: str


@dataclass(frozen=True)
class Published:
    """All of the thread's changes that are on the live site from now on."""

    commits: tuple[str, ...]


@dataclass(frozen=True)
class TakenOff:
    """The thread's last publication is off the live site; the one before it counts again."""


Event = Made | Undone | Published | TakenOff


@dataclass(frozen=True)
class Change:
    commit: str
    name: str
    state: ChangeState = ChangeState.MADE

    @property
    def is_undone(self) -> bool:
        return self.state in (ChangeState.UNDONE, ChangeState.UNDONE_STILL_LIVE)


def fold(events: Iterable[Event]) -> tuple[Change, ...]:
    """The thread's changes with their states, oldest first."""
    changes: dict[str, Change] = {}
    undone: set[str] = set()
    was_live: set[str] = set()
    publications: list[frozenset[str]] = []
    for event in events:
        match event:
            case Made(commit, name):
                changes.setdefault(commit, Change(commit, name))
            case Undone(commit):
                undone.add(commit)
            case Published(commits):
                publications.append(frozenset(commits))
                was_live.update(commits)
            case TakenOff():
                publications[-1:] = []
    live = publications[-1] if publications else frozenset()
    return tuple(
        replace(change, state=_state(change.commit in undone, change.commit in live, change.commit in was_live))
        for change in changes.values()
    )


def _state(undone: bool, live: bool, was_live: bool) -> ChangeState:
    if undone:
        return ChangeState.UNDONE_STILL_LIVE if live else ChangeState.UNDONE
    if live:
        return ChangeState.LIVE
    return ChangeState.TAKEN_OFF if was_live else ChangeState.MADE


def publications(record: LiveRecord, find: Callable[[int], LiveRelease | None], thread_id: str) -> Iterator[Event]:
    """When changes of a thread went live and were taken off, from a project's newest release records.

    A release that is neither live nor a predecessor of the live one was taken off. Only a new release shows its changes
    again.
    """
    numbers = range(record.newest, max(0, record.newest - MAX_RELEASES_READ), -1)
    releases = {number: release for number in numbers if (release := find(number)) is not None}
    shown, number = set(), record.number
    while number in releases:
        shown.add(number)
        number = releases[number].previous
    for number, release in sorted(releases.items()):
        if release.thread_id == thread_id and release.changes is not None:
            yield Published(release.changes)
            if number not in shown:
                yield TakenOff()
