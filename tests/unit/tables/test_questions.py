"""The record of a question, with conditional writes."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.support.world import PAIR, THREAD, World
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.job import Approval
from webordinary.tables.items import to_values
from webordinary.tables.questions import Question, QuestionState
from webordinary.tables.threads import Thread

ID, ASKED_IN = "q" * 26, "b" * 26
ZOE = Pair(project=PAIR.project, user="zoe")


@pytest.fixture
def question(world: World) -> Question:
    until = world.clock() + timedelta(days=7)
    return world.questions.ask(Question(ID, ZOE, ASKED_IN, Approval(thread_id=THREAD, commit="c0ffee"), until))


def test_question_is_read_as_it_was_asked(world: World, question: Question) -> None:
    assert world.questions.get(ID) == question
    assert world.questions.get("x" * 26) is None


def test_question_that_is_asked_again_stays_as_it_is(world: World, question: Question) -> None:
    assert world.questions.answer(ID, "mail-1")
    again = world.questions.ask(question._replace(thread_id="c" * 26))

    assert (again.thread_id, again.state, again.answered_by) == (ASKED_IN, QuestionState.ANSWERED, "mail-1")


@pytest.mark.usefixtures("question")
def test_question_is_answered_by_one_mail_only(world: World) -> None:
    assert [world.questions.answer(ID, mail) for mail in ("mail-1", "mail-2", "mail-1")] == [True, False, True]


@pytest.mark.usefixtures("question")
def test_closed_question_cannot_be_answered(world: World) -> None:
    world.questions.close([ID], "mail-1")

    assert not world.questions.answer(ID, "mail-2")
    assert not world.questions.answer(ID, "mail-1")


@pytest.mark.usefixtures("question")
def test_answered_question_cannot_be_closed(world: World) -> None:
    world.questions.answer(ID, "mail-1")
    world.questions.close([ID], "mail-2")

    assert world.questions.answer(ID, "mail-1")


def test_expired_question_counts_for_the_mail_that_answered_it(world: World, question: Question) -> None:
    world.clock.advance(timedelta(days=7).total_seconds())
    assert world.questions.answer(ID, "mail-1")
    world.clock.advance(1)

    assert [world.questions.answer(ID, mail) for mail in ("mail-1", "mail-2")] == [True, False]
    assert not question.is_open_for("mail-2", world.clock())


def test_answer_to_an_unknown_question_does_not_count(world: World) -> None:
    world.questions.close([ID], "mail-1")

    assert not world.questions.answer(ID, "mail-1")
    assert world.questions.get(ID) is None


def test_thread_names_its_questions_until_they_are_removed(world: World) -> None:
    thread = world.threads.open(PAIR, "<1@example.com>")
    for question_id in (ID, "r" * 26):
        assert world.threads.add_question(thread.thread_id, question_id, world.job())
    named = found(world, thread)
    assert world.threads.add_question(thread.thread_id, "s" * 26, world.job())
    world.threads.note_mail(named, "mail-2")

    assert named.questions == {ID, "r" * 26}
    assert found(world, thread).questions == {"s" * 26}


def test_question_is_not_named_if_a_mail_came_after_its_job(world: World) -> None:
    thread = world.threads.open(PAIR, "<1@example.com>")
    job = world.job("mail-1")
    world.threads.note_mail(thread, "mail-1")
    assert world.threads.add_question(thread.thread_id, ID, job)
    world.threads.note_mail(thread, "mail-2")

    assert not world.threads.add_question(thread.thread_id, "r" * 26, job)


def test_question_of_a_missing_thread_is_not_named(world: World) -> None:
    assert not world.threads.add_question(THREAD, ID, world.job())
    assert world.threads.get(THREAD, [PAIR]) is None


def test_thread_with_a_question_of_an_older_version_is_readable(world: World) -> None:
    item = {"pk": f"thread#{THREAD}", "projectKey": PAIR.key, "said": {}, "question": {"about": "{", "until": 1}}
    world.dynamodb.put_item(TableName=world.names.table("thread_mappings"), Item=to_values(item))

    thread = world.threads.get(THREAD, [PAIR])
    assert thread is not None
    assert (thread.has_old_question, thread.questions) == (True, frozenset())


def test_questions_of_a_removed_pair_are_deleted(world: World, question: Question) -> None:
    world.threads.forget(question.pair)

    assert world.questions.get(ID) is None


def found(world: World, thread: Thread) -> Thread:
    read = world.threads.get(thread.thread_id, [thread.pair])
    assert read is not None
    return read
