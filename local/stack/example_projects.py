"""Adds the example projects, as an operator would."""

from __future__ import annotations

from collections.abc import Mapping

from local.aws import EmulatedAws
from local.operators_package import Connection, Deployment, apply_entries, read_file
from local.paths import PROJECTS

PREFIX = "webordinary"


def ids() -> list[str]:
    return list(read_file(PROJECTS))


def add(emulated: EmulatedAws, repositories: Mapping[str, str] | None = None, *, prefix: str = PREFIX) -> None:
    """Adds all example projects, or only those in `repositories`, with these URLs."""
    projects = read_file(PROJECTS)
    if repositories is not None:
        projects = {project: {**projects[project], "repository": url} for project, url in repositories.items()}
    connection = Connection("local", prefix, emulated.region, endpoint=emulated.endpoint)
    apply_entries(Deployment(connection), projects)
