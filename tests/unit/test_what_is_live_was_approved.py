"""A model of an editor and a publisher: what is live is what the publisher saw and approved.

Random conversations drive the shipped parser, worker commands and replies, with real git and AWS in memory. Agent and
build are stand-ins. The publisher looks at the preview before each answer; sometimes the editor is faster than the
answer. Edits are interrupted, new workers take over, and a worker of the editor forges what a question shows.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from moto.moto_api._internal.models import moto_api_backend

from tests.support.replies import replying, sent_mails
from tests.support.stored_mails import SECRET, reader
from tests.support.world import PAIR, World
from tests.unit.test_approvals import ZOE
from tests.unit.worker.jobs.test_publish import Public
from tests.unit.worker.small_site import PAGE, SmallSite, append_line, cancelled, run_job
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Approval, Job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.messages.reply import ReplyOrder
from webordinary.contract.names import branch_of, preview_prefix
from webordinary.contract.outcomes import Command, Result
from webordinary.contract.thread_tokens import reply_address
from webordinary.protocol.worker.run import CancelReason
from webordinary.tables.items import to_values
from webordinary.tables.questions import Questions
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.git.main_branch import MainBranch
from webordinary_worker.jobs.commands import publish
from webordinary_worker.jobs.pair_tools import PairTools

ADA_MAIL, ZOE_MAIL = "ada@example.com", "zoe@example.com"
NO_WORKER = (Command.STATUS, Command.STOP, Command.HELP)
PLAIN_YES = ("Yes", "publish", "Ok, thanks")
OTHER_ANSWERS = ("", "Ok, NOT YET", "Yes, Monday", "No", "Is it tested?")


class Edit(NamedTuple):
    """The editor writes: an edit, or a command. Or something happens to their workers."""

    text: str


class Answer(NamedTuple):
    """The publisher looks at the preview, then answers one of their last mails. The editor may write in between."""

    text: str
    mails_ago: int = 0
    meanwhile: str = ""


Step = Edit | Answer
INTERRUPTED, NEW_WORKERS, FORGED = "an interrupted edit", "new workers", "a forged question"
WISHES = ("edit", "undo", "publish", "publish", "status", INTERRUPTED, NEW_WORKERS, FORGED)
STEPS = st.one_of(
    st.builds(Edit, st.sampled_from(WISHES)),
    st.builds(
        Answer,
        st.sampled_from((*PLAIN_YES, *PLAIN_YES, *OTHER_ANSWERS, "unpublish")),
        st.integers(0, 2),
        st.sampled_from(("", "", *WISHES)),
    ),
)
BAIT_AND_SWITCH: list[Step] = [Edit("edit"), Edit("publish"), Edit("undo"), Answer("Yes")]
FASTER_THAN_THE_ANSWER: list[Step] = [Edit("edit"), Edit("publish"), Answer("Yes", meanwhile="edit"), Answer("Yes")]
THANKS_AFTER_UNPUBLISH: list[Step] = [
    Edit("edit"),
    Edit("publish"),
    Answer("Yes"),
    Edit("edit"),
    Edit("publish"),
    Answer("Yes"),
    Answer("unpublish"),
    Answer("Ok, thanks"),
    Answer("Ok, thanks", mails_ago=3),
]
INTERRUPTED_WORK: list[Step] = [Edit(INTERRUPTED), Edit("publish"), Answer("Yes"), Edit("publish"), Answer("Yes")]
FORGED_QUESTION: list[Step] = [Edit(FORGED), Edit(NEW_WORKERS), Answer("Yes"), Answer("Yes")]


class Conversation:
    def __init__(self, folder: Path) -> None:
        moto_api_backend.reset()  # state of earlier conversations
        self.world = World()
        self.site = SmallSite(folder)
        self.site.agent = append_line_or_leave_conflict
        self.public = Public(self.site, self.world)
        self._read = reader(self.world)
        self._reply = replying(self.world, SECRET)
        self._numbers = itertools.count(1)
        self._tools: dict[str, PairTools] = {}
        self._answered: set[str] = set()
        self._forged: set[str] = set()
        self.thread_id = ""
        people = {"users": ["ada", "zoe"], "editors": ["ada"], "publishers": {"zoe": ZOE_MAIL}}
        self.world.onboard(**people)  # type: ignore[arg-type]
        sender = {"pk": f"sender#{ZOE_MAIL}", "pairs": [ZOE.key]}
        self.world.dynamodb.put_item(TableName=self.world.names.table("project_configs"), Item=to_values(sender))
        self.mail_of_editor("edit")

    def play(self, steps: list[Step]) -> None:
        for step in steps:
            live = self.live()
            if isinstance(step, Edit):
                self.mail_of_editor(step.text)
                assert self.live() == live
                continue
            seen = self.preview()
            if step.meanwhile:
                self.mail_of_editor(step.meanwhile)
                assert self.live() == live
            to, command = self.mail_of_publisher(step)
            if self.live() == live or command is Command.UNPUBLISH:
                continue
            assert "+q-" in to, f"{step} answered no question"
            assert to not in self._answered, "a question was answered twice"
            self._answered.add(to)
            assert to not in self._forged, "a forged question was answered"
            assert step.text in PLAIN_YES, f"{step.text!r} is no yes"
            assert self.live() == seen == self.head(), "the publisher saw another state than the one that is live"

    def mail_of_editor(self, text: str) -> None:
        if text == NEW_WORKERS:
            self._tools.clear()
            return
        number = next(self._numbers)
        to = (
            reply_address("edit@edit.example.com", self.thread_id, SECRET)
            if self.thread_id
            else "bakery@edit.example.com"
        )
        words = {"edit": f"Line {number}.", INTERRUPTED: f"Line {number}.", FORGED: "publish"}.get(text, text)
        job = self._send(words, ADA_MAIL, to)
        assert job is not None
        self.thread_id = job.thread_id
        self._carry_out(job, text)

    def mail_of_publisher(self, answer: Answer) -> tuple[str, Command | None]:
        """Answers a mail. Returns the address that it was sent to, and its command."""
        received = sent_mails(to=ZOE_MAIL)
        if not received:
            return "", None
        to = str(received[-1 - min(answer.mails_ago, len(received) - 1)]["Reply-To"])
        job = self._send(answer.text, ZOE_MAIL, to)
        if job is not None:
            self._carry_out(job)
        return to, job.command if job is not None else None

    def _send(self, text: str, sender: str, to: str) -> Job | None:
        self.world.clock.advance(600)
        subject = "Publish" if not self.thread_id else "Re: Publish"
        result = self._read(text, mail_id=f"mail-{next(self._numbers)}", sender=sender, to=to, Subject=subject)
        if result.refusal is not None:
            self._reply.run(ReplyOrder(refusal=result.refusal))
        return result.job

    def _carry_out(self, job: Job, text: str = "") -> None:
        if job.command in NO_WORKER:
            outcome = Outcome(state="done", result=Result.STATUS)
        elif text == INTERRUPTED:
            cancelled(job, self.site, self._worker(job.pair), CancelReason.INTERRUPTED).keep_partial_work()
            outcome = Outcome(state="preempted")
        else:
            outcome = run_job(job, self._worker(job.pair))
        if text == FORGED:
            outcome = outcome.model_copy(update={"more_pages": outcome.more_pages + 1})
        asked = len(sent_mails(to=ZOE_MAIL))
        self._reply.run(ReplyOrder(job=job, outcome=outcome))
        if text == FORGED:
            self._forged.update(str(mail["Reply-To"]) for mail in sent_mails(to=ZOE_MAIL)[asked:])

    def _worker(self, pair: Pair) -> PairTools:
        if pair.key not in self._tools:
            tools = self.public.worker(pair)
            people = {"users": ("ada", "zoe"), "editor_ids": (PAIR.user,)}
            self._tools[pair.key] = replace(tools, project=tools.project.model_copy(update=people))
        return self._tools[pair.key]

    def live(self) -> str:
        return self.public.live_files().get(PAGE, "")

    def preview(self) -> str:
        key = preview_prefix(PAIR.project, self.thread_id) + PAGE
        stored = self.world.s3.get_object(Bucket=self.public.bucket, Key=key)["Body"].read()
        return str(stored, "utf-8")

    def head(self) -> str:
        return self.site.git("show", f"{branch_of(self.thread_id)}:{PAGE}", cwd=self.site.remote)


def append_line_or_leave_conflict(prompt: str, tree: Path) -> AgentResult:
    return append_line(prompt, tree) if "<mail>" in prompt else AgentResult()


NewConversation = Callable[[], Conversation]


@pytest.fixture
def converse(memory_aws: None, tmp_path_factory: pytest.TempPathFactory) -> NewConversation:
    return lambda: Conversation(tmp_path_factory.mktemp("conversation"))


@pytest.mark.parametrize(
    "steps",
    [BAIT_AND_SWITCH, FASTER_THAN_THE_ANSWER, THANKS_AFTER_UNPUBLISH, INTERRUPTED_WORK, FORGED_QUESTION],
    ids=["bait and switch", "faster than the answer", "thanks after unpublish", "interrupted work", "forged question"],
)
def test_what_is_live_was_seen_and_approved(converse: NewConversation, steps: list[Step]) -> None:
    converse().play(steps)


@pytest.mark.exhaustive
@settings(
    max_examples=12,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],  # a conversation takes a second: it is not shrunk
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=st.lists(STEPS, min_size=3, max_size=7))
def test_what_is_live_was_seen_and_approved_in_any_order(converse: NewConversation, steps: list[Step]) -> None:
    converse().play(steps)


def any_commit_of_the_branch(main: MainBranch, approved: Approval, branch: str) -> bool:
    return main.has_commit(approved.commit) and main.is_ancestor(approved.commit, branch)


def old_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """A yes published its commit if the thread's branch still contained it, and a question was never closed."""
    monkeypatch.setattr(publish, "is_head", any_commit_of_the_branch)
    monkeypatch.setattr(Questions, "answer", lambda *_: True)
    monkeypatch.setattr(Questions, "close", lambda *_: None)


def unseen_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """A publish does not check what the preview shows."""
    monkeypatch.setattr(publish, "_show_preview_first", lambda *_: None)


def believed_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    """A yes publishes whatever a worker of the editor let the question show."""
    monkeypatch.setattr(publish, "ask_unless_shown", lambda *_: None)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("plant", "steps", "problem"),
    [
        (old_rule, BAIT_AND_SWITCH, "saw another state"),
        (old_rule, FASTER_THAN_THE_ANSWER, "saw another state"),
        (old_rule, THANKS_AFTER_UNPUBLISH, "answered twice"),
        (unseen_work, INTERRUPTED_WORK, "saw another state"),
        (believed_reports, FORGED_QUESTION, "a forged question"),
    ],
    ids=["bait and switch", "faster than the answer", "thanks after unpublish", "interrupted work", "forged question"],
)
def test_model_finds_the_defect(
    converse: NewConversation,
    monkeypatch: pytest.MonkeyPatch,
    plant: Callable[[pytest.MonkeyPatch], None],
    steps: list[Step],
    problem: str,
) -> None:
    conversation = converse()
    plant(monkeypatch)
    with pytest.raises(AssertionError, match=problem):
        conversation.play(steps)
