"""Threads are recognised by tokens that nobody else can make."""

from __future__ import annotations

import re

import pytest

from webordinary.contract import thread_tokens as tokens

SECRET = b"a secret of the tests"
THREAD = "abcdefghijklmnopqrstuvwxyz"


def test_a_new_id_is_safe_everywhere() -> None:
    assert re.fullmatch(r"[a-z2-7]{26}", tokens.new_thread_id(lambda count: bytes(range(200, 200 + count))))


def test_ids_differ_where_the_randomness_does() -> None:
    assert tokens.new_thread_id(lambda count: b"a" * count) != tokens.new_thread_id(lambda count: b"b" * count)


@pytest.mark.parametrize(
    "place",
    [
        tokens.reply_address("bakery@example.org", THREAD, SECRET),
        tokens.reply_address("bakery+anna@example.org", THREAD, SECRET).upper(),
        f"> Have a look.\n>\n> {tokens.token_for(THREAD, SECRET)}\n",
    ],
    ids=["address", "shouted address", "quoted footer"],
)
def test_a_token_is_found_wherever_it_travels(place: str) -> None:
    assert tokens.find_thread([place], [SECRET]) == THREAD


def test_a_guessed_token_is_refused() -> None:
    assert tokens.find_thread([f"<t-{THREAD}{'a' * 10}.1@example.org>"], [SECRET]) is None


def test_a_token_made_with_another_secret_is_refused() -> None:
    assert tokens.find_thread([tokens.token_for(THREAD, b"another")], [SECRET]) is None


def test_the_first_place_with_a_genuine_token_wins() -> None:
    places = ["carla@example.com", tokens.token_for(THREAD, b"another"), tokens.token_for(THREAD, SECRET)]
    assert tokens.find_thread(places, [SECRET]) == THREAD


def test_an_address_with_a_token_keeps_within_what_mail_allows() -> None:
    assert len(tokens.reply_address("a-project-with-long-name@example.org", THREAD, SECRET).partition("@")[0]) <= 64


def test_an_address_is_told_from_its_tag() -> None:
    assert tokens.without_tag("bakery+anna@example.org") == ("bakery@example.org", "anna")


def test_no_token_is_made_for_something_else_than_a_thread() -> None:
    with pytest.raises(tokens.InvalidThreadIdError):
        tokens.token_for("../../etc", SECRET)


def test_a_token_of_the_secret_before_is_still_known_and_one_before_that_is_not() -> None:
    places = [tokens.token_for(THREAD, SECRET)]

    assert tokens.find_thread(places, [b"the new one", SECRET]) == THREAD
    assert tokens.find_thread(places, [b"the newest", b"the new one"]) is None
