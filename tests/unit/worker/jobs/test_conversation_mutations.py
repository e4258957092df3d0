"""The model of conversations finds known bugs: each test puts one into the shipped code, and the model must report it.

A conversation that is known to find the bug comes first, random ones after it; if none finds it, the model is too tame.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.worker.jobs.conversation_faults import DURING_BUILD, NO_FAULT, Event, Fault, Point
from tests.unit.worker.jobs.conversation_model import BrokenPromiseError, Mail, new_model, random_steps
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Result
from webordinary.protocol.change_life import Event as LifeEvent
from webordinary.protocol.change_life import Made, Undone
from webordinary.steps import control
from webordinary_worker.git.main_branch import MainBranch
from webordinary_worker.git.thread_commits import ThreadCommits
from webordinary_worker.jobs import earlier_work, job_run
from webordinary_worker.jobs.commands import publish
from webordinary_worker.jobs.job_context import JobContext

pytestmark = [pytest.mark.usefixtures("memory_aws"), pytest.mark.exhaustive]
CONVERSATIONS = 20
EDIT, UNDO, PUBLISH, UNPUBLISH, QUESTION = (
    (mail, NO_FAULT) for mail in (Mail.EDIT, Mail.UNDO, Mail.PUBLISH, Mail.UNPUBLISH, Mail.QUESTION)
)


def first_violation(folder: Path, *known: tuple[Mail, Fault]) -> str:
    conversations = itertools.chain([[*known]], map(random_steps, range(CONVERSATIONS)))
    for number, steps in enumerate(conversations):
        try:
            new_model(folder / str(number)).converse(steps)
        except BrokenPromiseError as broken:
            return str(broken)
    return "no violation found"


def test_finds_publish_that_does_not_look_at_the_preview(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bait and switch: the branch goes live, whatever its preview shows."""
    monkeypatch.setattr(publish, "_show_preview_first", lambda *_: None)

    violation = first_violation(tmp_path, EDIT, (Mail.EDIT, Fault(Event.LOST, Point.DEPLOY)), PUBLISH)

    assert "the preview never showed what is live" in violation


def test_finds_interrupted_work_that_goes_live_unseen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer to the newer mail does not mention it, no preview shows it, and a publish takes it along."""
    monkeypatch.setattr(earlier_work, "settle", lambda _context, outcome: outcome)
    monkeypatch.setattr(earlier_work, "resume", lambda *_: None)
    monkeypatch.setattr(publish, "_show_preview_first", lambda *_: None)

    violation = first_violation(tmp_path, (Mail.EDIT, DURING_BUILD), QUESTION, PUBLISH)

    assert "the answer does not say what happened to mail-1" in violation


def test_finds_interrupted_work_that_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def discard(run: job_run.JobRun) -> None:
        run._discard_unpushed()
        run._handed_over = True

    monkeypatch.setattr(job_run.JobRun, "keep_partial_work", discard)

    violation = first_violation(tmp_path, (Mail.EDIT, DURING_BUILD), EDIT)

    assert "the answer does not say what happened to mail-1" in violation


def test_finds_status_derived_from_commit_subjects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def by_subject(self: ThreadCommits) -> list[LifeEvent]:
        return [Made(one.commit, one.name) for one in reversed(self) if not one.subject.startswith("Revert")]

    monkeypatch.setattr(ThreadCommits, "events", by_subject)

    violation = first_violation(tmp_path, EDIT, UNDO)

    assert "status and git disagree" in violation


def test_finds_status_that_knows_changes_of_edits_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def of_edits(outcome: Outcome) -> Iterator[LifeEvent]:
        if outcome.result is Result.CHANGED and outcome.commit is not None:
            yield Made(outcome.commit, outcome.subject)
        if outcome.undone is not None:
            yield Undone(outcome.undone)

    monkeypatch.setattr(control, "_events_of", of_edits)

    violation = first_violation(tmp_path, (Mail.EDIT, DURING_BUILD), QUESTION)

    assert "status and git disagree" in violation


def test_finds_publish_that_does_nothing_after_an_unpublish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dead end: what was taken off cannot go live again."""
    monkeypatch.setattr(MainBranch, "find_unpublished", lambda *_: [])

    violation = first_violation(tmp_path, EDIT, PUBLISH, UNPUBLISH, PUBLISH)

    assert "it says live, and the live site shows something else" in violation


def test_finds_answers_that_forget_a_change_whose_job_was_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JobContext, "is_reported", lambda *_: True)

    violation = first_violation(tmp_path, (Mail.EDIT, Fault(Event.LOST, Point.REPORT)), PUBLISH)

    assert "the preview never showed what is live" in violation or "status and git disagree" in violation
