"""What a command works with: its job, the tools of the pair, and the steps that several commands share.

Publishing (push, deploy) is asked for at the lease first. Results are codes and facts; the answer finds the words.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tarfile import TarError
from typing import TYPE_CHECKING

from webordinary.aws import telemetry
from webordinary.aws.telemetry import logger, milestone
from webordinary.contract.errors import WebordinaryError
from webordinary.contract.messages.job import Job
from webordinary.contract.messages.outcome import EmptyFolders, Outcome, StaleLock
from webordinary.contract.outcomes import Result
from webordinary.contract.values import limit
from webordinary.protocol.worker.run import CancelReason, JobCancelledError
from webordinary.sites.live_releases import LiveRelease
from webordinary.tables.projects import ProjectConfig
from webordinary_worker.agent.agent import Agent, AgentHome
from webordinary_worker.agent.conversation import Conversation, Watching
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.agent.transcripts import Sessions
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.limits import Limits
from webordinary_worker.confinement.processes import Confinement
from webordinary_worker.deploy.live_site import Contents, Decide, LiveSite
from webordinary_worker.deploy.preview import Preview
from webordinary_worker.failures import BuildFailedError, ConflictError
from webordinary_worker.git.build_history import History
from webordinary_worker.git.command import GitError
from webordinary_worker.git.main_branch import MainBranch
from webordinary_worker.git.submodules import empty_folders
from webordinary_worker.git.work_tree import WorkTree
from webordinary_worker.git.workspace import Workspace
from webordinary_worker.jobs.attachments import Attachments
from webordinary_worker.live_preview.live_preview import LivePreview
from webordinary_worker.site.build.build_directory import BUILD_DIRECTORY
from webordinary_worker.site.build.builder import SiteBuilder
from webordinary_worker.site.inspect.site_map import site_map
from webordinary_worker.warm_start.warm_start import NoWarmStart, WarmStart

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


@dataclass(frozen=True)
class Tools:
    """What a claim brings: everything here may act for one pair only."""

    project: ProjectConfig
    workspace: Workspace
    agent: Agent
    builder: SiteBuilder
    sessions: Sessions
    archive: WarmStart | NoWarmStart
    attachments: Attachments
    confinement: Confinement
    limits: Limits
    preview: Callable[[str], Preview]
    live: LiveSite
    s3: S3Client
    builder_user: int | None = None
    live_preview: Callable[[str, Path], LivePreview] | None = None


class JobContext:
    def __init__(
        self,
        job: Job,
        find_tools: Callable[[], Tools],
        check_lease: Callable[[], None],
        monotonic: Callable[[], float],
    ) -> None:
        self.job = job
        self.check_lease = check_lease
        self.cancellation = CancellationToken()
        self.after_interrupted = False
        self.tree: WorkTree | None = None
        self._scratch_is_used = False
        self._find_tools = find_tools
        self._monotonic = monotonic
        self._started = monotonic()
        self._built: Path | None = None
        self._conversation: Conversation | None = None
        self._live: LivePreview | None = None
        self._beside = ThreadPoolExecutor(1, thread_name_prefix="beginning")
        self._beginning_built: Future[Path | None] | None = None
        self._beginning_cancellation = CancellationToken()
        self._stale_lock: StaleLock | None = None
        self._empty_folders: EmptyFolders | None = None

    @cached_property
    def tools(self) -> Tools:
        return self._find_tools()

    @property
    def home(self) -> AgentHome:
        return AgentHome(self._folder / "agent", self.tools.confinement.uid)

    @property
    def preview_url(self) -> str:
        return self.tools.project.preview_of(self.job.thread_id)

    @property
    def live_url(self) -> str:
        return self.tools.project.site_url

    def open_main(self) -> MainBranch:
        """A fresh tree on the main branch."""
        main = self.tools.workspace.open_main(self.job.thread_id)
        self._scratch_is_used = True
        self.cancellation.check()
        return main

    def open_tree(self) -> WorkTree:
        """The thread's tree as it was left."""
        if not self._build_directory.is_dir():
            self.tools.archive.start_build_cache_restore(self.job.thread_id, self._kept_cache)
        tree = self.tools.workspace.open(self.job.thread_id)
        self.tree = tree
        self.cancellation.check()
        return tree

    def ask_agent(self, tree: WorkTree, prompt: str) -> AgentResult:
        if self._conversation is None:
            tools = self.tools
            self._conversation = Conversation(
                self.job, tools.agent, tools.sessions, self.home, tools.limits.tree, self._watching(tree)
            )
        started = self._monotonic()
        return self._conversation.ask(
            tree,
            prompt,
            self.cancellation,
            finished=lambda **facts: self._milestone("agent_finished", started, **facts),
        )

    def _watching(self, tree: WorkTree) -> Watching:
        if self.tools.live_preview is None:
            return lambda _: nullcontext(lambda: None)
        self._live = self.tools.live_preview(self.job.thread_id, tree.folder)
        self._live.begin()
        if tree.count_commits() == 0:  # its preview will be new, and be compared; and the process that builds gets warm
            self._beginning_built = self._beside.submit(self._build_beginning, tree)
        return self._live.watching

    def new_map(self, tree: WorkTree) -> str:
        """Where things are in the site's source, if the thread was not told the same before."""
        told, drawn = self._folder / "map.txt", site_map(tree.folder, self.tools.project.folder)
        if others := tree.submodule_folders():
            drawn += f"\nFrom other repositories, to be read and not changed here: {', '.join(others)}"
        if told.is_file() and told.read_text() == drawn:
            return ""
        told.write_text(drawn)
        return drawn

    def build_site(self, tree: WorkTree, *, clean: bool = False) -> Path:
        """A clean build has nothing of earlier ones."""
        started = self._monotonic()
        tree.update_submodules()
        try:
            self._built = self._build(tree.folder, self._scratch, clean=clean, history=tree.history())
        except BuildFailedError as error:
            if not tree.missing_submodules:
                raise
            missing = (one.describe() for one in tree.missing_submodules)
            raise BuildFailedError(error.failure, "\n".join((error.detail, *missing)).strip()) from error
        self._empty_folders = empty_folders(tree.missing_submodules)
        self._milestone("site_built", started)
        return self._built

    def deploy(self) -> dict[str, object]:
        """Brings what was built to the preview. Returns where that is and which pages changed, as an outcome has it."""
        if self._built is None or self.tree is None:
            raise RuntimeError("a site is deployed only after it was built")
        started = self._monotonic()
        preview = self.tools.preview(self.job.thread_id)
        deployed = preview.deploy(self._built, self.job.job_id, self.check_lease, tree=self.tree.content)
        self._milestone("site_deployed", started, files=deployed.files)
        changes = deployed.changes
        if deployed.is_new and (beginning := self._find_beginning(self.tree)) is not None:
            changes = preview.compare_builds(beginning, self._built)
        return {"preview_url": self.preview_url, "pages": changes.pages, "more_pages": changes.more}

    def _build(
        self,
        folder: Path,
        scratch: Path,
        *,
        history: History,
        clean: bool = False,
        cancellation: CancellationToken | None = None,
    ) -> Path:
        shutil.rmtree(scratch, ignore_errors=True)
        self.tools.archive.wait_for_packages()
        self.tools.archive.wait_for_build_cache(self.job.thread_id)
        token = cancellation or self.cancellation
        built = self.tools.builder.build(folder, scratch, token, clean=clean, history=history, kept=self._kept_cache)
        if built.installation.stale:
            lock = built.installation.lock
            logger().warning("The site's lock file is not what was installed.", extra={"lock": lock or "none"})
            if lock is not None:
                self._stale_lock = StaleLock(file=lock, packages=built.packages)
        return built.folder

    def _find_beginning(self, tree: WorkTree) -> Path | None:
        begun = self._beginning_built
        return begun.result() if begun is not None else self._build_beginning(tree)

    def _build_beginning(self, tree: WorkTree) -> Path | None:
        """The site as it was when the thread began, built to see what is different now. It need not build."""
        started = self._monotonic()
        token = self._beginning_cancellation
        try:
            with self.cancellation.on_cancel(token.cancel), tree.checkout_base() as source:
                built = self._build(source, self._beginning, history=tree.base_history(), cancellation=token)
        except (WebordinaryError, OSError, TarError, JobCancelledError) as error:
            # Cancelled as well: what was asked for is published, and only the telling of it can be shorter.
            logger().info("The site that the thread began with was not built.", extra={"cause": type(error).__name__})
            return None
        self._milestone("beginning_built", started)
        return built

    def publish(self, tree: WorkTree, result: Result, *, changed: tuple[str, ...], **facts: object) -> Outcome:
        """Pushes the branch and deploys the preview."""
        self.cancellation.check()
        started = self._monotonic()
        pushed = tree.push(self.check_lease)
        self._milestone("branch_pushed", started, commit=pushed.commit, branch=tree.branch)
        if pushed.rebased:
            self.build_site(tree)  # what was pushed has somebody else's commits below ours
        return self.done(result, commit=pushed.commit, changed_files=changed, **self.deploy(), **facts)

    def publish_live(self, contents: Contents, *, commit: str, thread_id: str, should_proceed: Decide) -> None:
        """Shows a site to everybody, unless something newer is shown already."""
        started = self._monotonic()
        shown = self.tools.live.publish(
            contents,
            job_id=self.job.job_id,
            thread_id=thread_id,
            commit=commit,
            check_lease=self.check_lease,
            should_proceed=should_proceed,
        )
        self._milestone("site_published", started, commit=commit, shown=shown)

    def roll_back_to(self, release: LiveRelease, *, commit: str, should_proceed: Decide) -> bool:
        """Shows an earlier release to everybody again."""
        started = self._monotonic()
        shown = self.tools.live.roll_back_to(
            release, job_id=self.job.job_id, commit=commit, check_lease=self.check_lease, should_proceed=should_proceed
        )
        self._milestone("site_published", started, commit=commit, shown=shown, release=release.number)
        return shown

    def discard_work(self) -> None:
        """The job has come to nothing: nothing of it stays, what an interruption had kept of it included."""
        if self.tree is None:
            return
        self.tree.discard_changes()
        if not self.tree.has_resumed:
            return
        try:
            self.tree.push(self.check_lease)
        except (GitError, ConflictError) as error:
            logger().warning("What was kept of a job that came to nothing stays.", extra={"cause": str(error)})

    def keep_session(self) -> None:
        # Not before the work is pushed: a successor must not remember changes that its tree does not have.
        if self.tree is not None:
            self.tools.sessions.keep(self.job.thread_id, self.home.tree, self.home)

    def begin_agent(self) -> None:
        """Its process loads while the tree is opened."""
        self.tools.agent.begin(self.home)

    def make_agent_ready(self) -> None:
        """For the thread's next mail. Whatever goes wrong with that costs its time, not this job."""
        if self._conversation is None or self.tree is None:
            return
        try:
            self._conversation.make_next_ready(self.tree)
        except (OSError, WebordinaryError) as error:
            telemetry.logger().warning("The next agent was not started ahead.", extra={"cause": str(error)})

    def keep_for_next_worker(self) -> None:
        """What made this one slow. In the background, and whatever goes wrong with it costs nothing here."""
        if self._built is not None:
            self.tools.workspace.keep()
            builder, build_directory = self.tools.builder, self._build_directory
            self.tools.archive.store_build_cache(
                self.job.thread_id, lambda target, quota: builder.copy_cache(build_directory, target, quota)
            )

    def clean_up(self) -> None:
        if self._live is not None:
            self._live.end()
        if self._beginning_built is not None:
            self._beginning_cancellation.cancel(CancelReason.SHUTDOWN)
            self._beginning_built.cancel()
            self._beside.shutdown(wait=False)  # nobody waits for it; the next build does
        if self.tree is not None or self._scratch_is_used:
            shutil.rmtree(self._scratch, ignore_errors=True)
            shutil.rmtree(self._beginning, ignore_errors=True)

    def done(self, result: Result, **facts: object) -> Outcome:
        return self.outcome("done", result=result, **facts)

    def outcome(self, state: str, **facts: object) -> Outcome:
        bounded = {
            name: value.strip()[: limit("summary_characters")] if isinstance(value, str) else value
            for name, value in facts.items()
        }
        seconds = round(self._monotonic() - self._started, 3)
        bill = self._conversation.bill if self._conversation is not None else {}
        return Outcome.read(
            {
                "state": state,
                "branch": self.job.branch,
                "usage": {"seconds": seconds, **bill},
                "stale_lock": self._stale_lock,
                "empty_folders": self._empty_folders,
                **bounded,
            }
        )

    @cached_property
    def _folder(self) -> Path:
        return self.tools.workspace.thread_folder(self.job.thread_id)

    @property
    def _scratch(self) -> Path:
        return self._folder / "built"

    @property
    def _beginning(self) -> Path:
        return self._folder / "beginning"

    @property
    def _build_directory(self) -> Path:
        return self._folder / BUILD_DIRECTORY

    @property
    def _kept_cache(self) -> Path:
        return self._folder / "kept-cache"

    def _milestone(self, name: str, started: float, **more: object) -> None:
        seconds = round(self._monotonic() - started, 3)
        milestone(name, job_id=self.job.job_id, pair=self.job.pair.key, seconds=seconds, **more)
