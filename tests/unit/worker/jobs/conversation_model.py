"""A model of two conversations of one pair: random mails and faults drive the shipped `JobRun`, commands, `Control` and
S3 records.

Git is real and in temporary folders, the bucket and the tables are moto's. Stand-ins, and nothing else: the agent (it
appends the lines that the mails ask for, to one page per thread), the build (it copies the tree, and fails on the word
"broken"), and the handling of a cancelled run, which mirrors `PairSession`.

After every answer the model checks: the branch is on the preview, what is live was on the preview when a mail was
answered, `status` agrees with git, the answer to a newer mail says what happened to the older one's work, and what an
answer says about a change is true of the files.
"""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from botocore.exceptions import ClientError
from moto.moto_api._internal.models import moto_api_backend

from tests.support.world import PAIR, REGION, THREAD, World
from tests.unit.worker.jobs.conversation_faults import FAULTS, NO_FAULT, Event, Fault, FaultyRun, Point
from tests.unit.worker.small_site import FIRST, PAGE, CrashError, SmallSite, failing_build, record_of
from webordinary.contract.errors import PairLostError
from webordinary.contract.messages.job import ControlOrder, Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.names import branch_of, preview_prefix
from webordinary.contract.outcomes import ChangeState, Command, EarlierFate, Failure, Result
from webordinary.contract.thread_tokens import pair_prefix
from webordinary.protocol.change_life import Change, fold
from webordinary.protocol.worker.run import JobCancelledError
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
LIVE_RESULTS = (Result.PUBLISHED, Result.UNPUBLISHED, Result.UNPUBLISHED_FOR_NOW)


class Mail(StrEnum):
    EDIT = "edit"
    BROKEN = "broken"  # an edit that does not build and cannot be repaired
    REPLACE = "replace"  # an edit that reverts what the interrupted one has done
    QUESTION = "question"
    REFUSAL = "refusal"
    UNDO = "undo"
    PUBLISH = "publish"
    UNPUBLISH = "unpublish"


MAILS = (*Mail, Mail.EDIT, Mail.EDIT, Mail.PUBLISH)
COMMAND_OF = {Mail.UNDO: Command.UNDO, Mail.PUBLISH: Command.PUBLISH, Mail.UNPUBLISH: Command.UNPUBLISH}
# After these the branch may differ from the preview until the next answer.
OPEN_ENDS = (Event.FAILS, Event.LOST)


@dataclass
class Asked:
    """A mail whose work was interrupted, and its line."""

    job_id: str
    line: str


@dataclass
class Conversation:
    """A thread, and the page that its mails change."""

    thread_id: str
    page: str
    first: str
    pending: list[Asked] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)  # what its preview, or a page of its base, has shown


Steps = list[tuple[Mail, Fault]]


def random_steps(seed: int) -> Steps:
    rng = random.Random(seed)  # noqa: S311  no secret
    return [(rng.choice(MAILS), rng.choice((*FAULTS, *[NO_FAULT] * 8))) for _ in range(rng.randint(4, 6))]


class BrokenPromiseError(AssertionError):
    """What the model has found, and the mails that led to it."""

    def __init__(self, problem: Exception, steps: Steps) -> None:
        mails = "; ".join(f"{mail}, {fault.event} {fault.point}" if fault.event else mail for mail, fault in steps)
        super().__init__(f"{problem} [{mails}]")


def new_model(folder: Path) -> ConversationModel:
    """A new AWS in memory, with the pair and its bucket."""
    moto_api_backend.reset()
    world = World()
    folder.mkdir()
    bucket = world.names.bucket("sites")
    world.s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": REGION})
    world.onboard()
    return ConversationModel(folder, world)


