"""Builds the example sites while the stack starts: `python -m local.stack.warm_up`, a child process of the stack.

It uses the worker's builder and cache, so the first mail does not wait for the site's dependencies. The build becomes
the first release of the project's live site.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from local.aws import ACCOUNT, EmulatedAws
from local.domain import Names
from local.errors import ChildFailedError
from local.paths import CACHE, DOMAIN_PACKAGE, ROOT, WORKER_PACKAGE, site_of
from local.runtime.children import Child
from local.stack.git_remotes import IGNORED_FILES

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


def start(
    folder: Path,
    projects: Sequence[str],
    *,
    node_folder: Path,
    network: Mapping[str, str],
    on_line: Callable[[str], None],
) -> Child:
    environment = {
        **network,
        "PATH": os.pathsep.join([str(node_folder), os.environ.get("PATH", os.defpath)]),
        "LANG": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT, DOMAIN_PACKAGE, WORKER_PACKAGE))),
        "WEBORDINARY_ACCOUNT": ACCOUNT,
        "WEBORDINARY_CONTAINER_ID": "warm-up",
        "WEBORDINARY_WORKSPACE": str(folder / "workspace"),
        "WEBORDINARY_CACHE": str(CACHE / "worker"),
        "WEBORDINARY_NODE_FOLDER": str(node_folder),
    }
    command = [sys.executable, "-m", "local.stack.warm_up", "--output", str(folder), *projects]
    return Child("warm-up", command, environment=environment, folder=ROOT, on_line=on_line)


def wait(child: Child, timeout: float) -> None:
    """Waits for the build and raises if it failed."""
    if child.process.wait(timeout) != 0:
        raise ChildFailedError("build of the example site", "failed", child.output_tail())


def publish_first_release(emulated: EmulatedAws, names: Names, project: str, site: Path, commit: str) -> None:
    """Publishes a built site as the first release of a project's live site, as a worker would."""
    from webordinary.contract.messages.base import Pair
    from webordinary.contract.settings import Timing
    from webordinary_worker.confinement.limits import Limits
    from webordinary_worker.deploy.built_files import SiteFiles
    from webordinary_worker.deploy.live_site import LiveSite
    from webordinary_worker.deploy.release_sources import BuiltContents

    s3: S3Client = emulated.client("s3")
    pair = Pair(project=project, user="handover")
    live = LiveSite(s3, names, pair, 1, Timing.model_validate({}))
    contents = BuiltContents(s3, SiteFiles(site, None, Limits().site))
    live.publish(contents, job_id="handover", thread_id="", commit=commit, check_lease=lambda: None)


def build(project: str, output: Path) -> None:
    from webordinary_worker.confinement.cancellation import CancellationToken
    from webordinary_worker.confinement.processes import Confinement
    from webordinary_worker.settings import WorkerSettings
    from webordinary_worker.site.build.builder import SiteBuilder

    tree = output / "trees" / project
    shutil.copytree(site_of(project), tree, ignore=IGNORED_FILES)
    builder = SiteBuilder(WorkerSettings.load(), Confinement("warm-up"), project)
    built = builder.build(tree, output / "scratch", CancellationToken(), clean=True)
    built.folder.rename(output / project)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m local.stack.warm_up", description=__doc__)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("projects", nargs="+")
    options = parser.parse_args()
    for project in options.projects:
        build(project, options.output)
        print(f"built {project}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
