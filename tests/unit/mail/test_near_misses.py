"""A mistyped command is recognised, an ordinary short mail is not one."""

from __future__ import annotations

import pytest

from webordinary.answers.languages import MODULES, language_of
from webordinary.contract.outcomes import Command
from webordinary.mail.commands.near_misses import WORDS, near_command


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("pubish", Command.PUBLISH),
        ("Publihs.", Command.PUBLISH),
        ("pubblish", Command.PUBLISH),
        ("Perfect, piblish please", Command.PUBLISH),
        ("unpublsh", Command.UNPUBLISH),
        ("unod", Command.UNDO),
        ("undoo", Command.UNDO),
        ("staus", Command.STATUS),
        ("sotp", Command.STOP),
        ("veröfentlichen", Command.PUBLISH),
        ("Guten Tag,\n\nrückgänig\n\nDanke", Command.UNDO),
        ("publicr", Command.PUBLISH),
        ("opulbikuj", Command.PUBLISH),
    ],
)
def test_one_slip_of_a_finger_is_recognised(text: str, command: Command) -> None:
    assert near_command(text) is command


@pytest.mark.parametrize(
    "text",
    [
        *(
            "publish",
            "undo",
            "Polish",
            "public",
            "publisher",
            "published",
            "Publishing",
            "Shop",
            "step",
            "store",
            "spot",
        ),
        *("statue", "statues", "stopped", "undid", "Pubblico", "ripristino", "republish", "blue", "yes", "No.", "Home"),
        *("pubish the menu", "change pubish to publish", "pubish, and make it blue", "", "公開"),
    ],
)
def test_ordinary_short_mail_is_no_near_miss(text: str) -> None:
    assert near_command(text) is None


def test_every_offered_single_word_has_near_misses() -> None:
    offered = {
        (command, word)
        for code in MODULES
        for command, word in language_of(code).words.items()
        if word.isascii() and " " not in word and len(word) > 6
    }

    assert {(command, word) for command, words in WORDS.items() for word in words.split()} >= offered
