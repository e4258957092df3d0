"""Somebody watches the agent work, in a browser, and looks again when everything is over."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from local.model.client import StandInClient
from local.model.steps import ScriptedStep, ToolCall, statement_call
from local.page.web import site_address
from local.stack.stack import Stack
from tests.e2e.conftest import ADA, TIMEOUT_SECONDS, MailSender
from tests.e2e.fleet import wait_until_nobody_works
from tests.e2e.site_client import fetch
from webordinary.browser import process
from webordinary.browser.browser import Browser
from webordinary.browser.chromium import Chromium
from webordinary.browser.pipe import BrowserError
from webordinary.browser.serving import serve_origins

PAGE = "src/pages/index.astro"
OLD, NEW = "8 am to 2 pm", "from eight to two"
WORDS = "Please write the hours in words, slowly."
# A page hears of changes once the site's server has said the first word to it; what changed before, it would miss.
HEARS = """
window.WebSocket = class extends WebSocket {
    constructor(...given) {
        super(...given);
        this.addEventListener("message", () => { window.hears = true; }, { once: true });
    }
};
"""
# What the browser is started with, and with what instead. Its requests are answered through a pipe, so a page does not
# look to it as if it came from this machine, where the connection on which it hears of changes leads.
OTHERWISE = {
    "--host-resolver-rules=MAP * ~NOTFOUND": "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE *.localhost",
    "--disable-features=": "--disable-features=LocalNetworkAccessChecks,",
}


@pytest.fixture
def shown_live(stack: Stack) -> Iterator[Stack]:
    """The stack, with workers that show what they do."""
    wait_until_nobody_works(stack)
    stack.workers.live_previews = True
    yield stack
    stack.workers.live_previews = False


@pytest.fixture
def open_browser(
    chromium: Chromium, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], Browser]]:
    """A browser that reaches the sites of this machine by itself as well: so a page hears of changes."""
    options = "\n".join(process.OPTIONS)
    for given, wanted in OTHERWISE.items():
        assert given in options
        options = options.replace(given, wanted)
    monkeypatch.setattr(process, "OPTIONS", tuple(options.split("\n")))
    opened: list[Browser] = []

    def open_browser(address: str) -> Browser:
        # As patient as a person's browser: what is asked for once in vain is not asked for again.
        serve = serve_origins({address}, at=("127.0.0.1", stack.page.port), seconds=TIMEOUT_SECONDS)
        opened.append(Browser(chromium, serve, seconds=4 * TIMEOUT_SECONDS).__enter__())
        opened[0]._call("Page.addScriptToEvaluateOnNewDocument", source=HEARS)
        return opened[0]

    yield open_browser
    for browser in opened:
        browser.__exit__(None, None, None)


@pytest.fixture
def held(model: StandInClient) -> Iterator[StandInClient]:
    """Whatever becomes of the test, no agent is left hanging, which would keep the pair from the tests after it."""
    yield model
    for _ in range(3):
        model.resume()


def wait_until(happened: Callable[[], bool], what: str, seen: Callable[[], object] = lambda: "") -> None:
    """`seen` is what there is instead."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not happened():
        assert time.monotonic() < deadline, f"{what}: {seen()}"
        time.sleep(0.1)


def test_an_edit_is_seen_while_the_agent_works_and_at_the_same_address_after_the_worker_has_gone(
    shown_live: Stack, post: MailSender, held: StandInClient, open_browser: Callable[[str], Browser]
) -> None:
    stack, model = shown_live, held
    read = ToolCall(name="Read", input={"file_path": PAGE})
    edit = ToolCall(name="Edit", input={"file_path": PAGE, "old_string": OLD, "new_string": NEW})
    model.script(
        ScriptedStep(tools=(read,), hang=300),
        ScriptedStep(tools=(edit,)),
        ScriptedStep(tools=(statement_call(),), hang=300),
        when=WORDS,
    )
    mail = post.send(ADA, WORDS)
    address = site_address(stack.page.address, f"{mail.thread_id()}--bakery")
    model.wait_until_hanging(when=WORDS, seconds=TIMEOUT_SECONDS)
    wait_until(lambda: "/@vite/client" in fetch(stack, f"{address}/").text, "the site is not shown live")
    browser = open_browser(address)
    page = browser.open(f"{address}/")
    assert OLD in page.evaluate("document.body.innerText")

    def shows_it() -> bool:
        try:
            return NEW in page.evaluate("document.body.innerText")
        except BrowserError:  # asked while the page was changing itself
            return False

    wait_until(lambda: page.evaluate("window.hears === true"), "the page hears nothing of changes")
    model.resume()
    wait_until(lambda: NEW in fetch(stack, f"{address}/").text, "the site's server does not show the edit")
    wait_until(
        shows_it,
        "the open page did not change by itself",
        lambda: (page.failed, page.evaluate("[location.href, document.body.innerText]")),
    )
    assert not mail.replies()
    model.wait_until_hanging(when=WORDS, seconds=TIMEOUT_SECONDS)
    model.resume()

    mail.wait_for_reply()
    wait_until_nobody_works(stack)
    deployed = fetch(stack, f"{address}/")
    assert NEW in deployed.text
    assert "/@vite/client" not in deployed.text
    assert NEW in browser.open(f"{address}/").evaluate("document.body.innerText")
