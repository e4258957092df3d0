"""The state of one job while it runs, and the outcome that it ends with.

`pipeline` builds and publishes, `agent_turns` runs the agent, `background_work` does what nothing waits for.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import cached_property
from pathlib import Path

from webordinary.aws import telemetry
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import EarlierWork, EmptyFolders, Outcome, StaleLock, Usage
from webordinary.contract.outcomes import Result
from webordinary.contract.values import limit
from webordinary_worker.agent.conversation import AgentConversation
from webordinary_worker.agent.home import AgentHome
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.deploy.built_files import SiteFiles
from webordinary_worker.deploy.site_risks import SiteRisks
from webordinary_worker.deploy.upload_plan import DeployRecord
from webordinary_worker.git.main_branch import MainBranch
from webordinary_worker.git.partial_work import PartialWork
from webordinary_worker.git.thread_commits import ThreadCommit
from webordinary_worker.git.thread_tree import ThreadTree
from webordinary_worker.jobs.pair_tools import PairTools
from webordinary_worker.live_preview.live_preview import LivePreview
from webordinary_worker.site.build.build_directory import BUILD_DIRECTORY


class JobContext:
    def __init__(
        self,
        job: Job,
        find_tools: Callable[[], PairTools],
        check_lease: Callable[[], None],
        monotonic: Callable[[], float],
    ) -> None:
        self.job = job
        self.check_lease = check_lease  # called before every push and upload; raises if the lease is lost
        self.monotonic = monotonic
        self.cancellation = CancellationToken()
        self.tree: ThreadTree | None = None
        self.partial: PartialWork | None = None  # resumed and not decided about
        self.partial_in_tree = False  # whether the tree's uncommitted changes contain it
        self.leaves_earlier_work = False  # the command says nothing about the partial work that it found
        self.deployed = False
        self.unshown: list[ThreadCommit] = []  # finished changes of other jobs that the preview does not show
        self.earlier: list[EarlierWork] = []  # what happened to the work of earlier jobs
        self.conversation: AgentConversation | None = None
        self.output: Path | None = None  # of the last build
        self.cleanly_built = ""  # the git tree of the last build, if it was clean
        self.site_risks: tuple[SiteRisks, SiteRisks | None] | None = None  # of the last build, and of the base
        self.uses_scratch = False
        self.stale_lock: StaleLock | None = None
        self.empty_folders: EmptyFolders | None = None
        self.live_preview: LivePreview | None = None
        self.base_build: Future[Path | None] | None = None
        self.base_cancellation = CancellationToken()
        self._find_tools = find_tools
        self._started = monotonic()

    @cached_property
    def tools(self) -> PairTools:
        return self._find_tools()

    @property
    def home(self) -> AgentHome:
        return AgentHome(self.folder / "agent", self.tools.confinement.uid)

    @property
    def preview_url(self) -> str:
        return self.tools.project.preview_of(self.job.thread_id)

    @property
    def live_url(self) -> str:
        return self.tools.project.site_url

    @cached_property
    def folder(self) -> Path:
        """The thread's folder on this worker's disk."""
        return self.tools.workspace.thread_folder(self.job.thread_id)

    @property
    def scratch(self) -> Path:
        return self.folder / "built"

    @property
    def base_scratch(self) -> Path:
        return self.folder / "base"

    @property
    def build_directory(self) -> Path:
        return self.folder / BUILD_DIRECTORY

    @property
    def build_cache(self) -> Path:
        return self.folder / "kept-cache"

    @property
    def reverted_files(self) -> dict[str, object]:
        """The agent's changes that were not taken over, as fields of an outcome."""
        refused = tuple(self.conversation.refused) if self.conversation is not None else ()
        if not refused:
            return {}
        shown = tuple(path[: limit("phrase_characters")] for path in refused[: limit("reverted_files")])
        return {"reverted_files": shown, "more_reverted_files": len(refused) - len(shown)}

    def built_files(self) -> SiteFiles:
        """The files of the last build."""
        if self.output is None:
            raise RuntimeError("nothing was built")
        return SiteFiles(self.output, self.tools.builder_user, self.tools.limits.site)

    def open_main(self) -> MainBranch:
        """A fresh tree on the main branch."""
        main = self.tools.workspace.open_main(self.job.thread_id)
        self.uses_scratch = True
        self.cancellation.check()
        return main

    def open_tree(self) -> ThreadTree:
        """The thread's tree with its local state."""
        if not self.build_directory.is_dir():
            self.tools.warm_start.start_build_cache_restore(self.job.thread_id, self.build_cache)
        self.tree = self.tools.workspace.open(self.job.thread_id)
        self.cancellation.check()
        return self.tree

    def preview_record(self) -> DeployRecord | None:
        return self.tools.preview(self.job.thread_id).read()

    def preview_shows(self, tree: str) -> bool:
        """Whether the preview was built from this git tree, and an answer has said so."""
        record = self.preview_record()
        is_built_from = self.tools.preview(self.job.thread_id).files_built_from(tree) is not None
        return is_built_from and record is not None and self.is_reported(record)

    def is_reported(self, record: DeployRecord) -> bool:
        """False if the job that deployed the preview ended without a report of it: its worker ended before."""
        job = self.tools.find_job(record.job_id) if record.job_id != self.job.job_id else None
        if job is None:
            return True
        return job.outcome is not None and (job.outcome.state == "done" or job.outcome.preview_url is not None)

    @property
    def usage(self) -> Usage:
        seconds = round(self.monotonic() - self._started, 3)
        bill = self.conversation.bill if self.conversation is not None else {}
        return Usage.read({"seconds": seconds, **bill})

    def done(self, result: Result, **facts: object) -> Outcome:
        return self.outcome("done", result=result, **facts)

    def outcome(self, state: str, **facts: object) -> Outcome:
        bounded = {
            name: value.strip()[: limit("summary_characters")] if isinstance(value, str) else value
            for name, value in facts.items()
        }
        files = bounded.get("changed_files")
        if isinstance(files, tuple):
            bounded["more_files"] = max(0, len(files) - limit("changed_files"))
        return Outcome.read(
            {
                "state": state,
                "branch": self.job.branch,
                "usage": self.usage,
                "earlier": tuple(self.earlier),
                "stale_lock": self.stale_lock,
                "empty_folders": self.empty_folders,
                **bounded,
            }
        ).bounded()

    def milestone(self, name: str, started: float, **facts: object) -> None:
        seconds = round(self.monotonic() - started, 3)
        telemetry.milestone(name, job_id=self.job.job_id, pair=self.job.pair.key, seconds=seconds, **facts)
