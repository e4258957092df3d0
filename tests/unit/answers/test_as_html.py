"""The HTML of a reply loads nothing, runs nothing and escapes untrusted text."""

from __future__ import annotations

import re

from tests.support.world import World
from webordinary.answers.as_html import as_html
from webordinary.answers.facts import Facts
from webordinary.answers.job_answers import answer_to_job
from webordinary.contract.messages.mail import Attachment, AttachmentRefusal
from webordinary.contract.messages.outcome import ChangedPage, NotDone, Outcome
from webordinary.contract.outcomes import AttachmentProblem, PageChange, Result

HOSTILE = "<script>alert(1)</script><img src=x onerror=y>\"'><a href='https://evil.example'>click</a>\x00\u202e"
FACTS = Facts(preview="https://a--bakery.example.com/")
ADDRESS = "edit+t-abc@edit.example.com"


def hostile_everywhere(world: World) -> str:
    page = ChangedPage(path=HOSTILE, change=PageChange.CHANGED, title=HOSTILE, before=HOSTILE, after=HOSTILE)
    refused = AttachmentRefusal(problem=AttachmentProblem.EMPTY)
    job = world.job(attachments=(Attachment(name=HOSTILE, refused=refused),))
    outcome = Outcome(
        state="done",
        result=Result.CHANGED,
        summary=HOSTILE,
        question=HOSTILE,
        not_done=(NotDone(what=HOSTILE, why=HOSTILE),),
        pages=(page,),
        running=(HOSTILE,),
        preview_url="https://a.example",
    )
    return as_html(answer_to_job(job, outcome, FACTS), ADDRESS)


def test_untrusted_text_is_escaped(world: World) -> None:
    html = hostile_everywhere(world)

    assert "<script" not in html
    assert set(re.findall(r"<(\w+)", html)) <= {
        *("html", "head", "meta", "style", "body", "div", "p", "a", "span", "br", "del", "ins"),
    }
    assert "\x00" not in html
    assert "\u202e" not in html


def test_links_lead_only_to_preview_and_reply_address(world: World) -> None:
    links = re.findall(r'href="([^"]*)"', hostile_everywhere(world))

    assert links[-1] == f"mailto:{ADDRESS}"
    assert all(link.startswith(FACTS.preview) for link in links[:-1])


def test_html_loads_no_external_resources(world: World) -> None:
    html = hostile_everywhere(world)

    assert not re.search(r"\bsrc=\"|url\(|@import|<link", html)


def test_html_supports_phones_and_dark_mode(world: World) -> None:
    html = as_html(answer_to_job(world.job(), Outcome(state="done"), FACTS))

    assert 'name="viewport"' in html
    assert "prefers-color-scheme:dark" in html
    assert 'lang="en"' in html
