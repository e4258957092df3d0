"""Links in an agent's text lead to the project's own hosts or are defanged."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import unquote

import pytest

from tests.support.world import World
from webordinary.answers.as_html import as_html
from webordinary.answers.as_text import as_text
from webordinary.answers.facts import Facts
from webordinary.answers.foreign_links import defang_foreign_links
from webordinary.answers.job_answers import answer_to_job
from webordinary.contract.messages.outcome import NotDone, Outcome

OWN = ("bakery.example.com", "t1--bakery.preview.example.com")

# What mail clients turn into links.
CLICKABLE = re.compile(
    r"(?:https?://|www\.|javascript:|data:|mailto:)\S|\b[\w-]+(?:\.[\w-]+)*\.(?:com|net|example|org)\b"
)


def as_read(text: str) -> str:
    """Text as a lenient mail client reads it: decoded, in compatible characters."""
    return unicodedata.normalize("NFKC", unquote(text)).replace("\u3002", ".")


@pytest.mark.parametrize(
    "text",
    [
        "Log in at https://evil.example/login please.",
        "Log in at HTTPS://EVIL.EXAMPLE",
        "See www.evil.example.",
        "See evil.net/path?x=1#y",
        "[our page](https://evil.example/x)",
        "![](https://evil.example/pixel.png)",
        "https://bakery.example.com@evil.example/",
        "https://evil.example/?u=https://evil.example.net",
        "https://bakery.example.com.evil.example/",
        "https://evilbakery.example.org/",
        "ftp://evil.example/file",
        "javascript:alert(1)",
        "data:text/html,hello",
        "Write to ceo@evil.example",
        "mailto:ceo@evil.example",
        "(https://evil.example)",
        "<https://evil.example>",
        "https://evil.example:8443/x",
        "http://evil.example\nhttp://evil.net",
        "https://evil%2eexample/x",
        "https://evil\u3002example/x",
        "https://3232235777/x",
        "https://0x7f.1/x",
        "http://[2001:db8::1]/x",
        "https:\\\\evil.example",
        "\uff48\uff54\uff54\uff50\uff53\uff1a\uff0f\uff0fevil.example",
        "https://bakery%2eexample.com/x",
        "evil%2eexample/x",
        "evil.example\\x",
        "\\\\evil.example\\share",
        "evil\uff0ecom/x",
        "evil\u3002com/x",
        "evil\u2024com/x",
    ],
)
def test_foreign_links_are_defanged(text: str) -> None:
    assert CLICKABLE.search(as_read(defang_foreign_links(text, OWN))) is None


@pytest.mark.parametrize(
    "text",
    [
        "I changed the hours in src/pages/index.astro and style.css.",
        "It is live at https://bakery.example.com/menu?day=1#top now.",
        "Look at https://t1--bakery.preview.example.com/.",
        "The price is 3.50 now, e.g. for rolls; version 1.2.3.",
        "bakery.example.com shows it.",
        "Öffnungszeiten: Mo. bis Fr. 8.30 bis 18 Uhr.",
        "",
    ],
)
def test_other_text_is_unchanged(text: str) -> None:
    assert defang_foreign_links(text, OWN) == text


def test_markdown_link_shows_its_target() -> None:
    assert defang_foreign_links("[our page](https://evil.example/x)", OWN) == "our page (evil[.]example/x)"


def test_answer_defangs_foreign_links_of_the_agent(world: World) -> None:
    outcome = Outcome(
        state="done",
        summary="Done. Log in at https://evil.example, or see https://bakery.example.com/menu.",
        question="Is https://evil.example/a right?",
        not_done=(NotDone(what="www.evil.example", why="evil.example is down"),),
    )
    answer = answer_to_job(world.job(), outcome, Facts(live="https://bakery.example.com/"))

    for text in (as_text(answer), as_html(answer)):
        assert "https://bakery.example.com/menu" in text
        assert not re.findall(r"https?://evil|www\.evil|evil\.example", text)


def test_defanging_hostile_text_terminates_quickly() -> None:
    for hostile in ("a." * 50_000, "[" * 20_000, "x@" * 20_000, "http://" * 20_000, "[](" * 20_000):
        assert len(defang_foreign_links(hostile, OWN)) >= len(hostile) // 2
