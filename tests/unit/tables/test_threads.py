"""A conversation keeps its thread, and nobody can guess another one's."""

import re
import secrets

from tests.support.world import PAIR, World
from webordinary.platform.contract import pattern
from webordinary.platform.thread_tokens import new_thread_id


def test_an_answer_finds_the_thread_of_the_mail_it_answers(world: World) -> None:
    thread = world.threads.open(PAIR, "<first@example.com>")

    assert world.threads.of_messages(["<unknown@example.com>", "<first@example.com>"]) == thread


def test_a_mail_that_is_read_twice_opens_one_thread(world: World) -> None:
    first = world.threads.open(PAIR, "<first@example.com>")
    second = world.threads.open(PAIR, "<first@example.com>")

    assert second == first


def test_a_message_belongs_to_the_thread_that_had_it_first(world: World) -> None:
    first = world.threads.open(PAIR, "<first@example.com>")
    other = world.threads.open(PAIR, "<other@example.com>")

    world.threads.remember(other.thread_id, "<first@example.com>")

    assert world.threads.of_messages(["<first@example.com>"]) == first


def test_a_message_id_of_any_length_is_a_key(world: World) -> None:
    long = "<" + "x" * 5000 + "@example.com>"

    assert world.threads.of_messages([long]) is None
    assert world.threads.open(PAIR, long) == world.threads.of_messages([long])


def test_thread_ids_are_safe_and_never_repeat() -> None:
    ids = {new_thread_id(secrets.token_bytes) for _ in range(1000)}

    assert len(ids) == 1000
    assert all(re.match(pattern("thread"), thread_id) for thread_id in ids)
