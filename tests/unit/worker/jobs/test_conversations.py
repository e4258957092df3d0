"""Random conversations with faults at each point: every answer is true, and nothing unseen goes live."""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from moto.moto_api._internal.models import moto_api_backend

from tests.support.world import World
from tests.unit.worker.jobs.conversation_model import ConversationModel, Fault, Mail
from webordinary.contract.outcomes import EarlierFate, Failure, Result

# The fast form takes about 20 s on one core. WEBORDINARY_CONVERSATIONS sets the number of random conversations.
CONVERSATIONS = int(os.environ.get("WEBORDINARY_CONVERSATIONS", "3"))
STEPS = st.tuples(st.sampled_from([*Mail, Mail.EDIT, Mail.EDIT, Mail.PUBLISH]), st.sampled_from([*Fault, Fault.NONE]))


@pytest.fixture
def model(tmp_path: Path, world: World) -> ConversationModel:
    return new_model(tmp_path, world)


def new_model(folder: Path, world: World) -> ConversationModel:
    bucket = world.names.bucket("sites")
    world.s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    world.onboard()
    return ConversationModel(folder, world)


@pytest.mark.parametrize("fault", [Fault.INTERRUPT_AGENT, Fault.INTERRUPT_BUILD])
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
    model.send(Mail.EDIT, Fault.INTERRUPT_BUILD)

    undone = model.send(Mail.UNDO)

    assert (undone.result, undone.subject) == (Result.UNDONE, "add line-2")
    assert list(model.status()) == ["line-1"]


def test_undo_of_a_mail_that_changed_nothing_keeps_the_change_before(model: ConversationModel) -> None:
    model.send(Mail.EDIT)
    model.send(Mail.EDIT, Fault.INTERRUPT_START)

    undone = model.send(Mail.UNDO)

    assert (undone.result, [work.fate for work in undone.earlier]) == (
        Result.NOTHING_CHANGED,
        [EarlierFate.NOT_STARTED],
    )
    assert list(model.status()) == ["line-1"]


def test_two_interrupts_in_a_row_lose_neither_request(model: ConversationModel) -> None:
    model.send(Mail.EDIT, Fault.INTERRUPT_START)
    model.send(Mail.EDIT, Fault.INTERRUPT_BUILD)

    last = model.send(Mail.EDIT)

    assert {work.job_id: work.fate for work in last.earlier} == dict.fromkeys(
        ("mail-1", "mail-2"), EarlierFate.INCLUDED
    )
    assert model.page("preview") == "first line\nline-1\nline-2\nline-3\n"


def test_partial_work_that_does_not_build_is_removed(model: ConversationModel) -> None:
    model.send(Mail.BROKEN, Fault.INTERRUPT_AGENT)

    newer = model.send(Mail.QUESTION)

    assert [work.fate for work in newer.earlier] == [EarlierFate.REMOVED]
    assert model.page("branch") == "first line\n"


def test_change_that_could_not_be_deployed_is_reverted(model: ConversationModel) -> None:
    failed = model.send(Mail.EDIT, Fault.DEPLOY_FAILS)

    assert (failed.failure, model.page("branch")) == (Failure.INTERNAL, "first line\n")
    assert model.send(Mail.EDIT).result is Result.CHANGED


def test_change_of_a_lost_job_is_named_by_the_next_answer(model: ConversationModel) -> None:
    model.send(Mail.EDIT, Fault.LOST_AFTER_PUSH)

    question = model.send(Mail.QUESTION)

    assert [(work.subject, work.fate) for work in question.earlier] == [("line-1", EarlierFate.SEPARATE)]
    assert list(model.status()) == ["line-1"]


def test_change_lives_through_publish_unpublish_publish_and_undo(model: ConversationModel) -> None:
    results = [model.send(mail).result for mail in (Mail.EDIT, Mail.PUBLISH, Mail.UNPUBLISH, Mail.PUBLISH, Mail.UNDO)]

    assert results[1:] == [Result.PUBLISHED, Result.UNPUBLISHED, Result.PUBLISHED, Result.UNDONE]


@pytest.mark.usefixtures("memory_aws")
def test_random_conversations_keep_every_promise(tmp_path: Path) -> None:
    numbers = count(1)

    @settings(
        max_examples=CONVERSATIONS,
        deadline=None,
        derandomize=True,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(STEPS, min_size=4, max_size=6))
    def converse(steps: list[tuple[Mail, Fault]]) -> None:
        folder = tmp_path / str(next(numbers))
        folder.mkdir()
        moto_api_backend.reset()  # state of the conversation before
        model = new_model(folder, World())
        for mail, fault in steps:
            model.send(mail, fault)

    converse()
