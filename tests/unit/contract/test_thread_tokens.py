"""Threads are identified by tokens that only we can create."""

from __future__ import annotations

import re

import pytest

from webordinary.contract import thread_tokens as tokens

SECRET = b"a secret of the tests"
THREAD = "abcdefghijklmnopqrstuvwxyz"


def test_new_thread_id_has_safe_characters() -> None:
    assert re.fullmatch(r"[a-z2-7]{26}", tokens.new_thread_id(lambda count: bytes(range(200, 200 + count)), "a#b"))


def test_thread_ids_depend_on_the_random_bytes() -> None:
    first = tokens.new_thread_id(lambda count: b"a" * count, "a#b")

    assert first != tokens.new_thread_id(lambda count: b"b" * count, "a#b")


@pytest.mark.parametrize("other", ["bakery#bob", "garden#ada", "bakery-ada#a", "baker#yada"])
def test_thread_id_begins_with_its_pair(other: str) -> None:
    thread_id = tokens.new_thread_id(lambda count: b"a" * count, "bakery#ada")

    assert thread_id.startswith(tokens.pair_prefix("bakery#ada"))
    assert tokens.is_thread_of(thread_id, "bakery#ada")
    assert not tokens.is_thread_of(thread_id, other)


@pytest.mark.parametrize(
    "text",
    [
        tokens.reply_address("bakery@example.org", THREAD, SECRET),
        tokens.reply_address("bakery+anna@example.org", THREAD, SECRET).upper(),
        f"> Have a look.\n>\n> {tokens.token_for(THREAD, SECRET)}\n",
    ],
    ids=["address", "upper-case address", "quoted footer"],
)
def test_token_is_found_in_any_text(text: str) -> None:
    assert tokens.find_thread([text], [SECRET]) == THREAD


def test_guessed_token_is_rejected() -> None:
    assert tokens.find_thread([f"<t-{THREAD}{'a' * 10}.1@example.org>"], [SECRET]) is None


def test_token_of_another_secret_is_rejected() -> None:
    assert tokens.find_thread([tokens.token_for(THREAD, b"another")], [SECRET]) is None


def test_first_text_with_a_valid_token_wins() -> None:
    texts = ["carla@example.com", tokens.token_for(THREAD, b"another"), tokens.token_for(THREAD, SECRET)]
    assert tokens.find_thread(texts, [SECRET]) == THREAD


def test_reply_address_is_within_the_mail_limits() -> None:
    assert len(tokens.reply_address("a-project-with-long-name@example.org", THREAD, SECRET).partition("@")[0]) <= 64


def test_address_and_tag_are_separated() -> None:
    assert tokens.without_tag("bakery+anna@example.org") == ("bakery@example.org", "anna")


def test_invalid_thread_id_gets_no_token() -> None:
    with pytest.raises(tokens.InvalidThreadIdError):
        tokens.token_for("../../etc", SECRET)


def test_only_tokens_of_the_last_two_secrets_are_valid() -> None:
    texts = [tokens.token_for(THREAD, SECRET)]

    assert tokens.find_thread(texts, [b"the new one", SECRET]) == THREAD
    assert tokens.find_thread(texts, [b"the newest", b"the new one"]) is None


def test_token_of_a_question_is_no_token_of_a_thread() -> None:
    question = tokens.token_for(THREAD, SECRET, tokens.QUESTION_MARK)
    thread = tokens.token_for(THREAD, SECRET)

    assert tokens.find_question([question], [SECRET]) == THREAD
    assert tokens.find_thread([question], [SECRET]) is None
    assert tokens.find_question([thread, f"q-{thread.removeprefix('t-')}"], [SECRET]) is None


def test_question_of_a_job_has_the_same_id_in_every_attempt() -> None:
    assert tokens.question_id("mail-1", "zoe") == tokens.question_id("mail-1", "zoe")
    assert len({tokens.question_id(job, user) for job in ("mail-1", "mail-2") for user in ("zoe", "yan")}) == 4
    tokens.token_for(tokens.question_id("mail-1", "zoe"), SECRET, tokens.QUESTION_MARK)
