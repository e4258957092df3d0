"""The demo fails unless the reply, the page that it links to, and the branch say that the change is made."""

from __future__ import annotations

import io
import socket
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import pytest

from local import demo
from local.operators_package import Connection, Deployment
from local.page.conversations import LocalMailbox, Mail
from local.page.live_previews import LivePreviews
from local.page.site_files import Previews
from local.page.web import ComposeForm, PageContent, PageServer
from local.runtime.events import Events
from local.runtime.terminal import new_console
from local.stack.observed_state import ObservedState
from tests.support.world import World
from webordinary.answers.as_text import as_text
from webordinary.answers.facts import Facts
from webordinary.answers.job_answers import answer_to_job
from webordinary.contract.messages.outcome import Outcome
from webordinary.contract.outcomes import Failure, Result

BEFORE, AFTER = f"<dd>{demo.OLD_WORDS}</dd>", f"<dd>{demo.NEW_WORDS}</dd>"
MADE = ObservedState("thread-a", f"--- a/index\n+++ b/index\n-{BEFORE}\n+{AFTER}\n", AFTER, BEFORE)
CHANGED = Outcome(state="done", result=Result.CHANGED, summary=f"It says “{demo.NEW_WORDS}” now.")


def reply(world: World, outcome: Outcome) -> Mail:
    text = as_text(answer_to_job(world.job(), outcome, Facts(preview="http://a--bakery.localhost:8025/")))
    return Mail("out", "<reply@x>", ("<mail@x>",), "Re: hours", "edit@x", "ada@x", text, None, datetime.now(UTC))


def verdict(observed: ObservedState, replies: list[Mail], linked_page: str) -> tuple[int, str]:
    output = io.StringIO()
    code = demo.conclude(new_console(output), demo.checks_of(observed, replies, linked_page), 1.0, Path("/logs"))
    return code, output.getvalue()


def test_demo_passes_if_the_change_is_made(world: World) -> None:
    code, output = verdict(MADE, [reply(world, CHANGED)], AFTER)

    assert (code, "NO " in output) == (0, False)


@pytest.mark.parametrize("failure", Failure)
def test_demo_fails_if_the_reply_is_about_a_failure(world: World, failure: Failure) -> None:
    """Also if the job pushed and deployed the change before it failed."""
    code, output = verdict(MADE, [reply(world, Outcome(state="failed", failure=failure))], AFTER)

    assert code == 1
    assert "The demo failed\nNot true: the reply says that the change is made." in output


@pytest.mark.parametrize("result", [Result.ASKED, Result.NOTHING_CHANGED])
def test_demo_fails_if_the_reply_is_not_about_a_change(world: World, result: Result) -> None:
    assert verdict(MADE, [reply(world, Outcome(state="done", result=result))], AFTER)[0] == 1


@pytest.mark.parametrize(
    ("observed", "linked_page", "problem"),
    [
        (MADE, "", "the page that the reply links to shows"),
        (MADE, BEFORE, "the page that the reply links to shows"),
        (MADE, BEFORE + AFTER, "the page that the reply links to shows"),
        (replace(MADE, page=BEFORE), AFTER, "the deployed preview shows"),
        (replace(MADE, page=""), AFTER, "the deployed preview shows"),
        (replace(MADE, source_before=AFTER), AFTER, "the main branch still shows"),
        (replace(MADE, diff=""), AFTER, "branch thread-a on the remote has the commit"),
        (replace(MADE, diff=f"+{AFTER}"), AFTER, "branch thread-a on the remote has the commit"),
    ],
)
def test_demo_fails_if_the_page_did_not_change(
    world: World, observed: ObservedState, linked_page: str, problem: str
) -> None:
    code, output = verdict(observed, [reply(world, CHANGED)], linked_page)

    assert code == 1
    assert f"Not true: {problem}" in output
    assert "/logs" in output


@pytest.mark.parametrize("count", [0, 2])
def test_demo_fails_unless_there_is_one_reply(world: World, count: int) -> None:
    code, output = verdict(MADE, [reply(world, CHANGED)] * count, AFTER)

    assert code == 1
    assert "Not true: exactly one reply was sent" in output


def test_linked_page_is_read_from_the_page_server() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    server = PageServer(listener)
    server.start(
        PageContent(
            deployment=Deployment(Connection("local", "none", "us-east-1", endpoint="http://127.0.0.1:9")),
            compose=ComposeForm(("ada@example.com",), "edit@mail.example.com", "an example"),
            mailbox=LocalMailbox(),
            events=Events(),
            previews=cast(Previews, None),
            live_previews=cast(LivePreviews, None),
            send=lambda mail: str(mail.message_id),
        )
    )
    try:
        port = listener.getsockname()[1]
        assert "<html" in demo.fetch(f"http://localhost:{port}/mailbox", server.address)
        assert demo.fetch(f"http://localhost:{port}/missing", server.address) == ""
    finally:
        server.stop()
    assert demo.fetch(f"http://localhost:{port}/", server.address) == ""
