"""Overhead of the confinement per job, in milliseconds (goal: under 100).

A job is one run of the agent and one build of the example site. Each needs a sandbox, the cleanup of its user's
processes, and copies of the tree; the deployment reads the site safely. As root, it is measured with the image's users.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.support import images_worker
from tools.package import ROOT
from webordinary_worker.confinement.limits import Limits
from webordinary_worker.confinement.processes import Confinement, Launcher
from webordinary_worker.confinement.safe_copy import SafeCopy, copy_for_user
from webordinary_worker.deploy.built_files import SiteFiles

ROUNDS = 9
EXAMPLE_SITE = ROOT / "sites/example"
NOT_IN_A_REPOSITORY = shutil.ignore_patterns("node_modules", "dist", ".astro")
Rows = list[tuple[str, float, str]]


def run() -> Rows:
    if not images_worker.can_run_as_worker():
        return measure()
    command = images_worker.command("-m", "tests.bench.bench_confinement")
    path = os.pathsep.join(str(ROOT / part) for part in ("layers/webordinary/python", "container", ""))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, env=environment, cwd=ROOT, check=True, capture_output=True, text=True)
    return [(name, ratio, explanation) for name, ratio, explanation in json.loads(done.stdout)]


def measure() -> Rows:
    agent, site = (images_worker.AGENT_UID, images_worker.SITE_UID) if images_worker.is_worker_user() else (None, None)
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        tree, copy = folder / "tree", folder / "copy"
        shutil.copytree(EXAMPLE_SITE, tree, ignore=NOT_IN_A_REPOSITORY)
        bare = milliseconds(lambda: start(Launcher()))
        confined = [milliseconds(partial(start, Confinement(name, uid))) for uid in (agent, site)]
        programs = sum(confined) - 2 * bare
        lent = milliseconds(lambda: copy_for_user(tree, copy, agent))
        taken = milliseconds(lambda: SafeCopy(Limits().tree, source_uid=agent).run(copy, tree))
        deployed = milliseconds(lambda: deploy(copy, agent))
    whole = programs + 2 * lent + taken + deployed
    return [
        (
            "programs",
            programs / bare,
            f"{programs:.0f} ms more for two confined programs; one that is not takes {bare:.0f} ms",
        ),
        (
            "copies",
            (2 * lent + taken + deployed) / bare,
            f"{lent:.1f} ms to copy out, {taken:.1f} to copy back, {deployed:.1f} to deploy",
        ),
        ("a whole job", whole / 100, f"{whole:.0f} ms, of a goal of 100 ms"),
    ]


def start(launcher: Launcher) -> None:
    launcher.run(["/bin/true"], folder=Path("/"), environment={}, seconds=10)


def deploy(site: Path, builder: int | None) -> None:
    SiteFiles(site, builder, Limits().site).digests()


def milliseconds(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        work()
        taken.append(1000 * (time.perf_counter() - begun))
    return statistics.median(taken)


if __name__ == "__main__":
    images_worker.reap()
    sys.stdout.write(json.dumps(measure()))
