"""Carries out one job: what each command does, step by step.

    edit    agent → build (one repair by the agent) → commit → push → deploy
    undo    take back the thread's last change → build → commit → push → deploy
    build   build → deploy          commit   commit what is in the tree          push   push the branch

A step that fails leaves the branch and the preview as they were. Publishing (push, deploy) is asked for at the lease
first. A job that was interrupted keeps its partial work as a commit on its branch. A job whose worker died after the
commit is not done anew: what its branch has already is built and deployed.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

from webordinary.platform.contract import limit
from webordinary.platform.messages import Command, Failure, Job, Outcome, Usage
from webordinary.platform.names import preview_path
from webordinary.platform.observability import milestone
from webordinary.protocol.worker.run import CancelReason
from webordinary.tables.projects import ProjectConfig
from webordinary_worker.agent import Agent, AgentHome
from webordinary_worker.agent_protocol import AgentResult
from webordinary_worker.astro import SiteBuilder
from webordinary_worker.attachments import Attachments
from webordinary_worker.cancellation import CancellationToken
from webordinary_worker.deploy import Preview
from webordinary_worker.failures import BuildFailedError, JobFailedError
from webordinary_worker.processes import Confinement
from webordinary_worker.prompt import edit_prompt, repair_prompt
from webordinary_worker.sessions import Session, Sessions
from webordinary_worker.texts import commit_message, help_text, interrupted_message, undo_message
from webordinary_worker.workspace import Tree, Workspace


def preview_url(project: ProjectConfig, thread_id: str) -> str:
    return f"{project.preview_url.rstrip('/')}/{preview_path(thread_id)}"


@dataclass(frozen=True)
class Tools:
    """What a claim brings: everything here may act for one pair only."""

    project: ProjectConfig
    workspace: Workspace
    agent: Agent
    builder: SiteBuilder
    sessions: Sessions
    attachments: Attachments
    confinement: Confinement
    preview: Callable[[str], Preview]


@dataclass
class _Bill:
    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float = 0.0

    def usage(self, seconds: float) -> Usage:
        return Usage(
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            dollars=round(max(0.0, self.dollars), 6),
            seconds=round(seconds, 3),
        )


class JobRun:
    """One job on its way; `protocol.worker.run` says what each method is for. Tools are looked for when it runs."""

    def __init__(
        self,
        job: Job,
        tools: Callable[[], Tools],
        may_publish: Callable[[], None],
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._monotonic = monotonic
        self._started = monotonic()
        self._job = job
        self._find_tools = tools
        self._may_publish = may_publish
        self._cancellation = CancellationToken()
        self._after_interrupted = False
        self._bill = _Bill()
        self._tree: Tree | None = None
        self._built: Path | None = None

    @cached_property
    def _tools(self) -> Tools:
        return self._find_tools()

    @cached_property
    def _folder(self) -> Path:
        return self._tools.workspace.thread_folder(self._job.thread_id)

    @property
    def _home(self) -> AgentHome:
        return AgentHome(self._folder / "agent")

    @property
    def _scratch(self) -> Path:
        return self._folder / "built"

    def cancel(self, reason: CancelReason) -> None:
        self._cancellation.cancel(reason)

    def run(self, *, after_interrupted: bool) -> Outcome:
        self._after_interrupted = after_interrupted
        commands: dict[Command, Callable[[], Outcome]] = {
            Command.EDIT: self._edit,
            Command.UNDO: self._undo,
            Command.BUILD: self._build,
            Command.COMMIT: self._commit,
            Command.PUSH: self._push,
            Command.STATUS: self._status,
            Command.HELP: lambda: self._done(help_text()),
            Command.STOP: lambda: self._done("Nothing else is running for you, so there was nothing to stop."),
        }
        command = commands.get(self._job.command)
        if command is None:
            return self.outcome_failed(Failure.UNSUPPORTED, f"“{self._job.command}” cannot be done by mail yet.")
        try:
            outcome = command()
        except JobFailedError as error:
            outcome = self._outcome("failed", str(error), failure=error.failure)
        finally:
            shutil.rmtree(self._scratch, ignore_errors=True)
        self._keep_session()
        return outcome

    def keep_partial_work(self) -> str | None:
        """Commits and pushes what an interrupted job has done so far. Returns the commit, if there was anything."""
        if self._tree is None or not self._tree.changed_files():
            return None
        self._tree.commit(interrupted_message(self._job))
        pushed = self._tree.push(self._may_publish)
        self._keep_session()
        return pushed.commit

    def discard_partial_work(self) -> None:
        if self._tree is not None:
            self._tree.roll_back()

    def outcome_preempted(self, commit: str | None) -> Outcome:
        kept = " What was done so far is kept on the thread's branch." if commit else ""
        return self._outcome("preempted", f"A newer mail of yours took over.{kept}", commit=commit)

    def outcome_failed(self, failure: Failure, detail: str = "") -> Outcome:
        return self._outcome("failed", detail, failure=failure)

    def _edit(self) -> Outcome:
        tree = self._open()
        tree.catch_up()
        if (begun := tree.commit_of(self._job.job_id)) is not None:
            return self._complete(tree, begun)
        self._home.make(self._tools.confinement)
        placed = self._tools.attachments.place(self._job, tree.folder, self._home)
        self._tools.confinement.give(tree.folder)
        self._tools.confinement.give(self._home.context)
        result = self._ask_agent(tree, edit_prompt(self._job, placed.lines, interrupted=self._after_interrupted))
        if placed.uploads.issuperset(tree.changed_files()):
            tree.roll_back()  # pictures that no page shows do not belong on the site
            return self._done(result.summary or "Nothing had to change.")
        result = self._build_or_repair(tree, result)
        changed = tree.changed_files()
        if not changed:  # the repair took everything back
            return self._done(result.summary)
        tree.commit(commit_message(self._job))
        return self._publish(tree, result.summary, changed)

    def _build_or_repair(self, tree: Tree, result: AgentResult) -> AgentResult:
        try:
            self._build_site(tree)
        except BuildFailedError as broken:
            try:
                repaired = self._ask_agent(tree, repair_prompt(broken.excerpt))
                self._build_site(tree)
            except JobFailedError:
                tree.roll_back()
                raise
            return repaired
        return result

    def _undo(self) -> Outcome:
        tree = self._open()
        tree.catch_up()
        if (begun := tree.commit_of(self._job.job_id)) is not None:
            return self._complete(tree, begun)
        undone = tree.stage_undo()
        if undone is None:
            return self._done("There is nothing in this conversation that could be taken back.")
        subject = tree.subject_of(undone)
        changed = tree.changed_files()
        try:
            self._build_site(tree)
        except BuildFailedError:
            tree.roll_back()
            raise
        tree.commit(undo_message(self._job, subject, undone))
        return self._publish(tree, f"“{subject}” was taken back.", changed)

    def _build(self) -> Outcome:
        tree = self._open()
        tree.catch_up()
        self._build_site(tree)
        return self._done("The site was built and its preview is up to date.", preview=self._deploy())

    def _commit(self) -> Outcome:
        tree = self._open()
        changed = tree.changed_files()
        if not changed:
            return self._done("There was nothing to commit.")
        commit = tree.commit(commit_message(self._job))
        return self._outcome("done", "The changes were committed.", commit=commit, changed_files=changed)

    def _push(self) -> Outcome:
        tree = self._open()
        pushed = tree.push(self._may_publish)
        return self._outcome("done", f"{tree.branch} was pushed.", commit=pushed.commit)

    def _status(self) -> Outcome:
        tree = self._open()
        commits = tree.commits()
        if commits == 0:
            return self._done("Nothing has been changed in this conversation yet.")
        return self._done(
            f"This conversation has {commits} change(s). The last one: “{tree.subject_of('HEAD')}”.",
            preview=preview_url(self._tools.project, self._job.thread_id),
        )

    def _complete(self, tree: Tree, commit: str) -> Outcome:
        """Brings to its end what an earlier worker has committed for this job and could not publish."""
        self._build_site(tree)
        summary = f"“{tree.subject_of(commit)}” is done."
        return self._publish(tree, summary, tree.files_of(commit))

    def _publish(self, tree: Tree, summary: str, changed: tuple[str, ...]) -> Outcome:
        self._cancellation.check()
        started = self._monotonic()
        pushed = tree.push(self._may_publish)
        self._milestone("branch_pushed", started, commit=pushed.commit, branch=tree.branch)
        if pushed.rebased:
            self._build_site(tree)  # what was pushed has somebody else's commits below ours
        preview = self._deploy()
        return self._outcome("done", summary, commit=pushed.commit, changed_files=changed, preview_url=preview)

    def _open(self) -> Tree:
        tree = self._tools.workspace.open(self._job.thread_id, prepare=self._tools.confinement.give)
        self._tree = tree
        self._cancellation.check()
        return tree

    def _ask_agent(self, tree: Tree, prompt: str) -> AgentResult:
        thread_id = self._job.thread_id
        session = self._tools.sessions.find(thread_id, tree.folder, self._home)
        self._tools.confinement.give(self._home.config)
        started = self._monotonic()
        milestone("agent_started", **self._ids(), resumed=session is not None)
        result = self._turn(tree, prompt, session)
        if session is not None and result.is_error and result.session_id is None:
            self._tools.sessions.forget(thread_id)  # it cannot be resumed: do the job without the memory
            session = None
            result = self._turn(tree, prompt, None)
        self._milestone("agent_finished", started, failed=result.is_error, interrupted=result.interrupted)
        self._note(result, session)
        self._cancellation.check()
        if result.is_error:
            tree.roll_back()
            raise JobFailedError(Failure.AGENT_FAILED, f"The agent could not work on it: {result.summary}")
        return result

    def _turn(self, tree: Tree, prompt: str, session: Session | None) -> AgentResult:
        return self._tools.agent.run(
            prompt,
            tree=tree.folder,
            home=self._home,
            session_id=session.session_id if session else None,
            spent=session.dollars if session else 0.0,
            cancellation=self._cancellation,
        )

    def _note(self, result: AgentResult, session: Session | None) -> None:
        self._bill.input_tokens += result.input_tokens
        self._bill.output_tokens += result.output_tokens
        self._bill.dollars += result.session_dollars - (session.dollars if session else 0.0)
        if result.session_id is not None:
            self._tools.sessions.note(self._job.thread_id, Session(result.session_id, result.session_dollars))

    def _keep_session(self) -> None:
        # Not before the work is pushed: a successor must not remember changes that its tree does not have.
        if self._tree is not None:
            self._tools.sessions.keep(self._job.thread_id, self._tree.folder, self._home)

    def _build_site(self, tree: Tree) -> None:
        started = self._monotonic()
        shutil.rmtree(self._scratch, ignore_errors=True)
        base = urlsplit(preview_url(self._tools.project, self._job.thread_id)).path
        self._built = self._tools.builder.build(tree.folder, self._scratch, base, self._cancellation)
        self._milestone("site_built", started)

    def _deploy(self) -> str:
        if self._built is None:
            raise RuntimeError("a site is deployed only after it was built")
        started = self._monotonic()
        preview = self._tools.preview(self._job.thread_id)
        steps = preview.deploy(self._built, self._job.job_id, self._may_publish)
        self._milestone("site_deployed", started, files=steps)
        return preview_url(self._tools.project, self._job.thread_id)

    def _done(self, summary: str, preview: str | None = None) -> Outcome:
        return self._outcome("done", summary, preview_url=preview)

    def _outcome(self, state: str, summary: str, **more: object) -> Outcome:
        bounded = summary.strip()[: limit("summary_characters")]
        return Outcome.read(
            {
                "state": state,
                "summary": bounded,
                "branch": self._job.branch,
                "usage": self._bill.usage(self._monotonic() - self._started).wire(),
                **more,
            }
        )

    def _ids(self) -> dict[str, str]:
        return {"job_id": self._job.job_id, "pair": self._job.pair.key}

    def _milestone(self, name: str, started: float, **more: object) -> None:
        milestone(name, **self._ids(), seconds=round(self._monotonic() - started, 3), **more)
