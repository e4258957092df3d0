"""conversations: what the console lists, counted once, and never an obstacle for a mail."""

from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.support.world import PAIR, THREAD, World
from webordinary.contract.messages.base import Pair
from webordinary.contract.messages.outcome import Outcome, Usage
from webordinary.contract.outcomes import Result
from webordinary.tables.conversation_records import NotedMail, ReplyFacts
from webordinary.tables.conversations import KEPT, MAX_REPLY_BYTES
from webordinary.tables.items import from_item, to_values

CHANGED = ReplyFacts("changed", 0.25, "c0ffee")


def mail(world: World, job_id: str = "mail-1", **more: Any) -> NotedMail:
    return NotedMail.of_job(world.job(job_id, **more))


def test_mail_and_reply_become_a_conversation(world: World) -> None:
    noted = mail(world)
    world.conversations.note_mail(noted)
    open_summary = world.conversations.summary(THREAD)
    world.clock.advance(30)
    world.conversations.store_reply(noted, "I changed the hours.")
    world.conversations.note_reply(noted, CHANGED)

    summary = world.conversations.summary(THREAD)
    (found,) = world.conversations.mails(THREAD, 10)
    assert open_summary is not None
    assert open_summary.is_open
    assert summary is not None
    assert (summary.is_open, summary.result, summary.mails, summary.dollars) == (False, "changed", 1, 0.25)
    assert (summary.pair_key, summary.user, summary.subject) == ("bakery#ada", "ada", "Opening hours")
    assert (found.reply, found.result, found.commit) == ("I changed the hours.", "changed", "c0ffee")
    assert found.replied_at > found.received_at


def test_retried_steps_count_once(world: World) -> None:
    noted = mail(world)
    for _ in range(3):
        world.conversations.note_mail(noted)
    for _ in range(3):
        world.conversations.store_reply(noted, "Done.")
        world.conversations.note_reply(noted, CHANGED)

    summary = world.conversations.summary(THREAD)
    assert summary is not None
    assert (summary.mails, summary.waiting, summary.dollars) == (1, 0, 0.25)
    (hour,) = world.conversations.hours(world.clock().date()).values()
    assert (hour.mails, hour.replies, hour.dollars) == (1, 1, 0.25)


@pytest.mark.parametrize(("worked", "counted"), [(71.6, 72), (500.0, 90), (-1.0, 0)])
def test_hours_count_the_wait_and_the_work(world: World, worked: float, counted: int) -> None:
    """A worker's figure is its own claim: it never exceeds the time that passed."""
    noted = mail(world)
    world.conversations.note_mail(noted)
    world.clock.advance(90)
    outcome = Outcome(state="done", result=Result.CHANGED, usage=Usage(seconds=worked))

    world.conversations.note_reply(noted, ReplyFacts.of(outcome))

    (hour,) = world.conversations.hours(world.clock().date()).values()
    assert (hour.replies, hour.reply_seconds, hour.work_seconds) == (1, 90, counted)


def test_reply_of_an_unknown_mail_adds_the_mail(world: World) -> None:
    noted = mail(world)
    world.conversations.store_reply(noted, "Here is what I can do.")
    world.conversations.note_reply(noted, ReplyFacts("help"))

    summary = world.conversations.summary(THREAD)
    assert summary is not None
    assert (summary.mails, summary.waiting, summary.result) == (1, 0, "help")


def test_late_reply_to_an_older_mail_keeps_the_newest_result(world: World) -> None:
    first = mail(world)
    world.conversations.note_mail(first)
    world.clock.advance(60)
    second = mail(world, "mail-2")
    for noted in (second,):
        world.conversations.store_reply(noted, "Live.")
        world.conversations.note_reply(noted, ReplyFacts("published"))

    world.conversations.note_reply(first, CHANGED)

    summary = world.conversations.summary(THREAD)
    assert summary is not None
    assert (summary.result, summary.last_job, summary.waiting) == ("published", "mail-2", 0)
    assert [found.job_id for found in world.conversations.mails(THREAD, 10)] == ["mail-2", "mail-1"]


