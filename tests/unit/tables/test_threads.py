"""A conversation keeps its thread, and nobody can guess another one's."""

import re
import secrets

from tests.support.world import PAIR, World
from webordinary.platform.contract import pattern
from webordinary.platform.messages import Pair
from webordinary.platform.thread_tokens import new_thread_id

GARDEN = Pair(project="garden", user="bob")


def test_an_answer_finds_the_thread_of_the_mail_it_answers(world: World) -> None:
    thread = world.threads.open(PAIR, "<first@example.com>")

    assert world.threads.of_messages(["<unknown@example.com>", "<first@example.com>"], [PAIR]) == thread


def test_a_mail_that_is_read_twice_opens_one_thread(world: World) -> None:
    first = world.threads.open(PAIR, "<first@example.com>")
    second = world.threads.open(PAIR, "<first@example.com>")

    assert second == first


def test_a_message_belongs_to_the_thread_that_had_it_first(world: World) -> None:
    first = world.threads.open(PAIR, "<first@example.com>")
    other = world.threads.open(PAIR, "<other@example.com>")

    world.threads.remember(other, "<first@example.com>")

    assert world.threads.of_messages(["<first@example.com>"], [PAIR]) == first


def test_a_message_id_of_another_pair_opens_a_thread_of_its_own(world: World) -> None:
    theirs = world.threads.open(GARDEN, "<shared@example.com>")
    ours = world.threads.open(PAIR, "<shared@example.com>")

    assert ours.pair == PAIR
    assert ours.thread_id != theirs.thread_id
    assert world.threads.of_messages(["<shared@example.com>"], [PAIR]) == ours
    assert world.threads.of_messages(["<shared@example.com>"], [GARDEN]) == theirs


def test_a_thread_is_given_only_to_the_pair_that_it_belongs_to(world: World) -> None:
    theirs = world.threads.open(GARDEN, "<garden@example.com>")

    assert world.threads.get(theirs.thread_id, [PAIR]) is None
    assert world.threads.of_messages(["<garden@example.com>"], [PAIR]) is None
    assert world.threads.get(theirs.thread_id, [PAIR, GARDEN]) == theirs


def test_a_message_id_of_any_length_is_a_key(world: World) -> None:
    long = "<" + "x" * 5000 + "@example.com>"

    assert world.threads.of_messages([long], [PAIR]) is None
    assert world.threads.open(PAIR, long) == world.threads.of_messages([long], [PAIR])


def test_thread_ids_are_safe_and_never_repeat() -> None:
    ids = {new_thread_id(secrets.token_bytes) for _ in range(1000)}

    assert len(ids) == 1000
    assert all(re.match(pattern("thread"), thread_id) for thread_id in ids)
