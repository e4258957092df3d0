"""The commands, one module per topic."""

from __future__ import annotations

import click


def add_to(group: click.Group) -> None:
    from webordinary_ops.commands import (
        console,
        costs,
        dead_letters,
        erase,
        jobs,
        pairs,
        pauses,
        projects,
        rollback,
        send,
        site_releases,
        status,
        watch,
        workload,
    )

    commands: list[click.Command] = [
        status.status,
        watch.watch,
        watch.tail,
        console.console,
        projects.projects,
        jobs.jobs,
        jobs.show,
        jobs.stop,
        jobs.replay,
        pairs.owners,
        pairs.workers,
        pairs.release,
        pauses.pause,
        pauses.resume,
        dead_letters.dead_letters,
        costs.costs,
        erase.erase,
        send.send,
        rollback.releases,
        rollback.rollback,
        workload.workload,
    ]
    for command in commands:
        group.add_command(command)
    for command in (site_releases.site_releases, site_releases.roll_back_site):
        projects.projects.add_command(command)
