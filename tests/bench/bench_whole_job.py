"""A whole job, against the same steps by hand: Claude Code, build, commit, push, `aws s3 sync`.

Goals: the first mail of a thread at most 1.3, the second at most 0.6. By hand, one command follows the other in a clone
with installed packages. The worker of a first mail has only the packages of the pair; the second mail goes to the same
worker after a pause. Both use the same model stand-in and the same storage, which delays every response by 20 ms.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import claude_agent_sdk

from local.model.server import serving
from tests.bench.bench_deployment import storage
from tests.bench.bench_publishing import NODE, PAIR, ByHand, Ours, git, seeded
from tests.support.model_proxies import agent_of
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.mail import Envelope
from webordinary.contract.names import Names
from webordinary.contract.outcomes import Command
from webordinary_worker.agent.agent import NO_EXTRA_TRAFFIC
from webordinary_worker.agent.transcripts import Transcripts
from webordinary_worker.confinement.processes import Confinement
from webordinary_worker.jobs.attachments import Attachments
from webordinary_worker.jobs.job_run import JobRun
from webordinary_worker.jobs.pair_tools import PairTools
from webordinary_worker.live_preview.live_preview import LivePreview

ROUNDS = 3
PAUSE_SECONDS = 6.0
CLAUDE = str(Path(claude_agent_sdk.__file__).parent / "_bundled/claude")
TOOLS = "Read,Edit,Write,Glob,Grep"
Rows = list[tuple[str, float, str]]


def run() -> Rows:
    with tempfile.TemporaryDirectory(prefix="webordinary-bench-") as name, storage() as endpoint, serving() as model:
        folder = Path(name)
        remote = seeded(folder)
        by_hand = WithAgent(folder, remote, endpoint, model.url)
        first, second, theirs = [], [], []
        for number in range(ROUNDS):
            words = f"open on day {number}"
            (folder / f"{number}").mkdir()
            with started_worker(folder / f"{number}", remote, endpoint, model.url) as worker:
                first.append(seconds(lambda: worker.edit("8 am to 2 pm", words)))  # noqa: B023
                time.sleep(PAUSE_SECONDS)
                second.append(seconds(lambda: worker.edit(words, f"{words}, and long")))  # noqa: B023
            theirs.append(seconds(lambda: by_hand.edit(number)))  # noqa: B023
    return [row("first mail over by hand", first, theirs), row("second mail over by hand", second, theirs)]


def row(name: str, ours: list[float], theirs: list[float]) -> tuple[str, float, str]:
    ratios = [mine / peer for mine, peer in zip(ours, theirs, strict=True)]
    explanation = (
        f"{statistics.median(ours):.2f} s, by hand {statistics.median(theirs):.2f} s "
        f"({min(ratios):.2f} to {max(ratios):.2f} in {len(ratios)} rounds)"
    )
    return name, statistics.median(ratios), explanation


def seconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


class Worker(Ours):
    """A worker that has just claimed the pair, with an agent."""

    def __init__(self, folder: Path, remote: Path, endpoint: str, model_url: str) -> None:
        super().__init__(folder, remote, endpoint)
        names, confinement, shared = Names("bench", "123456789012"), Confinement("bench"), self._tools
        settings = self.settings.model_copy(
            update={"model_environment": {"ANTHROPIC_BASE_URL": model_url, "ANTHROPIC_API_KEY": "any"}}
        )
        self.agent = agent_of(settings, confinement)
        given = {**vars(shared), "agent": self.agent, "live_preview": self._live_preview}
        given["transcripts"] = Transcripts(shared.s3, names, PAIR)
        given["attachments"] = Attachments(shared.s3, names)
        self._tools = PairTools(**given)
        self._thread = f"{os.urandom(8).hex()}".translate(str.maketrans("0189", "abcd")).ljust(26, "a")

    def edit(self, old: str, new: str) -> None:
        job = Job(
            job_id=f"mail-{next(self._jobs)}",
            pair=PAIR,
            thread_id=self._thread,
            command=Command.EDIT,
            instruction=f'Please change "{old}" to "{new}".',
            envelope=Envelope(sender="a@example.com", recipient="b@example.com", subject="", message_id="<1@a>"),
            received_at=datetime.now(UTC),
        )
        run = JobRun(job, lambda: self._tools, lambda: None)
        outcome = run.run()
        if outcome.state != "done" or not outcome.changed_files:
            raise RuntimeError(f"the edit failed: {outcome}")

    def _live_preview(self, _thread: str, tree: Path) -> LivePreview:
        def install(cancellation: Any) -> None:
            self._tools.builder.install(tree, cancellation)

        return LivePreview(tree, None, install, lambda _: _nothing(), None)


def _nothing() -> Any:
    raise RuntimeError("live previews are not used")


@contextmanager
def started_worker(folder: Path, remote: Path, endpoint: str, model_url: str) -> Iterator[Worker]:
    worker = Worker(folder, remote, endpoint, model_url)
    try:
        yield worker
    finally:
        worker.agent.close()
        worker.end()


class WithAgent(ByHand):
    """Runs Claude Code, then the other commands."""

    def __init__(self, folder: Path, remote: Path, endpoint: str, model_url: str) -> None:
        super().__init__(folder, remote, endpoint)
        home = folder / "home"
        home.mkdir()
        self._claude = {
            "PATH": f"{NODE}:/usr/bin:/bin",
            "HOME": str(home),
            "ANTHROPIC_BASE_URL": model_url,
            "ANTHROPIC_API_KEY": "any",
            **NO_EXTRA_TRAFFIC,
        }

    def edit(self, number: int) -> None:
        old = "8 am to 2 pm" if number == 0 else f"by hand {number - 1}"
        prompt = f'<mail>Please change "{old}" to "by hand {number}".</mail>'
        command = [
            str(CLAUDE),
            "-p",
            prompt,
            "--permission-mode",
            "acceptEdits",
            "--tools",
            "Read,Edit,Write,Glob,Grep",
        ]
        done = subprocess.run(
            command,
            cwd=self._clone,
            env=self._claude,
            check=False,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        if not git("status", "--porcelain", cwd=self._clone).strip():
            raise RuntimeError(f"nothing was changed by hand: {done.stdout} {done.stderr}")
        self._run(NODE / "node", "node_modules/.bin/astro", "build")
        git("commit", "--quiet", "--all", "-m", f"By hand {number}", cwd=self._clone)
        git("push", "--quiet", "origin", "HEAD:by-hand", cwd=self._clone)
        self._sync(self._clone / "dist")
