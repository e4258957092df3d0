"""Random conversations with faults at each point: every answer is true, and nothing unseen goes live."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.unit.worker.jobs.conversation_faults import (
    AT_START,
    DURING_AGENT,
    DURING_BUILD,
    Event,
    Fault,
    Point,
)
from tests.unit.worker.jobs.conversation_model import ConversationModel, Mail, new_model, random_steps
from webordinary.contract.outcomes import EarlierFate, Failure, Result

# The number of random conversations in make test-all. make test holds the first one.
CONVERSATIONS = int(os.environ.get("WEBORDINARY_CONVERSATIONS", "6"))


@pytest.fixture
def model(tmp_path: Path, memory_aws: None) -> ConversationModel:
    return new_model(tmp_path / "one")


@pytest.mark.parametrize("fault", [DURING_AGENT, DURING_BUILD])
@pytest.mark.parametrize("mail", [Mail.REFUSAL, Mail.QUESTION, Mail.PUBLISH, Mail.BROKEN])
def test_interrupted_change_is_on_the_preview_and_in_the_answer_before_it_is_live(
    model: ConversationModel, mail: Mail, fault: Fault
) -> None:
    model.send(Mail.EDIT, fault)

    newer = model.send(mail)
    assert [(work.request, work.fate) for work in newer.earlier] == [("add line-1", EarlierFate.SEPARATE)]
    assert newer.preview_url is not None
    assert list(model.status()) == ["line-1"]

    assert (model.send(Mail.PUBLISH).result, model.page("live")) == (Result.PUBLISHED, "first line\nline-1\n")


def test_undo_takes_back_the_interrupted_change_first(model: ConversationModel) -> None:
    model.send(Mail.EDIT)
    model.send(Mail.EDIT, DURING_BUILD)

    undone = model.send(Mail.UNDO)

    assert (undone.result, undone.subject) == (Result.UNDONE, "add line-2")
    assert list(model.status()) == ["line-1"]


def test_undo_of_a_mail_that_changed_nothing_keeps_the_change_before(model: ConversationModel) -> None:
    model.send(Mail.EDIT)
    model.send(Mail.EDIT, AT_START)

    undone = model.send(Mail.UNDO)

    assert (undone.result, [work.fate for work in undone.earlier]) == (
        Result.NOTHING_CHANGED,
        [EarlierFate.NOT_STARTED],
    )
    assert list(model.status()) == ["line-1"]


def test_two_interrupts_in_a_row_lose_neither_request(model: ConversationModel) -> None:
    model.send(Mail.EDIT, AT_START)
    model.send(Mail.EDIT, DURING_BUILD)

    last = model.send(Mail.EDIT)

    assert {work.job_id: work.fate for work in last.earlier} == dict.fromkeys(
        ("mail-1", "mail-2"), EarlierFate.INCLUDED
    )
    assert model.page("preview") == "first line\nline-1\nline-2\nline-3\n"


def test_partial_work_that_does_not_build_is_removed(model: ConversationModel) -> None:
    model.send(Mail.BROKEN, DURING_AGENT)

    newer = model.send(Mail.QUESTION)

    assert [work.fate for work in newer.earlier] == [EarlierFate.REMOVED]
    assert model.page("branch") == "first line\n"


def test_change_that_could_not_be_deployed_is_reverted(model: ConversationModel) -> None:
    failed = model.send(Mail.EDIT, Fault(Event.FAILS, Point.DEPLOY))

    assert (failed.failure, model.page("branch")) == (Failure.INTERNAL, "first line\n")
    assert model.send(Mail.EDIT).result is Result.CHANGED


def test_change_of_a_lost_job_is_named_by_the_next_answer(model: ConversationModel) -> None:
    model.send(Mail.EDIT, Fault(Event.LOST, Point.DEPLOY))

    question = model.send(Mail.QUESTION)

    assert [(work.subject, work.fate) for work in question.earlier] == [("line-1", EarlierFate.SEPARATE)]
    assert list(model.status()) == ["line-1"]


def test_deployed_change_of_a_lost_job_is_reported_once_before_it_goes_live(model: ConversationModel) -> None:
    model.send(Mail.EDIT, Fault(Event.LOST, Point.REPORT))

    publish = model.send(Mail.PUBLISH)
    assert (publish.result, [work.subject for work in publish.earlier]) == (Result.PREVIEW_CHANGED, ["line-1"])
    assert model.page("live") == "first line\n"

    assert (model.send(Mail.PUBLISH).result, model.page("live")) == (Result.PUBLISHED, "first line\nline-1\n")
    assert model.send(Mail.QUESTION).earlier == ()


@pytest.mark.parametrize("fault", [DURING_BUILD, AT_START, Fault(Event.LOST, Point.DEPLOY)])
def test_unpublish_settles_what_earlier_jobs_have_left(model: ConversationModel, fault: Fault) -> None:
    for mail in (Mail.EDIT, Mail.PUBLISH):
        model.send(mail)
    model.send(Mail.EDIT, fault)

    unpublished = model.send(Mail.UNPUBLISH)

    fate = EarlierFate.NOT_STARTED if fault == AT_START else EarlierFate.SEPARATE
    assert (unpublished.result, [work.fate for work in unpublished.earlier]) == (Result.UNPUBLISHED, [fate])


def test_change_lives_through_publish_unpublish_publish_and_undo(model: ConversationModel) -> None:
    results = [model.send(mail).result for mail in (Mail.EDIT, Mail.PUBLISH, Mail.UNPUBLISH, Mail.PUBLISH, Mail.UNDO)]

    assert results[1:] == [Result.PUBLISHED, Result.UNPUBLISHED, Result.PUBLISHED, Result.UNDONE]


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(1, CONVERSATIONS))]
)
def test_random_conversation_keeps_every_promise(model: ConversationModel, seed: int) -> None:
    model.converse(random_steps(seed))
