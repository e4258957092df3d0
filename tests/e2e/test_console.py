"""The page of the local stack in a browser: a newcomer's first five minutes, without and with scripts, and axe-core."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from local.stack.stack import Stack
from tests.e2e.conftest import MailSender
from tests.e2e.test_live_preview import OPTION_REPLACEMENTS
from webordinary.browser import process
from webordinary.browser.browser import Browser, Page
from webordinary.browser.chromium import Chromium
from webordinary.browser.pipe import BrowserError

SECONDS = 600
WAIT_SECONDS = 240
HOSTILE = '"><img src=x onerror=alert(1)><script>document.title=1</script>{{7*7}}'


@pytest.fixture
def browser(chromium: Chromium, monkeypatch: pytest.MonkeyPatch) -> Iterator[Browser]:
    """A browser with the network of this machine: the console needs forms and a stream."""
    options = "\n".join(process.OPTIONS)
    for old, new in {**OPTION_REPLACEMENTS, "EXCLUDE *.localhost": "EXCLUDE *.localhost , EXCLUDE localhost"}.items():
        options = options.replace(old, new)
    monkeypatch.setattr(process, "OPTIONS", tuple(options.split("\n")))
    with Browser(chromium, seconds=SECONDS) as running:
        running._call("Fetch.disable")
        yield running


def until(condition: Callable[[], Any], what: str) -> Any:
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            if found := condition():
                return found
        except BrowserError:  # evaluated while the page changes
            pass
        assert time.monotonic() < deadline, what
        time.sleep(0.2)


def text(page: Page) -> str:
    return str(page.evaluate("document.body.innerText"))


def fill_in(page: Page, **fields: str) -> None:
    for name, value in fields.items():
        page.evaluate(
            f"document.querySelector('form[action=\"/send\"] [name={name}]').value = {json.dumps(value)}; true"
        )


def press(page: Page, selector: str) -> None:
    page.evaluate(f"document.querySelector({json.dumps(selector)}).click(); true")


@pytest.fixture
def address(stack: Stack) -> str:
    return stack.page.address.replace("127.0.0.1", "localhost")


def test_first_five_minutes_in_a_browser(stack: Stack, browser: Browser, address: str) -> None:
    page = browser.open(f"{address}/")
    fill_in(
        page,
        sender="ada@example.com",
        subject="Kiosk hours",
        text='Please change "Bread that takes its time" to "Bread with patience" on the home page.',
    )
    press(page, 'form[action="/send"] button')
    until(lambda: "/conversations/" in page.evaluate("location.pathname"), "the page did not open the conversation")
    thread = page.evaluate("location.pathname").rpartition("/")[2]
    page.evaluate("window.stayed = true")
    until(lambda: "As a mail" in text(page), "the reply did not appear by itself")
    assert page.evaluate("window.stayed") is True
    assert page.evaluate("document.querySelector('#preview').src").startswith(f"http://{thread}--bakery.localhost:")

    way = browser.open(f"{address}{page.evaluate('location.pathname')}/jobs/{_job_of(stack, thread)}")
    assert "A worker does the work" in text(way)
    assert way.evaluate("document.querySelectorAll('.machine g.taken').length") > 8
    assert "Claude Code edits" in text(way)

    page = browser.open(f"{address}/conversations/{thread}")
    press(page, 'button[value="publish"]')
    until(lambda: "/conversations/" in page.evaluate("location.pathname") and "\nLive" in text(page),
          "the publish was not shown")  # fmt: skip
    until(lambda: "Bread with patience" in _live(stack), "the live site did not change")
    press(page, 'button[value="unpublish"]')
    until(lambda: "Bread with patience" not in _live(stack), "the live site was not rolled back")


def test_mail_can_be_written_and_read_without_scripts(stack: Stack, browser: Browser, address: str) -> None:
    browser._call("Emulation.setScriptExecutionDisabled", value=True)
    page = browser.open(f"{address}/mailbox/write")
    document = browser._call("DOM.getDocument")["root"]["nodeId"]
    button = browser._call("DOM.querySelector", nodeId=document, selector='form[action="/send"] button')["nodeId"]
    browser._call("DOM.focus", nodeId=button)
    for kind in ("keyDown", "keyUp"):
        browser._call(
            "Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r", windowsVirtualKeyCode=13
        )
    mails = len(stack.mailbox.mails("in"))
    until(lambda: page.evaluate("location.pathname") not in ("/mailbox/write", "/send"), "the form did not work")
    assert page.evaluate("location.pathname").startswith(("/mailbox/mails/", "/conversations/"))
    assert len(stack.mailbox.mails("in")) - mails <= 1


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True), (320, False)])
def test_pages_are_accessible_and_fit(
    stack: Stack, browser: Browser, address: str, mail_sender: MailSender, axe: str, width: int, dark: bool
) -> None:
    thread = _some_thread(stack, mail_sender)
    job = _job_of(stack, thread)
    paths = ("/", "/mailbox", "/mailbox/write", "/conversations", f"/conversations/{thread}",
             f"/conversations/{thread}/jobs/{job}", "/fleet", "/projects", "/projects/bakery", "/actions/pause",
             "/runbooks/no-worker")  # fmt: skip
    problems = {}
    for path in paths:
        page = browser.open(f"{address}{path}", width=width, height=900, dark=dark)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        page.evaluate(f"{axe}; true")
        options = {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"], "iframes": False}
        found = page.evaluate(f"axe.run(document, {json.dumps(options)}).then(done => done.violations.map("
                              "one => [one.id, one.nodes.slice(0, 3).map(node => node.html)]))")  # fmt: skip
        if found:
            problems[path] = found
    assert problems == {}


def test_hostile_mail_changes_nothing_on_any_page(
    stack: Stack, browser: Browser, address: str, mail_sender: MailSender
) -> None:
    mail = mail_sender.send("ada@example.com", "status", subject=HOSTILE)
    mail.wait_for_reply()
    for path in ("/", "/mailbox", "/conversations"):
        page = browser.open(f"{address}{path}")
        assert page.evaluate("document.title") != "1"
        assert page.evaluate("document.querySelectorAll('img[src=x]').length") == 0
        assert "49" not in text(page).partition("onerror")[0][-5:]
    assert HOSTILE in text(browser.open(f"{address}/mailbox"))


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """axe-core, installed from its lock file."""
    folder = tmp_path_factory.mktemp("axe")
    source = Path(__file__).resolve().parents[1] / "support/axe"
    for name in ("package.json", "package-lock.json"):
        (folder / name).write_bytes((source / name).read_bytes())
    subprocess.run(
        ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder, check=True, capture_output=True
    )
    return (folder / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")


def _live(stack: Stack) -> str:
    from tests.e2e.site_client import fetch

    return fetch(stack, f"http://bakery.localhost:{stack.page.port}/").text


def _job_of(stack: Stack, thread: str) -> str:
    events = stack.events.all(lambda one: one.milestone == "job_dispatched" and one.fields.get("thread_id") == thread)
    return events[0].job_id


def _some_thread(stack: Stack, mail_sender: MailSender) -> str:
    known = stack.events.all(lambda one: one.milestone == "job_dispatched")
    if not known:
        mail_sender.send("ada@example.com", 'Please change "noon" to "1 pm" on the home page.').wait_for_reply()
        known = stack.events.all(lambda one: one.milestone == "job_dispatched")
    return str(known[-1].fields["thread_id"])
