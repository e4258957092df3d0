"""`webordinary projects releases` and `projects rollback`: what a live site showed, and showing it again."""

from __future__ import annotations

import click

from webordinary.contract.messages.base import Message
from webordinary_ops.cli import Operator
from webordinary_ops.site_releases import plan_site_rollback, read_releases

MAX_SHOWN = 20


class SiteReleaseRow(Message):
    release: int
    live: bool
    published_at: str
    commit: str
    files: int
    thread: str


@click.command("releases", short_help="List the releases of a live site.")
@click.argument("project")
@click.pass_obj
def site_releases(operator: Operator, project: str) -> None:
    """Lists the newest releases of the live site of PROJECT, newest first."""
    deployment = operator.deployment
    record, found = read_releases(deployment, deployment.entries.get(project).project_id, MAX_SHOWN)
    rows = [
        SiteReleaseRow(
            release=one.number,
            live=one.number == record.number,
            published_at=one.published_at.isoformat(timespec="seconds"),
            commit=one.commit[:7],
            files=len(one.files),
            thread=one.thread_id,
        )
        for one in found
    ]
    operator.output.rows(rows, "Nothing was published yet.")


@click.command("rollback", short_help="Show an earlier release of a live site.")
@click.argument("project")
@click.option("--to", "number", type=click.IntRange(min=1), required=True, help="Number of the release to show.")
@click.pass_obj
def roll_back_site(operator: Operator, project: str, number: int) -> None:
    """Shows an earlier release of the live site of PROJECT again, within seconds and without a build.

    The repository keeps its commits: the next publish shows the changes of later releases again, unless they are
    reverted there. `webordinary projects releases PROJECT` lists the releases.
    """
    change = plan_site_rollback(operator.deployment, project, number)
    operator.confirm(change.announcement)
    operator.output.one(change.run())
    operator.output.say(change.note)
