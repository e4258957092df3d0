"""Mails are matched to threads of their own pair only."""

import re
import secrets
from typing import Any

import pytest

from tests.support.world import PAIR, World
from webordinary.contract.messages.base import Pair
from webordinary.contract.thread_tokens import new_thread_id
from webordinary.contract.values import pattern
from webordinary.tables import threads
from webordinary.tables.threads import Thread

GARDEN = Pair(project="garden", user="bob")


def test_reply_finds_the_thread_of_its_message_id(world: World) -> None:
    thread = world.threads.open(PAIR, "<first@example.com>")

    assert world.threads.of_messages(["<unknown@example.com>", "<first@example.com>"], [PAIR]) == thread


def test_mail_parsed_twice_opens_one_thread(world: World) -> None:
    first = world.threads.open(PAIR, "<first@example.com>")
    second = world.threads.open(PAIR, "<first@example.com>")

    assert second == first


def test_message_id_stays_with_its_first_thread(world: World) -> None:
    first = world.threads.open(PAIR, "<first@example.com>")
    other = world.threads.open(PAIR, "<other@example.com>")

    world.threads.remember(other, "<first@example.com>")

    assert world.threads.of_messages(["<first@example.com>"], [PAIR]) == first


def test_message_id_of_another_pair_opens_a_new_thread(world: World) -> None:
    theirs = world.threads.open(GARDEN, "<shared@example.com>")
    ours = world.threads.open(PAIR, "<shared@example.com>")

    assert ours.pair == PAIR
    assert ours.thread_id != theirs.thread_id
    assert world.threads.of_messages(["<shared@example.com>"], [PAIR]) == ours
    assert world.threads.of_messages(["<shared@example.com>"], [GARDEN]) == theirs


def test_thread_is_returned_to_its_own_pair_only(world: World) -> None:
    theirs = world.threads.open(GARDEN, "<garden@example.com>")

    assert world.threads.get(theirs.thread_id, [PAIR]) is None
    assert world.threads.of_messages(["<garden@example.com>"], [PAIR]) is None
    assert world.threads.get(theirs.thread_id, [PAIR, GARDEN]) == theirs


def test_message_id_of_any_length_can_be_stored(world: World) -> None:
    long = "<" + "x" * 5000 + "@example.com>"

    assert world.threads.of_messages([long], [PAIR]) is None
    assert world.threads.open(PAIR, long) == world.threads.of_messages([long], [PAIR])


def test_thread_ids_are_safe_and_unique() -> None:
    ids = {new_thread_id(secrets.token_bytes, PAIR.key) for _ in range(1000)}

    assert len(ids) == 1000
    assert all(re.match(pattern("thread"), thread_id) for thread_id in ids)


def fingerprints_in(world: World, thread: Thread) -> list[tuple[str, bytes]]:
    found = world.threads.get(thread.thread_id, [PAIR])
    assert found is not None
    return [(one.name, one.words) for one in found.fingerprints]


def test_fingerprints_are_stored_once_per_mail(world: World) -> None:
    thread = world.threads.open(PAIR, "<1@example.com>")

    for name, words in (("mail-1", b"first!"), ("answer-1", b"second"), ("mail-1", b"first!")):
        world.threads.store_fingerprints(thread, name, words, by_us=name.startswith("answer"))
        world.clock.advance(1)

    assert sorted(fingerprints_in(world, thread)) == [("answer-1", b"second"), ("mail-1", b"first!")]


def test_fingerprints_before_leaves_out_the_mail_itself(world: World) -> None:
    thread = world.threads.open(PAIR, "<1@example.com>")
    for name in ("mail-1", "mail-2"):
        world.threads.store_fingerprints(thread, name, b"words!", by_us=False)
    found = world.threads.get(thread.thread_id, [PAIR])

    assert found is not None
    assert [one.name for one in found.fingerprints_before("mail-2")] == ["mail-1"]


def test_oldest_fingerprints_are_removed_beyond_the_limit(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "MAX_FINGERPRINT_BYTES", 20)
    thread = world.threads.open(PAIR, "<1@example.com>")

    for number in range(5):
        current = world.threads.get(thread.thread_id, [PAIR])
        assert current is not None
        world.threads.store_fingerprints(current, f"mail-{number}", b"6bytes", by_us=False)
        world.clock.advance(1)

    assert [name for name, _ in fingerprints_in(world, thread)] == ["mail-2", "mail-3", "mail-4"]


def test_fingerprints_of_a_missing_or_old_thread_are_ignored(world: World) -> None:
    world.threads.store_fingerprints(Thread("z" * 26, PAIR), "mail-1", b"words!", by_us=False)

    assert world.threads.get("z" * 26, [PAIR]) is None


def test_belongs_to_reads_no_content_of_the_thread(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The broker's policy allows this query only: terraform/modules/functions/live_previews.tf."""
    thread_id = world.threads.open(PAIR, "<first@example.com>").thread_id
    queries: list[dict[str, Any]] = []
    query = world.dynamodb.query

    def watched(**given: Any) -> Any:
        queries.append(given)
        return query(**given)

    monkeypatch.setattr(world.dynamodb, "query", watched)

    assert world.threads.belongs_to(thread_id, PAIR)
    assert not world.threads.belongs_to(thread_id, Pair(project="garden", user="bob"))
    assert not world.threads.belongs_to("c" * 26, PAIR)
    assert {(one["Select"], one["ProjectionExpression"]) for one in queries} == {("SPECIFIC_ATTRIBUTES", "projectKey")}
