"""A change is named by what changed, never by the mail's greeting."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.world import World
from tests.unit.worker.small_site import PAGE, SmallSite, run_job
from webordinary.mail.commands.request_name import request_name
from webordinary_worker.agent.result import AgentResult
from webordinary_worker.agent.statement import Statement, StatementKind


def changing(title: str) -> object:
    def work(_prompt: str, tree: Path) -> AgentResult:
        (tree / PAGE).write_text("first line\n<p>open from 9 am to noon</p>\n")
        return AgentResult(statement=Statement(kind=StatementKind.RESULT, language="en", title=title))

    return work


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("New opening hours", "New opening hours"),
        (" \u201cNew opening\u0000\nhours\u201d. ", "New opening hours"),
        ("", "open from 9 am to noon"),
        ("Hello,", "open from 9 am to noon"),
        ("Guten Tag,", "open from 9 am to noon"),
    ],
)
def test_change_has_the_agents_title_or_the_changed_words(site: SmallSite, world: World, title: str, name: str) -> None:
    site.agent = changing(title)  # type: ignore[assignment]

    outcome = run_job(world.job(instruction="Hello,\nplease change the hours."), site.worker())

    assert outcome.subject == site.subjects()[0] == name


def test_replaced_words_are_named_before_and_after(site: SmallSite, world: World) -> None:
    site.agent = changing("")  # type: ignore[assignment]
    run_job(world.job("mail-1"), site.worker())

    def correct(_prompt: str, tree: Path) -> AgentResult:
        (tree / PAGE).write_text("first line\n<p>open from 10 am to noon</p>\n")
        return AgentResult()

    site.agent = correct

    assert run_job(world.job("mail-2"), site.worker()).subject == "9 → 10"


def test_long_title_is_cut(site: SmallSite, world: World) -> None:
    site.agent = changing("word " * 39)  # type: ignore[assignment]

    assert len(run_job(world.job(), site.worker()).subject) <= 72


@pytest.mark.parametrize("greeting", ["Hello,", "Guten Tag,", "Hi Tom!", "Bonjour,", "Dear team,"])
def test_request_is_not_named_by_its_greeting(greeting: str) -> None:
    assert request_name(f"{greeting}\n\nChange the hours.") == "Change the hours."


def test_request_of_a_greeting_only_keeps_it() -> None:
    assert request_name("Hello,", "") == "Hello,"
