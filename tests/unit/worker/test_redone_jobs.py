"""Jobs whose worker died after it had pushed: the next worker completes them instead of doing them again.

Git is real. Agent, build and preview are stand-ins, because the moment between two of their steps is what matters here.
"""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.world import PAIR, THREAD, World
from webordinary.platform.messages import Command, Job, Outcome, Result
from webordinary.platform.names import branch_of
from webordinary.protocol.worker.run import CancelReason, JobCancelledError
from webordinary.tables.ownership import OwnershipLostError
from webordinary.tables.projects import ProjectConfig
from webordinary_worker.agent_protocol import AgentResult
from webordinary_worker.attachments import Placed
from webordinary_worker.commit_messages import commit_message, interrupted_message
from webordinary_worker.git import Identity
from webordinary_worker.job_context import Tools
from webordinary_worker.job_run import JobRun
from webordinary_worker.processes import Confinement
from webordinary_worker.workspace import Workspace

PAGE = "page.txt"


class DiedError(BaseException):
    """What a SIGKILL is to the code that runs: nothing after it happens."""


class Site:
    """The remote repository and the preview, which outlive every worker."""

    def __init__(self, folder: Path) -> None:
        self.remote = folder / "remote.git"
        self.shown: str | None = None
        self._folder = folder
        self._workers = 0
        self.asked = 0
        self._git("init", "--quiet", "--initial-branch=main", str(folder / "site"), cwd=folder)
        (folder / "site" / PAGE).write_text("first line\n")
        self._git("add", "--all", cwd=folder / "site")
        self._git("commit", "--quiet", "-m", "The site", cwd=folder / "site")
        self._git("clone", "--quiet", "--bare", str(folder / "site"), str(self.remote), cwd=folder)

    def subjects(self) -> list[str]:
        return self._git("log", "--format=%s", f"main..{branch_of(THREAD)}", cwd=self.remote).splitlines()

    def page(self) -> str:
        return self._git("show", f"{branch_of(THREAD)}:{PAGE}", cwd=self.remote)

    def worker(self, *, dies_at_deploy: bool = False) -> Tools:
        """A new worker, with an empty disk."""
        self._workers += 1
        project = ProjectConfig(
            project_id=PAIR.project,
            domain="bakery.example.com",
            repository=self.remote.as_uri(),
            preview_url="https://edit.example.com/bakery",
        )
        identity = Identity("webordinary", "webordinary@example.com")
        parts: dict[str, Any] = {
            "agent": SimpleNamespace(run=self._edit),
            "builder": SimpleNamespace(build=lambda tree, *_: tree),
            "sessions": SimpleNamespace(find=lambda *_: None, note=lambda *_: None, keep=lambda *_: None),
            "attachments": SimpleNamespace(place=lambda *_: Placed()),
            "preview": lambda _thread: SimpleNamespace(deploy=self._die if dies_at_deploy else self._deploy),
        }
        return Tools(
            project=project,
            workspace=Workspace(self._folder / f"worker-{self._workers}", PAIR, project, identity),
            confinement=Confinement("test"),
            **parts,
        )

    def _edit(self, prompt: str, *, tree: Path, **_: Any) -> AgentResult:
        """Adds the words of the mail as a line. As a sensible agent, it adds nothing that is there already."""
        self.asked += 1
        wish = prompt.split("<mail>")[1].split("</mail>")[0].strip()
        lines = (tree / PAGE).read_text().splitlines()
        if wish in lines:
            return AgentResult(summary="It is already there.")
        (tree / PAGE).write_text("\n".join([*lines, wish, ""]))
        return AgentResult(summary="I added a line.")

    def _deploy(self, site: Path, *_: Any) -> int:
        self.shown = (site / PAGE).read_text()
        return 1

    def _die(self, *_: Any) -> int:
        raise DiedError

    def _git(self, *arguments: str, cwd: Path) -> str:
        person = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "core.hooksPath=/dev/null"]
        done = subprocess.run(["git", *person, *arguments], cwd=cwd, check=True, capture_output=True, text=True)
        return done.stdout


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def job_run(job: Job, tools: Tools) -> JobRun:
    return JobRun(job, lambda: tools, may_publish=lambda: None)


def carry_out(job: Job, tools: Tools) -> Outcome:
    return job_run(job, tools).run(after_interrupted=False)


def die_after_the_push(job: Job, site: Site) -> None:
    with pytest.raises(DiedError):
        carry_out(job, site.worker(dies_at_deploy=True))


def test_what_was_pushed_before_a_death_is_deployed_by_the_next_worker(site: Site, world: World) -> None:
    job = world.job()
    die_after_the_push(job, site)

    outcome = carry_out(job, site.worker())

    assert site.shown == site.page()
    assert outcome.preview_url is not None


def test_what_was_pushed_before_a_death_is_not_done_again(site: Site, world: World) -> None:
    job = world.job()
    die_after_the_push(job, site)

    carry_out(job, site.worker())

    assert len(site.subjects()) == 1
    assert site.asked == 1


def test_the_answer_to_a_completed_job_says_what_was_changed(site: Site, world: World) -> None:
    job = world.job(instruction="Add a line.")
    die_after_the_push(job, site)

    outcome = carry_out(job, site.worker())

    assert (outcome.result, outcome.subject, outcome.changed_files) == (Result.CHANGED, "Add a line.", (PAGE,))


def test_an_undo_that_died_after_its_push_takes_back_one_change_and_not_two(site: Site, world: World) -> None:
    carry_out(world.job("mail-1", instruction="second line"), site.worker())
    carry_out(world.job("mail-2", instruction="third line"), site.worker())
    undo = world.job("mail-3", command=Command.UNDO)
    die_after_the_push(undo, site)

    outcome = carry_out(undo, site.worker())

    assert site.page() == "first line\nsecond line\n"
    assert (outcome.result, outcome.subject) == (Result.UNDONE, "third line")


def test_a_job_stopped_between_its_commit_and_its_push_is_published_when_it_resumes(site: Site, world: World) -> None:
    job, tools = world.job(), site.worker()

    def interrupt_at_the_end(tree: Path, *_: Any) -> Path:
        interrupted.cancel(CancelReason.INTERRUPTED)
        return tree

    builder: Any = SimpleNamespace(build=interrupt_at_the_end)
    interrupted = job_run(job, replace(tools, builder=builder))
    with pytest.raises(JobCancelledError):
        interrupted.run(after_interrupted=False)

    outcome = carry_out(job, tools)

    assert outcome.preview_url is not None
    assert site.shown == site.page()


def test_partial_work_of_an_interrupted_job_is_not_taken_for_the_whole(world: World) -> None:
    job = world.job()

    trailers = {line for line in commit_message(job).splitlines() if job.job_id in line}

    assert trailers.isdisjoint(interrupted_message(job).splitlines())


def test_a_worker_that_lost_its_pair_does_not_push_on_top_of_its_successor(site: Site, world: World) -> None:
    job = world.job()
    sleeper = site.worker().workspace.open(THREAD)
    (sleeper.folder / "page-of-the-sleeper.txt").write_text("woke up too late")
    sleeper.commit(commit_message(job))
    still_mine = iter([None])  # when it begins to push; then it sleeps, and its successor does the job

    def lease() -> None:
        if next(still_mine, job) is not None:
            raise OwnershipLostError(PAIR, 1)

    carry_out(job, site.worker())
    with pytest.raises(OwnershipLostError):
        sleeper.push(lease)

    assert len(site.subjects()) == 1
