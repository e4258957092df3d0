"""A model of one conversation: random mails and faults drive the shipped `JobRun`, commands, `Control` and S3 records.

Git is real and in temporary folders, the bucket and the tables are moto's. Stand-ins, and nothing else: the agent (it
appends the lines that the mails ask for), the build (it copies the tree, and fails on the word "broken"), and the
handling of a cancelled run, which mirrors `PairSession`.

After every answer the model checks: the branch is on the preview, what is live was on the preview when a mail was
answered, `status` agrees with git, the answer to a newer mail says what happened to the older one's work, and what an
answer says about a change is true of the files.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from botocore.exceptions import ClientError

from tests.support.world import PAIR, THREAD, World
from tests.unit.worker.small_site import FIRST, PAGE, CrashError, SmallSite, failing_build, record_of
from webordinary.contract.messages.job import ControlOrder, Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.names import branch_of, preview_prefix
from webordinary.contract.outcomes import ChangeState, Command, EarlierFate, Failure, Result
from webordinary.protocol.change_life import Change, fold
from webordinary.protocol.worker.run import CancelReason, JobCancelledError
from webordinary.sites.live_releases import LiveReleases
from webordinary.steps.control import Control
from webordinary.tables.threads import ANSWER, Thread
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.agent.statement import Statement, StatementKind
from webordinary_worker.deploy.live_site import LiveSite
from webordinary_worker.deploy.preview import Preview
from webordinary_worker.git.thread_tree import ThreadTree
from webordinary_worker.jobs.job_run import JobRun
from webordinary_worker.jobs.pair_tools import PairTools

LINE = re.compile(r"line-\d+(?:-broken)?")


class Mail(StrEnum):
    EDIT = "edit"
    BROKEN = "broken"  # an edit that does not build and cannot be repaired
    REPLACE = "replace"  # an edit that reverts what the interrupted one has done
    QUESTION = "question"
    REFUSAL = "refusal"
    UNDO = "undo"
    PUBLISH = "publish"
    UNPUBLISH = "unpublish"


class Fault(StrEnum):
    NONE = "none"
    INTERRUPT_START = "interrupt at the start"
    INTERRUPT_AGENT = "interrupt during the agent's turn"
    INTERRUPT_BUILD = "interrupt during the build"
    INTERRUPT_DEPLOY = "interrupt during the deployment"
    AGENT_FAILS = "the agent fails"
    PUSH_FAILS = "every push fails"
    DEPLOY_FAILS = "the deployment fails"
    KILLED_IN_BUILD = "killed during the build"
    KILLED_AFTER_PUSH = "killed before the deployment"
    KILLED_AFTER_DEPLOY = "killed before the report"
    LOST_AFTER_PUSH = "killed before the deployment, and the job is never run again"


COMMAND_OF = {Mail.UNDO: Command.UNDO, Mail.PUBLISH: Command.PUBLISH, Mail.UNPUBLISH: Command.UNPUBLISH}
KILLS = (Fault.KILLED_IN_BUILD, Fault.KILLED_AFTER_PUSH, Fault.KILLED_AFTER_DEPLOY, Fault.LOST_AFTER_PUSH)
BROKEN_AFTER = (Fault.PUSH_FAILS, Fault.DEPLOY_FAILS, Fault.LOST_AFTER_PUSH)


@dataclass
class Asked:
    """A mail whose work was interrupted, and its line."""

    job_id: str
    line: str


class ConversationModel:
    def __init__(self, folder: Path, world: World) -> None:
        self.site = SmallSite(folder)
        self.world = world
        self.folder = folder
        self.bucket = world.names.bucket("sites")
        self.pending: list[Asked] = []
        self.seen = {FIRST}
        self.answers: list[Outcome] = []
        self._fence = 0
        self._jobs = 0
        self._built = 0
        self._tools = self._worker()
        self._thread = Thread(THREAD, PAIR)
        world.threads._put({"pk": f"thread#{THREAD}", "projectKey": PAIR.key, "said": {}})
        releases = LiveReleases(lambda: world.s3, world.names)
        self.control = Control(world.jobs, world.threads, world.tokens, world.queues, releases, world.clock)
        self._hand_over()

    def send(self, mail: Mail, fault: Fault = Fault.NONE) -> Outcome:
        """One mail until its answer."""
        self._jobs += 1
        job_id, line = f"mail-{self._jobs}", f"line-{self._jobs}{'-broken' * (mail is Mail.BROKEN)}"
        job = self.world.job(job_id, command=COMMAND_OF.get(mail, Command.EDIT), instruction=f"Hello,\nadd {line}")
        self.site.jobs[job_id] = record_of(job)
        before = self.page("live")
        outcome = self._run(job, mail, fault, line)
        self._record(job, outcome)
        self.answers.append(outcome)
        self._check(job, fault, line, outcome, before)
        return outcome

    def page(self, kind: str) -> str | None:
        """The page on the preview, on the live site, or on the branch."""
        if kind == "branch":
            listed = self.site.git("branch", "--list", branch_of(THREAD), cwd=self.site.remote)
            return self.site.page() if listed.strip() else None
        prefix = preview_prefix(PAIR.project, THREAD) if kind == "preview" else f"{PAIR.project}/live/"
        try:
            return str(self.world.s3.get_object(Bucket=self.bucket, Key=prefix + PAGE)["Body"].read().decode())
        except ClientError:
            return None

    def states(self) -> dict[str, ChangeState]:
        """The life of the changes as git and the release records tell it."""
        return {change.name: change.state for change in self._changes() if change.state is not ChangeState.UNDONE}

    def status(self) -> dict[str, ChangeState]:
        order = ControlOrder(job=self.world.job("status", command=Command.STATUS, instruction=""))
        outcome = self.control.run(order)
        return dict(zip(outcome.made, outcome.made_states, strict=True))

    def _hand_over(self) -> None:
        """The first release is the site before the conversation."""
        source = self.folder / "site"
        commit = self.site.git("rev-parse", "main", cwd=self.site.remote).strip()
        files = {PAGE: "0" * 64}

        class Contents:
            def __init__(self) -> None:
                self.files = files

            def store(contents, path: str, bucket: str, key: str) -> None:  # noqa: N805
                self.world.s3.put_object(Bucket=bucket, Key=key, Body=(source / path).read_bytes())

        self._tools.live.publish(Contents(), job_id="handover", thread_id="", commit=commit, check_lease=lambda: None)

    def _worker(self) -> PairTools:
        self._fence += 1
        fence, s3, names = self._fence, self.world.s3, self.world.names
        return replace(
            self.site.worker(),
            s3=s3,
            preview=lambda thread: Preview(s3, names, PAIR.project, thread, fence),
            live=LiveSite(s3, names, PAIR, fence, self.world.timing, self.world.clock),
        )

    def _run(self, job: Job, mail: Mail, fault: Fault, line: str) -> Outcome:
        """Runs the job as `PairSession` does, on further workers after a kill."""
        tools = self._tools
        run = JobRun(job, lambda: self._with_fault(tools, fault, lambda: run), lambda: None)
        self.site.agent = self._agent(mail, fault, line, lambda: run)
        self.site.build = self._builder(fault, lambda: run)
        hook = self._reject_pushes() if fault is Fault.PUSH_FAILS else None
        if fault is Fault.INTERRUPT_START:
            run.cancel(CancelReason.INTERRUPTED)
        try:
            outcome = run.run()
            if fault is Fault.KILLED_AFTER_DEPLOY:
                raise CrashError  # noqa: TRY301
        except JobCancelledError:
            outcome = self._interrupted(run)
        except CrashError:
            self._tools = self._worker()
            if fault is Fault.LOST_AFTER_PUSH:
                return Outcome(state="failed", failure=Failure.INTERNAL)
            return self._run(job, mail, Fault.NONE, line)
        except Exception as error:
            run.discard_partial_work()
            outcome = run.outcome_failed(Failure.INTERNAL, type(error).__name__)
        finally:
            if hook is not None:
                hook.unlink()
        if outcome.state == "preempted":
            return outcome.model_copy(update={"went_to": f"mail-{self._jobs + 1}"})
        return outcome

    def _interrupted(self, run: JobRun) -> Outcome:
        try:
            commit = run.keep_partial_work()
        except Exception:
            run.discard_partial_work()
            commit = None
        return run.outcome_preempted(commit)

    def _with_fault(self, tools: PairTools, fault: Fault, run: Callable[[], JobRun]) -> PairTools:
        def preview(thread: str) -> Any:
            real = tools.preview(thread)
            deploy = real.deploy

            def faulty(*arguments: Any, **more: Any) -> Any:
                if fault is Fault.DEPLOY_FAILS:
                    raise ClientError({"Error": {"Code": "InternalError"}}, "PutObject")
                if fault in (Fault.KILLED_AFTER_PUSH, Fault.LOST_AFTER_PUSH):
                    raise CrashError
                if fault is Fault.INTERRUPT_DEPLOY:
                    run().cancel(CancelReason.INTERRUPTED)
                return deploy(*arguments, **more)

            real.deploy = faulty  # type: ignore[method-assign]
            return real

        return replace(tools, preview=preview)

    def _agent(
        self, mail: Mail, fault: Fault, line: str, run: Callable[[], JobRun]
    ) -> Callable[[str, Path], AgentResult]:
        def work(prompt: str, tree: Path) -> AgentResult:
            if fault is Fault.INTERRUPT_AGENT:
                run().cancel(CancelReason.INTERRUPTED)
            if fault is Fault.AGENT_FAILS:
                return AgentResult(is_error=True)
            page = tree / PAGE
            if mail is Mail.QUESTION:
                return _stating(StatementKind.QUESTION, question="Which?")
            if mail is Mail.REFUSAL:
                return _stating(StatementKind.REFUSAL, summary="No.")
            earlier = [asked.line for asked in self.pending]
            lines = page.read_text().splitlines()
            if mail is Mail.REPLACE:
                lines = [one for one in lines if one not in earlier]
                earlier = []
            elif "<earlier>" not in prompt:
                earlier = []
            wanted = [*earlier, line] if "<mail>" in prompt else [line]
            page.write_text("\n".join([*lines, *(one for one in wanted if one not in lines), ""]))
            return _stating(StatementKind.RESULT, title=line, summary="Done.")

        return work

    def _builder(self, fault: Fault, run: Callable[[], JobRun]) -> Callable[[Path], Path]:
        def build(tree: Path) -> Path:
            if fault is Fault.INTERRUPT_BUILD:
                run().cancel(CancelReason.INTERRUPTED)
                raise JobCancelledError(CancelReason.INTERRUPTED)
            if fault is Fault.KILLED_IN_BUILD:
                raise CrashError
            if "broken" in (tree / PAGE).read_text():
                return failing_build(tree)
            self._built += 1
            return shutil.copytree(tree, self.folder / f"built-{self._built}")

        return build

    def _reject_pushes(self) -> Path:
        hook = self.site.remote / "hooks" / "pre-receive"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\necho not now >&2\nexit 1\n")
        hook.chmod(0o755)
        return hook

    def _record(self, job: Job, outcome: Outcome) -> None:
        self.site.jobs[job.job_id] = record_of(job, outcome=outcome)
        self.world.dispatch(job, f"token-{job.job_id}")
        self.world.jobs.start(PAIR, job.job_id, 1)
        self.world.jobs.finish(PAIR, job.job_id, 1, Outcome.read(outcome.wire_text()))
        self.world.threads.store_fingerprints(self._thread, f"{ANSWER}{job.job_id}", b"123456", by_us=True)
        self.world.clock.advance(1)

    def _changes(self) -> tuple[Change, ...]:
        return fold([*self._tree().commits().events(), *self._tools.live.events(THREAD)])

    def _tree(self) -> ThreadTree:
        tree = self._tools.workspace.open(THREAD)
        tree.catch_up()
        return tree

    def _check(self, job: Job, fault: Fault, line: str, outcome: Outcome, live_before: str | None) -> None:
        self._check_live(outcome, live_before)
        if outcome.state == "preempted":
            if outcome.handed_over:
                self.pending.append(Asked(job.job_id, line))
            return
        if fault not in BROKEN_AFTER:
            self._check_earlier(outcome)
            self._check_branch(outcome)
            self._check_states()
            self.seen.add(self.page("preview") or FIRST)
        else:
            self._forget_reported(outcome)
        if outcome.state == "failed" or outcome.result in (Result.ASKED, Result.PREVIEW_CHANGED):
            assert fault is Fault.LOST_AFTER_PUSH or line not in _lines(self.page("branch")), "it failed and changed"

    def _check_live(self, outcome: Outcome, before: str | None) -> None:
        live = self.page("live")
        if outcome.result not in (Result.PUBLISHED, Result.UNPUBLISHED):
            assert live == before, "only publish and unpublish change the live site"
        assert live in self.seen, "the preview never showed what is live"

    def _check_earlier(self, outcome: Outcome) -> None:
        fates = {work.job_id: work.fate for work in outcome.earlier}
        undone = outcome.result is Result.UNDONE and outcome.undone is None
        for asked in [*self.pending]:
            fate = fates.get(asked.job_id)
            assert fate is not None or undone, f"the answer does not say what happened to {asked.job_id}"
            on_preview = asked.line in _lines(self.page("preview"))
            if fate is EarlierFate.SEPARATE:
                assert on_preview
            if fate in (EarlierFate.REMOVED, EarlierFate.NOT_STARTED) or fate is None:
                assert asked.line not in _lines(self.page("branch"))
            if fate is EarlierFate.KEPT:
                assert not on_preview
            else:
                self.pending.remove(asked)

    def _forget_reported(self, outcome: Outcome) -> None:
        """A failed job may have decided about earlier work before its fault; what it says of that must be true."""
        for work in outcome.earlier:
            if work.fate in (EarlierFate.REMOVED, EarlierFate.NOT_STARTED, EarlierFate.INCLUDED, EarlierFate.SEPARATE):
                self.pending = [asked for asked in self.pending if asked.job_id != work.job_id]

    def _check_branch(self, outcome: Outcome) -> None:
        tree = self._tree()
        kept = any(work.fate is EarlierFate.KEPT for work in outcome.earlier)
        assert kept or not tree.commits().unfinished(), "partial work that no answer has reported"
        if tree.commits() and not tree.commits().unfinished():
            shown = self.page("preview")
            assert (shown or FIRST) == self.page("branch"), "the branch is not on the preview"

    def _check_states(self) -> None:
        states = self.states()
        assert self.status() == states, "status and git disagree"
        branch, live = _lines(self.page("branch")), _lines(self.page("live"))
        for name, state in states.items():
            assert (name in branch) == (state is not ChangeState.UNDONE_STILL_LIVE)
            assert (name in live) == (state in (ChangeState.LIVE, ChangeState.UNDONE_STILL_LIVE)), (name, state)


def _lines(page: str | None) -> set[str]:
    return set(LINE.findall(page or ""))


def _stating(kind: StatementKind, **texts: str) -> AgentResult:
    return AgentResult(statement=Statement(kind=kind, language="en", **texts))
