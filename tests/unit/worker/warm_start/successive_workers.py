"""Successive workers of one pair, each with an empty disk and the archives of the one before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.support.world import PAIR, THREAD, World
from webordinary.tables.projects import ProjectConfig
from webordinary_worker.confinement.limits import Limits
from webordinary_worker.confinement.processes import Confinement
from webordinary_worker.git.command import Identity
from webordinary_worker.git.thread_tree import ThreadTree
from webordinary_worker.git.workspace import Workspace
from webordinary_worker.warm_start.warm_start import WarmStart

IDENTITY = Identity("webordinary", "webordinary@example.com")


def make_bucket(world: World) -> str:
    name = world.names.bucket("media")
    world.s3.create_bucket(Bucket=name, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    return name


def run_now(_: str, work: Callable[[], None]) -> None:
    work()


class WarmWorker:
    def __init__(self, world: World, folder: Path, repository: str = "") -> None:
        self.cache = folder / "cache"
        self.cache.mkdir(parents=True)  # stores need it, and run without waiting for the restore
        self.warm_start = WarmStart(world.s3, world.names, PAIR, self.cache, Confinement("test"), Limits(), run_now)
        project = ProjectConfig(project_id="bakery", domain="x", repository=repository, preview_url="x")
        self.workspace = Workspace(folder / "work", PAIR, project, IDENTITY, object_cache=self.warm_start)
        self.warm_start.start_restore()

    @property
    def repository(self) -> Path:
        return self.workspace.folder / "repository"

    def open(self) -> ThreadTree:
        return self.workspace.open(THREAD)

    def store(self) -> None:
        self.warm_start.store_packages()
        self.workspace.store_objects()
