"""A site with one text file, for tests of jobs.

Git is real. Agent, build, sessions and preview are fakes that a test can replace.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.world import PAIR, THREAD, World
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import ChangedPage, Outcome
from webordinary.contract.names import branch_of
from webordinary.contract.outcomes import Command, PageChange, RiskKind
from webordinary.protocol.worker.run import CancelReason, JobCancelledError
from webordinary.tables.job_records import JobRecord, JobState
from webordinary.tables.ownership import OwnershipLostError
from webordinary.tables.projects import ProjectConfig
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.agent.transcripts import Session
from webordinary_worker.confinement.limits import Limits
from webordinary_worker.confinement.processes import Confinement
from webordinary_worker.deploy.built_files import SiteFiles
from webordinary_worker.deploy.page_diff import PageChanges
from webordinary_worker.deploy.preview import DeployResult
from webordinary_worker.deploy.site_risks import SiteRisks, risks_of
from webordinary_worker.deploy.upload_plan import DeployRecord
from webordinary_worker.failures import BuildFailedError
from webordinary_worker.git.command import Identity
from webordinary_worker.git.thread_tree import ThreadTree
from webordinary_worker.git.workspace import Workspace
from webordinary_worker.jobs.attachments import PlacedAttachments
from webordinary_worker.jobs.job_run import JobRun
from webordinary_worker.jobs.pair_tools import PairTools
from webordinary_worker.warm_start.warm_start import NoWarmStart

PAGE = "page.txt"
FIRST = "first line\n"
DEVELOPER = "Ada <ada@example.com>"
# Partial clones, as on common git hosts.
REMOTE_CONFIG = "[uploadpack]\n\tallowFilter = true\n[receive]\n\tautogc = false\n"
PREVIEW = f"https://{THREAD}--bakery.preview.example.com/"


class FakeSessions:
    """The agent's sessions, without a bucket."""

    def __init__(self) -> None:
        self.known: Session | None = None
        self.forgotten = 0
        self.stored: list[str] = []

    def find(self, _thread: str, _tree: Path, _home: Any) -> Session | None:
        return self.known

    def note(self, _thread: str, session: Session) -> None:
        self.known = session

    def forget(self, _thread: str) -> None:
        self.known = None
        self.forgotten += 1

    def reset_home(self, _thread: str, _tree: Path, _home: Any) -> Session | None:
        return self.known

    def store(self, thread: str, _tree: Path, _home: Any) -> None:
        self.stored.append(thread)


class Turn(SimpleNamespace):
    """One call of the agent."""

    prompt: str
    session_id: str | None
    spent: float
    job_dollars: float
    small: bool


