"""A browser shows a live preview during the edit, and the deployed preview afterwards."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from local.model.steps import ScriptedStep, ToolCall, statement_call
from local.page.web import site_address
from local.runtime.local_browser import LocalBrowser
from local.stack.stack import Stack
from tests.e2e.conftest import ADA, TIMEOUT_SECONDS, MailSender
from tests.e2e.fleet import stop_workers
from tests.e2e.scenarios import HANG_SECONDS
from tests.e2e.site_client import fetch
from tests.support.model_client import StandInClient
from webordinary.browser.browser import Browser
from webordinary.browser.chromium import Chromium
from webordinary.browser.pipe import BrowserError
from webordinary.browser.serving import serve_origins

PAGE = "src/pages/index.astro"
SHOWS_PICTURES = "document.images.length > 0 && [...document.images].every((one) => one.naturalWidth > 0)"
OLD, NEW = "8 am to 2 pm", "from eight to two"
WORDS = "Please write the hours in words, slowly."
# The page receives changes only after the first websocket message of the site's server.
RECORD_FIRST_MESSAGE = """
window.WebSocket = class extends WebSocket {
    constructor(...args) {
        super(...args);
        this.addEventListener("message", () => { window.connected = true; }, { once: true });
    }
};
"""


@pytest.fixture
def live_preview_stack(stack: Stack) -> Iterator[Stack]:
    """The stack, with live previews enabled."""
    stop_workers(stack)
    stack.workers.live_previews = True
    yield stack
    stack.workers.live_previews = False
    stop_workers(stack)


@pytest.fixture
def open_browser(chromium: Chromium, stack: Stack) -> Iterator[Callable[[str], Browser]]:
    """A browser that can also open connections to local sites, for the websocket."""
    opened: list[Browser] = []

    def open_browser(address: str) -> Browser:
        # A long timeout, because the browser does not repeat a failed request.
        serve = serve_origins({address}, at=("127.0.0.1", stack.page.port), seconds=TIMEOUT_SECONDS)
        opened.append(LocalBrowser(chromium, serve, seconds=4 * TIMEOUT_SECONDS).__enter__())
        opened[0]._call("Page.addScriptToEvaluateOnNewDocument", source=RECORD_FIRST_MESSAGE)
        return opened[0]

    yield open_browser
    for browser in opened:
        browser.__exit__(None, None, None)


@pytest.fixture
def resumed_model(model: StandInClient) -> Iterator[StandInClient]:
    """Resumes hanging responses after the test: a hanging agent would block the pair for later tests."""
    yield model
    for _ in range(3):
        model.resume()


def wait_until(condition: Callable[[], bool], what: str, actual: Callable[[], object] = lambda: "") -> None:
    """`actual` describes the state for the failure message."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"{what}: {actual()}"
        time.sleep(0.1)


def test_edit_is_visible_live_and_later_in_the_deployed_preview(
    live_preview_stack: Stack,
    mail_sender: MailSender,
    resumed_model: StandInClient,
    open_browser: Callable[[str], Browser],
) -> None:
    stack, model = live_preview_stack, resumed_model
    read = ToolCall(name="Read", input={"file_path": PAGE})
    edit = ToolCall(name="Edit", input={"file_path": PAGE, "old_string": OLD, "new_string": NEW})
    model.script(
        ScriptedStep(tools=(read,), hang=HANG_SECONDS),
        ScriptedStep(tools=(edit,)),
        ScriptedStep(tools=(statement_call(),), hang=HANG_SECONDS),
        when=WORDS,
    )
    mail = mail_sender.send(ADA, WORDS)
    address = site_address(stack.page.address, f"{mail.thread_id()}--bakery")
    model.wait_until_hanging(when=WORDS, seconds=TIMEOUT_SECONDS)
    wait_until(lambda: "/@vite/client" in fetch(stack, f"{address}/").text, "the site is not shown live")
    browser = open_browser(address)
    page = browser.open(f"{address}/")
    assert OLD in page.evaluate("document.body.innerText")
    wait_until(lambda: page.evaluate(SHOWS_PICTURES), "a picture is not shown", lambda: page.failed)

    def shows_edit() -> bool:
        try:
            return NEW in page.evaluate("document.body.innerText")
        except BrowserError:  # evaluated while the page reloads
            return False

    wait_until(lambda: page.evaluate("window.connected === true"), "the page is not connected to the site's server")
    model.resume()
    wait_until(lambda: NEW in fetch(stack, f"{address}/").text, "the site's server does not show the edit")
    wait_until(
        shows_edit,
        "the open page did not change by itself",
        lambda: (page.failed, page.evaluate("[location.href, document.body.innerText]")),
    )
    assert not mail.replies()
    model.wait_until_hanging(when=WORDS, seconds=TIMEOUT_SECONDS)
    model.resume()

    mail.wait_for_reply()
    stop_workers(stack)
    deployed = fetch(stack, f"{address}/")
    assert NEW in deployed.text
    assert "/@vite/client" not in deployed.text
    assert NEW in browser.open(f"{address}/").evaluate("document.body.innerText")
