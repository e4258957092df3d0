"""Addresses in the words of others are no links, and our own stay what they are."""

from __future__ import annotations

import re

import pytest

from tests.support.world import World
from webordinary.answers.as_html import as_html
from webordinary.answers.as_text import as_text
from webordinary.answers.compose import Facts, answer_to_job
from webordinary.answers.foreign_links import LONGEST, MARK, without_foreign_links
from webordinary.platform.messages import Outcome, Result

PREVIEW = "https://a--bakery.preview.example.com/"


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/login?a=b",
        "HTTP://EVIL.EXAMPLE",
        "//evil.example/x",
        "www.evil.example",
        "evil.example/path",
        "пример.рф",
        "mailto:mallory@evil.example",
        "mallory@evil.example",
        "javascript:alert(1)",
        "tel:+49123",
        f"https://evil.example/{PREVIEW}",
        "https://a--bakery.preview.example.com.evil.example/",
    ],
)
def test_a_foreign_address_is_read_and_not_followed(address: str) -> None:
    told = without_foreign_links(f"Please see {address} now", [PREVIEW])

    assert told.replace(MARK, "") == f"Please see {address} now"
    assert not re.search(r"\w[.:/@]\w|//", told)


@pytest.mark.parametrize("words", ["Open at 8.30, closed at 17:00.", "e. g. bread/cake", "Nr. 5", "and so on ..."])
def test_plain_words_stay_as_they_are(words: str) -> None:
    assert MARK not in without_foreign_links(words)


def test_our_own_address_stays_an_address() -> None:
    assert without_foreign_links(f"See {PREVIEW}menu/", ["", PREVIEW]) == f"See {PREVIEW}menu/"


def test_very_long_words_take_no_time_and_are_not_lost() -> None:
    long = "a." * LONGEST

    assert without_foreign_links(long).replace(MARK, "") == long


def test_what_the_agent_says_cannot_bring_a_link_into_an_answer(world: World) -> None:
    outcome = Outcome(
        state="done", result=Result.CHANGED, summary=f"Log in at https://evil.example, see {PREVIEW}menu/"
    )
    answer = answer_to_job(world.job(), outcome, Facts(preview=PREVIEW))

    for form in (as_text(answer), as_html(answer)):
        assert "evil.example" not in form
        assert f"{PREVIEW}menu/" in form