class SmallSite:
    """The remote repository and the preview, which outlive every worker."""

    def __init__(self, folder: Path) -> None:
        self.remote = folder / "remote.git"
        self.preview_page: str | None = None
        self.preview_record: DeployRecord | None = None
        self.jobs: dict[str, JobRecord] = {}
        self.turns: list[Turn] = []
        self.started_homes: list[Path] = []
        self.ready: list[tuple[str, str]] = []
        self.builds = 0
        self.scratch: list[Path] = []
        self.clean: list[bool] = []
        self.is_new = False  # the preview
        self.stale_lock: str | None = None
        self.forbidden_risks: tuple[RiskKind, ...] = ()
        self.risks: tuple[SiteRisks, SiteRisks | None] | None = (SiteRisks({}), SiteRisks({}))  # of the preview
        self.sessions = FakeSessions()
        self.placed = PlacedAttachments()
        self.agent: Callable[[str, Path], AgentResult] = append_line
        self.build: Callable[[Path], Path] = lambda tree: tree
        self.deploy: Callable[[Path], None] = self._show
        self._folder = folder
        self._workers = 0
        self.git("init", "--quiet", "--bare", "--template=", "--initial-branch=main", str(self.remote), cwd=folder)
        with (self.remote / "config").open("a") as config:
            config.write(REMOTE_CONFIG)
        self.push_as_developer(PAGE, FIRST, "The site", "main")

    def subjects(self) -> list[str]:
        """Subjects of the thread's commits, newest first."""
        if not self.git("branch", "--list", branch_of(THREAD), cwd=self.remote).strip():
            return []
        return self.git("log", "--format=%s", f"main..{branch_of(THREAD)}", cwd=self.remote).splitlines()

    def page(self, path: str = PAGE) -> str:
        return self.git("show", f"{branch_of(THREAD)}:{path}", cwd=self.remote)

    def head(self) -> str:
        return self.git("rev-parse", branch_of(THREAD), cwd=self.remote).strip()

    def worker(self) -> PairTools:
        """A new worker, with an empty disk."""
        self._workers += 1
        project = ProjectConfig(
            project_id=PAIR.project,
            domain="bakery.example.com",
            users=(PAIR.user,),
            site_url="https://bakery.sites.example.com/",
            agent_paths=(PAGE, "other.txt", "nested"),
            forbidden_risks=self.forbidden_risks,
            repository=self.remote.as_uri(),
            preview_url="https://${thread}--bakery.preview.example.com/",
        )
        parts: dict[str, Any] = {
            "agent": self._agent(),
            "builder": SimpleNamespace(build=self._build, copy_cache=lambda *_: None),
            "transcripts": self.sessions,
            "warm_start": NoWarmStart(),
            "attachments": SimpleNamespace(place=lambda *_: self.placed),
            "preview": lambda _thread: SimpleNamespace(
                deploy=self._deploy,
                compare_builds=self._compare_builds,
                search=self._search,
                known_risks=lambda: self.risks,
                read=lambda: self.preview_record,
                files_built_from=self._files_built_from,
            ),
            "live": SimpleNamespace(events=lambda _thread: []),
            "s3": None,
            "find_job": self._find_job,
        }
        identity = Identity("webordinary", "webordinary@example.com")
        workspace = Workspace(self._folder / f"worker-{self._workers}", PAIR, project, identity)
        return PairTools(
            project=project, workspace=workspace, confinement=Confinement("test"), limits=Limits(), **parts
        )

    def _agent(self) -> SimpleNamespace:
        def prepare_next(*, tree: Path, session_id: str, **_: Any) -> None:
            self.ready.append((session_id, (tree / PAGE).read_text()))

        return SimpleNamespace(
            run=self._ask,
            turn_dollars=0.0,
            preload=lambda home: self.started_homes.append(home.root),
            prepare_next=prepare_next,
            is_prepared=lambda **_: False,
        )

    def push_as_developer(
        self, path: str, text: str, message: str = "A developer's change", branch: str = branch_of(THREAD)
    ) -> str:
        """Pushes a commit to the thread's branch, or to another. Returns the commit."""
        branches = {branch: f"refs/heads/{branch}", "main": "refs/heads/main"}
        heads = [ref for ref in branches.values() if (self.remote / ref).exists()]
        base = [f"from {heads[0]}^0"] if heads else []
        commit = ["commit refs/heads/" + branch, "mark :1", f"committer {DEVELOPER} now", data(message + "\n"), *base]
        changes = [f"M 100644 inline {path}", data(text), "get-mark :1", "done", ""]
        importing = ["fast-import", "--quiet", "--done", "--date-format=now"]
        return self.git(*importing, cwd=self.remote, given="\n".join([*commit, *changes])).strip()

    def clone(self) -> Path:
        """A developer's clone."""
        self.git("clone", "--quiet", str(self.remote), str(self._folder / "site"), cwd=self._folder)
        return self._folder / "site"

    def git(self, *arguments: str, cwd: Path, given: str = "") -> str:
        person = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "core.hooksPath=/dev/null"]
        done = subprocess.run(
            ["git", *person, *arguments], cwd=cwd, input=given, check=True, capture_output=True, text=True
        )
        return done.stdout

    def _ask(
        self,
        prompt: str,
        *,
        tree: Path,
        session_id: str | None,
        spent: float,
        job_dollars: float,
        small: bool,
        **_: Any,
    ) -> AgentResult:
        turn = Turn(prompt=prompt, session_id=session_id, spent=spent, job_dollars=job_dollars, small=small)
        self.turns.append(turn)
        return self.agent(prompt, tree)

    def _build(self, tree: Path, scratch: Path, *_: Any, clean: bool = False, **__: Any) -> SimpleNamespace:
        scratch.mkdir(parents=True)  # fails if it exists
        self.scratch.append(scratch)
        self.builds += 1
        self.clean.append(clean)
        installation = SimpleNamespace(stale=bool(self.stale_lock), lock=self.stale_lock)
        return SimpleNamespace(folder=self.build(tree), installation=installation, packages="c0ffee")

    def _deploy(self, site: Path, job_id: str, check_lease: Callable[[], None], *, tree: str, **_: Any) -> DeployResult:
        check_lease()
        self.preview_record = DeployRecord(fence=1, job_id=job_id, pending={})
        self.deploy(site)
        self.preview_record = DeployRecord(fence=1, job_id=job_id, tree=tree)
        return DeployResult(1, PageChanges((ChangedPage(path=PAGE, change=PageChange.CHANGED),), more=2), self.is_new)

    def _files_built_from(self, tree: str) -> dict[str, str] | None:
        return {} if self.preview_record is not None and self.preview_record.tree == tree else None

    def _find_job(self, job_id: str) -> JobRecord | None:
        return self.jobs.get(job_id)

    def _compare_builds(self, beginning: Path, site: Path) -> PageChanges:
        texts = [(folder / PAGE).read_text() for folder in (beginning, site)]
        page = ChangedPage(path=PAGE, change=PageChange.CHANGED, before=texts[0], after=texts[1])
        return PageChanges((page,))

    def _search(self, site: Path, own_hosts: Sequence[str]) -> SiteRisks:
        files = SiteFiles(site, None, Limits().site)
        return risks_of(files, files.digests(), own_hosts)

    def _show(self, site: Path) -> None:
        self.preview_page = (site / PAGE).read_text()