class ConversationModel:
    def __init__(self, folder: Path, world: World) -> None:
        self.site = SmallSite(folder)
        self.world = world
        self.folder = folder
        self.bucket = world.names.bucket("sites")
        self.main = Conversation(THREAD, PAGE, FIRST, seen={FIRST})
        self.other = Conversation(pair_prefix(PAIR.key) + "b" * 18, "other.txt", "", seen={""})
        self.answers: list[Outcome] = []
        self._fence = 0
        self._jobs = 0
        self._built = 0
        self._tools = self._worker()
        for talk in (self.main, self.other):
            world.threads._put({"pk": f"thread#{talk.thread_id}", "projectKey": PAIR.key, "said": {}})
        releases = LiveReleases(lambda: world.s3, world.names)
        self.control = Control(world.jobs, world.threads, world.tokens, world.queues, releases, world.clock)
        self._hand_over()

    def converse(self, steps: Steps) -> None:
        for number, (mail, fault) in enumerate(steps, start=1):
            try:
                self.send(mail, fault)
            except Exception as problem:
                raise BrokenPromiseError(problem, steps[:number]) from problem

    def send(self, mail: Mail, fault: Fault = NO_FAULT, talk: Conversation | None = None) -> Outcome:
        """One mail until its answer."""
        talk = talk or self.main
        self._jobs += 1
        job_id, line = f"mail-{self._jobs}", f"line-{self._jobs}{'-broken' * (mail is Mail.BROKEN)}"
        instruction = f"Hello,\nadd {line}"
        command = COMMAND_OF.get(mail, Command.EDIT)
        job = self.world.job(job_id, talk.thread_id, command=command, instruction=instruction)
        self.site.jobs[job_id] = record_of(job)
        self.world.dispatch(job, f"token-{job_id}")
        self.world.jobs.start(PAIR, job_id, 1)
        before = self.page("live", talk)
        if fault.event is Event.STOP:
            outcome = self._stopped(job, talk, mail, fault, line)
        else:
            outcome = self._finish(job, talk, self._run(job, talk, mail, fault, line))
        self.answers.append(outcome)
        self._check(job, talk, fault, line, outcome, before)
        return outcome

    def page(self, kind: str, talk: Conversation | None = None) -> str | None:
        """The page on the preview, on the live site, or on the branch."""
        talk = talk or self.main
        if kind == "branch":
            return self._on_branch(talk)
        prefix = preview_prefix(PAIR.project, talk.thread_id) if kind == "preview" else f"{PAIR.project}/live/"
        try:
            return str(self.world.s3.get_object(Bucket=self.bucket, Key=prefix + talk.page)["Body"].read().decode())
        except ClientError:
            return None

    def states(self, talk: Conversation | None = None) -> dict[str, ChangeState]:
        """The life of the changes as git and the release records tell it."""
        changes = self._changes(talk or self.main)
        return {change.name: change.state for change in changes if change.state is not ChangeState.UNDONE}

    def status(self, talk: Conversation | None = None) -> dict[str, ChangeState]:
        thread_id = (talk or self.main).thread_id
        order = ControlOrder(job=self.world.job("status", thread_id, command=Command.STATUS, instruction=""))
        outcome = self.control.run(order)
        return dict(zip(outcome.made, outcome.made_states, strict=True))

    def _on_branch(self, talk: Conversation) -> str | None:
        branch = branch_of(talk.thread_id)
        if not self.site.git("branch", "--list", branch, cwd=self.site.remote).strip():
            return None
        if not self.site.git("ls-tree", branch, talk.page, cwd=self.site.remote).strip():
            return talk.first
        return self.site.git("show", f"{branch}:{talk.page}", cwd=self.site.remote)

    def _hand_over(self) -> None:
        """The first release is the site before the conversation."""
        commit = self.site.git("rev-parse", "main", cwd=self.site.remote).strip()
        files = {PAGE: "0" * 64}

        class Contents:
            def __init__(self) -> None:
                self.files = files

            def store(contents, _path: str, bucket: str, key: str) -> None:  # noqa: N805
                self.world.s3.put_object(Bucket=bucket, Key=key, Body=FIRST.encode())

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

    def _run(self, job: Job, talk: Conversation, mail: Mail, fault: Fault, line: str) -> Outcome:
        """Runs the job as `PairSession` does. After a kill, or while a worker is paused, another worker runs it."""
        tools, answers = self._tools, []

        def take_over() -> None:
            self._tools = self._worker()
            answers.append(self._run(job, talk, mail, NO_FAULT, line))

        faulty = FaultyRun(fault, take_over)
        run = faulty.run = JobRun(job, lambda: faulty.tools(tools), faulty.check_lease)
        self.site.agent = faulty.agent(self._agent(mail, talk, line))
        self.site.build = faulty.builder(self._build)
        hook = self._reject_pushes() if fault == (Event.FAILS, Point.PUSH) else None
        try:
            faulty.reach(Point.START)
            outcome = run.run()
            faulty.reach(Point.REPORT)
        except JobCancelledError:
            outcome = self._interrupted(run)
            if fault.event is Event.OTHER_THREAD:
                self.send(Mail.EDIT, talk=self.other)
                self.send(Mail.PUBLISH if self._jobs % 2 else Mail.QUESTION, talk=self.other)
                return self._run(job, talk, mail, NO_FAULT, line)
        except PairLostError:
            assert faulty.lease_lost
        except CrashError:
            self._tools = self._worker()
            if fault.event is Event.LOST:
                return Outcome(state="failed", failure=Failure.INTERNAL)
            return self._run(job, talk, mail, NO_FAULT, line)
        except Exception as error:
            if not faulty.lease_lost:
                run.discard_partial_work()
                outcome = run.outcome_failed(Failure.INTERNAL, type(error).__name__)
        finally:
            if hook is not None:
                hook.unlink()
        return answers[0] if answers else outcome

    def _interrupted(self, run: JobRun) -> Outcome:
        try:
            commit = run.keep_partial_work()
        except PairLostError:
            raise
        except Exception:
            run.discard_partial_work()
            commit = None
        return run.outcome_preempted(commit).model_copy(update={"went_to": f"mail-{self._jobs + 1}"})

    def _stopped(self, job: Job, talk: Conversation, mail: Mail, fault: Fault, line: str) -> Outcome:
        """`Control` sends the stop and waits; meanwhile the run reaches the point of the fault, and ends."""
        ended: list[Outcome] = []

        def work(_: float) -> None:
            if not ended:
                outcome = self._run(job, talk, mail, fault, line)
                if outcome.state == "preempted":
                    outcome = outcome.model_copy(update={"went_to": None, "stopped_by": "stop"})
                ended.append(self._finish(job, talk, outcome))

        order = ControlOrder(job=self.world.job("stop", talk.thread_id, command=Command.STOP, instruction=""))
        answer = replace(self.control, wait=work).run(order)
        was_stopped = answer.result is Result.STOPPED
        assert was_stopped == (ended[0].state == "preempted"), "the answer to the stop and the job's own disagree"
        return ended[0]

    def _agent(self, mail: Mail, talk: Conversation, line: str) -> Callable[[str, Path], AgentResult]:
        def work(prompt: str, tree: Path) -> AgentResult:
            if mail is Mail.QUESTION:
                return _stating(StatementKind.QUESTION, question="Which?")
            if mail is Mail.REFUSAL:
                return _stating(StatementKind.REFUSAL, summary="No.")
            page = tree / talk.page
            earlier = [asked.line for asked in talk.pending]
            lines = page.read_text().splitlines() if page.exists() else []
            if mail is Mail.REPLACE:
                lines = [one for one in lines if one not in earlier]
                earlier = []
            elif "<earlier>" not in prompt:
                earlier = []
            wanted = [*earlier, line] if "<mail>" in prompt else [line]
            page.write_text("\n".join([*lines, *(one for one in wanted if one not in lines), ""]))
            return _stating(StatementKind.RESULT, title=line, summary="Done.")

        return work

    def _build(self, tree: Path) -> Path:
        if any("broken" in page.read_text() for page in (tree / PAGE, tree / self.other.page) if page.exists()):
            return failing_build(tree)
        self._built += 1
        return shutil.copytree(tree, self.folder / f"built-{self._built}")

    def _reject_pushes(self) -> Path:
        hook = self.site.remote / "hooks" / "pre-receive"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\necho not now >&2\nexit 1\n")
        hook.chmod(0o755)
        return hook

    def _finish(self, job: Job, talk: Conversation, outcome: Outcome) -> Outcome:
        """Records the report and the reply."""
        self.site.jobs[job.job_id] = record_of(job, outcome=outcome)
        self.world.jobs.finish(PAIR, job.job_id, 1, Outcome.read(outcome.wire_text()))
        thread = Thread(talk.thread_id, PAIR)
        self.world.threads.store_fingerprints(thread, f"{ANSWER}{job.job_id}", b"123456", by_us=True)
        self.world.clock.advance(1)
        return outcome

    def _changes(self, talk: Conversation) -> tuple[Change, ...]:
        return fold([*self._tree(talk).commits().events(), *self._tools.live.events(talk.thread_id)])

    def _tree(self, talk: Conversation) -> ThreadTree:
        tree = self._tools.workspace.open(talk.thread_id)
        tree.catch_up()
        return tree

    def _check(
        self, job: Job, talk: Conversation, fault: Fault, line: str, outcome: Outcome, live_before: str | None
    ) -> None:
        if outcome.state == "preempted":
            self._check_live(talk, fault, outcome, live_before)
            if outcome.handed_over:
                talk.pending.append(Asked(job.job_id, line))
            return
        self._check_live(talk, fault, outcome, live_before)
        if fault.event in OPEN_ENDS:
            self._forget_reported(talk, outcome)
        else:
            self._check_earlier(talk, outcome)
            self._check_branch(talk, outcome)
            self._check_states(talk)
            self._check_result(talk, outcome)
            talk.seen.add(self.page("preview", talk) or talk.first)
        if outcome.state == "failed" or outcome.result in (Result.ASKED, Result.PREVIEW_CHANGED):
            is_lost = fault.event is Event.LOST
            assert is_lost or line not in _lines(self.page("branch", talk)), "it failed and changed"

    def _check_live(self, talk: Conversation, fault: Fault, outcome: Outcome, before: str | None) -> None:
        if outcome.result not in LIVE_RESULTS and fault.event is not Event.LOST:
            live = self.page("live", talk)
            assert live == before, "only publish and unpublish change the live site"
        for one in (self.main, self.other):
            assert (self.page("live", one) or one.first) in one.seen, "the preview never showed what is live"

    def _check_earlier(self, talk: Conversation, outcome: Outcome) -> None:
        fates = {work.job_id: work.fate for work in outcome.earlier}
        undone = outcome.result is Result.UNDONE and outcome.undone is None
        for asked in [*talk.pending]:
            fate = fates.get(asked.job_id)
            assert fate is not None or undone, f"the answer does not say what happened to {asked.job_id}"
            on_preview = asked.line in _lines(self.page("preview", talk))
            if fate is EarlierFate.SEPARATE:
                assert on_preview
            if fate in (EarlierFate.REMOVED, EarlierFate.NOT_STARTED) or fate is None:
                assert asked.line not in _lines(self.page("branch", talk))
            if fate is EarlierFate.KEPT:
                assert not on_preview
            else:
                talk.pending.remove(asked)

    def _forget_reported(self, talk: Conversation, outcome: Outcome) -> None:
        """A failed job may have decided about earlier work before its fault; what it says of that must be true."""
        for work in outcome.earlier:
            if work.fate in (EarlierFate.REMOVED, EarlierFate.NOT_STARTED, EarlierFate.INCLUDED, EarlierFate.SEPARATE):
                talk.pending = [asked for asked in talk.pending if asked.job_id != work.job_id]

    def _check_branch(self, talk: Conversation, outcome: Outcome) -> None:
        commits = self._tree(talk).commits()
        kept = any(work.fate is EarlierFate.KEPT for work in outcome.earlier)
        assert kept or not commits.unfinished(), "partial work that no answer has reported"
        if commits and not commits.unfinished():
            shown = self.page("preview", talk)
            assert (shown or talk.first) == self.page("branch", talk), "the branch is not on the preview"

    def _check_states(self, talk: Conversation) -> None:
        states = self.states(talk)
        assert self.status(talk) == states, "status and git disagree"
        branch, live = _lines(self.page("branch", talk)), _lines(self.page("live", talk))
        for name, state in states.items():
            assert (name in branch) == (state is not ChangeState.UNDONE_STILL_LIVE)
            assert (name in live) == (state in (ChangeState.LIVE, ChangeState.UNDONE_STILL_LIVE)), (name, state)

    def _check_result(self, talk: Conversation, outcome: Outcome) -> None:
        """No result is a dead end: what it denies is not there."""
        branch, live = _lines(self.page("branch", talk)), _lines(self.page("live", talk))
        if outcome.result in (Result.PUBLISHED, Result.ALREADY_LIVE):
            assert branch == live, "it says live, and the live site shows something else"
        if outcome.result is Result.NOTHING_TO_PUBLISH:
            assert not branch - live, "there is something to publish"
        if outcome.result is Result.NOTHING_TO_UNDO:
            assert not branch, "there is something to undo"
        assert outcome.failure is not Failure.PUBLISH_CONFLICT, "a thread clashes with its own changes"


def _lines(page: str | None) -> set[str]:
    return set(LINE.findall(page or ""))


def _stating(kind: StatementKind, **texts: str) -> AgentResult:
    return AgentResult(statement=Statement(kind=kind, language="en", **texts))