def test_lists_are_paged_by_index_newest_first(world: World) -> None:
    for number in range(5):
        world.clock.advance(60)
        world.conversations.note_mail(mail(world, f"mail-{number}", thread_id=f"{'abcde'[number]}" * 26))
    other = Pair(project="garden", user="bob")
    world.conversations.note_mail(mail(world, "mail-g", thread_id="f" * 26, pair=other))

    first = world.conversations.of_project("bakery", 3)
    rest = world.conversations.of_project("bakery", 3, first.next)
    today = world.conversations.of_day(world.clock().date(), 10)

    assert [one.last_job for one in (*first.found, *rest.found)] == ["mail-4", "mail-3", "mail-2", "mail-1", "mail-0"]
    assert rest.next is None
    assert len(today.found) == 6


def test_conversation_moves_to_the_day_of_its_last_mail(world: World) -> None:
    day = world.clock().date()
    world.conversations.note_mail(mail(world))
    world.clock.advance(86_400)
    world.conversations.note_mail(mail(world, "mail-2"))

    assert world.conversations.of_day(day, 10).found == ()
    assert len(world.conversations.of_day(day + timedelta(days=1), 10).found) == 1


def test_older_mails_of_a_conversation_are_paged(world: World) -> None:
    for number in range(4):
        world.clock.advance(60)
        world.conversations.note_mail(mail(world, f"mail-{number}"))

    newest = world.conversations.mails(THREAD, 2)
    older = world.conversations.mails(THREAD, 5, before=newest[-1].received_at)

    assert [one.job_id for one in (*newest, *older)] == ["mail-3", "mail-2", "mail-1", "mail-0"]


def test_long_reply_is_cut_to_what_an_item_takes(world: World) -> None:
    noted = mail(world)
    world.conversations.store_reply(noted, "ä" * 400_000)

    (found,) = world.conversations.mails(THREAD, 10)
    assert 0 < len(found.reply.encode()) <= MAX_REPLY_BYTES


def test_records_expire(world: World) -> None:
    noted = mail(world)
    world.conversations.store_reply(noted, "Done.")

    items = world.dynamodb.scan(TableName=world.names.table("conversations"))["Items"]
    expected = int((world.clock() + KEPT).timestamp())
    assert {from_item(item)["ttl"] for item in items} == {expected}


def test_forgotten_conversation_leaves_nothing(world: World) -> None:
    world.conversations.store_reply(mail(world), "Done.")

    world.conversations.forget(THREAD)

    assert world.conversations.summary(THREAD) is None
    assert world.conversations.mails(THREAD, 10) == []
    assert world.conversations.of_project(PAIR.project, 10).found == ()


def test_failed_note_does_not_stop_the_mail(world: World) -> None:
    world.dynamodb.delete_table(TableName=world.names.table("conversations"))
    noted = mail(world)

    world.conversations.store_reply(noted, "Done.")
    world.conversations.note_reply(noted, CHANGED)

    with pytest.raises(ClientError):
        world.conversations.summary(THREAD)


def test_facts_of_an_outcome() -> None:
    outcome = Outcome(state="done", result=Result.CHANGED, commit="c0ffee", usage=Usage(dollars=0.25))

    assert ReplyFacts.of(outcome) == CHANGED
    assert ReplyFacts.of(Outcome(state="preempted")).result == "preempted"


def test_dispatched_job_is_in_the_list_before_its_reply(world: World) -> None:
    world.onboard()
    world.dispatch(world.job())
    world.dispatch(world.job())  # retried

    (found,) = world.conversations.of_project("bakery", 10).found
    assert (found.last_job, found.mails, found.is_open) == ("mail-1", 1, True)


def test_silent_replay_is_not_listed(world: World) -> None:
    world.onboard()
    world.dispatch(world.job("mail-1-again-1", silent=True))

    assert world.conversations.of_project("bakery", 10).found == ()


def test_summary_with_missing_fields_is_readable(world: World) -> None:
    """A newer version may write a record in another way."""
    item = {"threadId": THREAD, "entry": "summary", "project": "bakery", "lastMailAt": "2026-01-05"}
    world.dynamodb.put_item(TableName=world.names.table("conversations"), Item=to_values(item))

    (found,) = world.conversations.of_project("bakery", 10).found
    assert (found.thread_id, found.mails, found.subject) == (THREAD, 0, "")
