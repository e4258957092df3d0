"""Releases of a project's live site: read them, and show an earlier one again without a build.

A rollback uses the worker's own code and its hold on the live site: it waits for a publish in progress, and no publish
starts meanwhile. An operator has no pair, so every rollback holds the site under its own name.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

from webordinary.contract.messages.base import Message, Pair
from webordinary.sites.live_releases import LiveRecord, LiveRelease, LiveReleases
from webordinary_ops.actions import PlannedChange
from webordinary_ops.deployment import Deployment
from webordinary_ops.errors import OperatorError

NOTE = (
    "The repository keeps its commits: the next publish shows the changes of later releases again, unless they are "
    "reverted there. No mail is sent."
)


class SiteRollback(Message):
    project: str
    release: int
    release_before: int


def read_releases(deployment: Deployment, project: str, limit: int) -> tuple[LiveRecord, list[LiveRelease]]:
    """The live record, and the newest releases. Records that cannot be read are left out."""
    releases = LiveReleases(lambda: deployment.client("s3"), deployment.names)
    record = releases.record(project)
    numbers = range(record.newest, max(0, record.newest - limit), -1)
    return record, [found for number in numbers if (found := releases.find(project, number)) is not None]


def plan_site_rollback(
    deployment: Deployment, project: str, number: int, *, wait: Callable[[float], None] = time.sleep
) -> PlannedChange:
    """Shows a release of the live site again. `wait` is called while a worker publishes."""
    deployment.projects.project(project)  # raises for an unknown project
    releases = LiveReleases(lambda: deployment.client("s3"), deployment.names)
    live, target = releases.record(project).number, releases.find(project, number)
    if target is None:
        raise OperatorError(f"{project} has no release {number}; nothing was changed.")
    if number == live:
        raise OperatorError(f"Release {number} of {project} is already live; nothing was changed.")

    def run() -> SiteRollback:
        _show(deployment, project, target, live, wait)
        return SiteRollback(project=project, release=number, release_before=live)

    return PlannedChange(f"Shows release {number} of {project} instead of release {live}, without a build.", run, NOTE)


def _show(deployment: Deployment, project: str, target: LiveRelease, live: int, wait: Callable[[float], None]) -> None:
    from webordinary_worker.deploy.live_site import LiveSite

    name = secrets.token_hex(8)
    site = LiveSite(
        deployment.client("s3"),
        deployment.names,
        Pair(project=project, user=name),
        fence=1,
        timing=deployment.facts.timing,
        clock=deployment.clock,
        wait=wait,
    )
    shown = site.roll_back_to(
        target,
        job_id=f"operator-{name}",
        commit=target.commit,  # the main branch has more, so publishing it again is not "already live"
        check_lease=lambda: None,
        should_proceed=lambda record: record.number == live,
    )
    if not shown:
        raise OperatorError(f"The live site of {project} has changed in the meantime; nothing was changed.")