def data(text: str) -> str:
    """A text for git fast-import."""
    return f"data {len(text.encode())}\n{text}"


def append_line(prompt: str, tree: Path) -> AgentResult:
    """Appends the text of the mail as a line, unless the page already has it."""
    line = prompt.split("<mail>")[1].split("</mail>")[0].strip()
    lines = (tree / PAGE).read_text().splitlines()
    if line in lines:
        return AgentResult(summary="It is already there.")
    (tree / PAGE).write_text("\n".join([*lines, line, ""]))
    return AgentResult(summary="I added a line.")


def record_of(job: Job, **more: Any) -> JobRecord:
    """The job's record in the jobs table, interrupted unless stated otherwise."""
    given: dict[str, Any] = {
        "state": JobState.PREEMPTED,
        "fence": 1,
        "task_token": None,
        "outcome": None,
        "updated_at": 0,
        "received_at": job.received_at.isoformat(),
    }
    return JobRecord(job=job, **{**given, **more})


def job_run(job: Job, tools: PairTools, check_lease: Callable[[], None] = lambda: None) -> JobRun:
    return JobRun(job, lambda: tools, check_lease)


def run_job(job: Job, tools: PairTools, check_lease: Callable[[], None] = lambda: None) -> Outcome:
    return job_run(job, tools, check_lease).run()


class CrashError(BaseException):
    """Simulates SIGKILL: no code runs after it."""


def cancelled(job: Job, site: SmallSite, tools: PairTools, reason: CancelReason) -> JobRun:
    """A run that is cancelled after its agent has finished."""

    def work(prompt: str, tree: Path) -> AgentResult:
        run.cancel(reason)
        return agent(prompt, tree)

    agent, site.agent = site.agent, work
    run = job_run(job, tools)
    with pytest.raises(JobCancelledError):
        run.run()
    site.agent = agent
    return run


def interrupt(job: Job, site: SmallSite, tools: PairTools | None = None) -> None:
    """Pushes the partial work without a report, as if the worker was killed afterwards."""
    assert cancelled(job, site, tools or site.worker(), CancelReason.INTERRUPTED).keep_partial_work() is not None


def crash_after_push(job: Job, site: SmallSite) -> None:
    def crash(_site: Path) -> None:
        raise CrashError

    deploy, site.deploy = site.deploy, crash
    with pytest.raises(CrashError):
        run_job(job, site.worker())
    site.deploy = deploy


def tree_of(tools: PairTools) -> ThreadTree:
    return tools.workspace.open(THREAD)


def failing_build(_tree: Path) -> Path:
    raise BuildFailedError(detail="page.txt:2 is wrong")


def build_failing_on(word: str) -> Callable[[Path], Path]:
    def build(tree: Path) -> Path:
        return failing_build(tree) if word in (tree / PAGE).read_text() else tree

    return build


def lose_lease() -> None:
    raise OwnershipLostError(PAIR, 1)


def undo(world: World, job_id: str = "mail-9") -> Job:
    return world.job(job_id, command=Command.UNDO, instruction="")
