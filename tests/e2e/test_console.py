"""The page of the local stack in a browser: a newcomer's first five minutes, without and with scripts, and axe-core."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from local.model.steps import ScriptedStep
from local.runtime.local_browser import LocalBrowser, wait_until
from local.stack.stack import Stack
from tests.e2e.conftest import TIMEOUT_SECONDS, MailSender
from tests.e2e.fleet import stop_workers
from tests.e2e.scenarios import HANG_SECONDS, LIST_PAGES
from tests.e2e.site_client import fetch
from tests.support.model_client import StandInClient
from webordinary.browser.browser import Page
from webordinary.browser.chromium import Chromium

SECONDS = 1200
LAST_RESULT = "[...document.querySelectorAll('.reply > header .tag')].at(-1)?.textContent.trim()"
HOSTILE = '"><img src=x onerror=alert(1)><script>document.title=1</script>{{7*7}}'


@pytest.fixture
def browser(chromium: Chromium) -> Iterator[LocalBrowser]:
    with LocalBrowser(chromium, seconds=SECONDS) as running:
        yield running


def until(condition: Callable[[], Any], what: str) -> Any:
    return wait_until(condition, what, TIMEOUT_SECONDS)


def text(page: Page) -> str:
    return str(page.evaluate("document.body.innerText"))


def fill_in(page: Page, **fields: str) -> None:
    for name, value in fields.items():
        page.evaluate(
            f"document.querySelector('form[action=\"/send\"] [name={name}]').value = {json.dumps(value)}; true"
        )


def press(page: Page, selector: str) -> None:
    page.evaluate(f"document.querySelector({json.dumps(selector)}).click(); true")


def roll_back_in_the_console(browser: LocalBrowser, address: str) -> None:
    """Shows the newest release that is not live."""
    page = browser.open(f"{address}/projects/bakery")
    press(page, 'a[href*="/actions/rollback"]')
    until(lambda: "instead of release" in text(page), "the confirmation")
    press(page, 'form[action="/actions/rollback"] button')
    until(lambda: text(page).count("Done"), "the result")


@pytest.fixture
def address(stack: Stack) -> str:
    return stack.page.address.replace("127.0.0.1", "localhost")


def test_first_five_minutes_in_a_browser(stack: Stack, browser: LocalBrowser, address: str) -> None:
    page = browser.open(f"{address}/")
    fill_in(
        page,
        sender="ada@example.com",
        subject="Kiosk hours",
        text='Please change "Bread that takes its time" to "Bread with patience" on the home page.',
    )
    mails = len(stack.mailbox.mails("in"))
    # Enter twice: the second one must not send the mail again.
    page.evaluate("for (const _ of [1, 2]) document.querySelector('form[action=\"/send\"]').requestSubmit(); true")
    until(lambda: "/conversations/" in page.evaluate("location.pathname"), "the page to open the conversation")
    assert len(stack.mailbox.mails("in")) == mails + 1
    thread = page.evaluate("location.pathname").rpartition("/")[2]
    until(lambda: page.evaluate("!!document.querySelector('a[href*=\"/jobs/\"]')"), "the link to the job")
    page.evaluate("window.stayed = true; document.querySelector('a[href*=\"/jobs/\"]').focus(); true")
    until(lambda: page.evaluate("document.querySelector('button[value=publish]')?.textContent"), "the form to reply")
    assert page.evaluate("window.stayed") is True
    assert page.evaluate("document.activeElement.getAttribute('href')").startswith(f"/conversations/{thread}/jobs/")
    assert page.evaluate("document.querySelector('#preview').src").startswith(f"http://{thread}--bakery.localhost:")
    until(lambda: "Stop the work" not in text(page), "the actions of an answered mail")

    way = browser.open(f"{address}{page.evaluate('location.pathname')}/jobs/{_job_of(stack, thread)}")
    assert "A worker does the work" in text(way)
    assert way.evaluate("document.querySelectorAll('.machine g.taken').length") > 8
    assert way.evaluate("document.querySelectorAll('.machine .current').length") == 0
    assert "Claude Code edits" in text(way)

    page = browser.open(f"{address}/conversations/{thread}")
    press(page, 'button[value="publish"]')
    until(lambda: "/conversations/" in page.evaluate("location.pathname"), "the conversation of the publish")
    until(lambda: page.evaluate(LAST_RESULT) == "Live", "the reply to the publish")
    until(lambda: "Bread with patience" in _live(stack), "the live site to change")
    press(page, 'button[value="unpublish"]')
    until(lambda: "Bread with patience" not in _live(stack), "the live site to be rolled back")
    roll_back_in_the_console(browser, address)
    until(lambda: "Bread with patience" in _live(stack), "the release to be shown again")
    roll_back_in_the_console(browser, address)
    until(lambda: "Bread with patience" not in _live(stack), "the release before it")
    fetch(stack, f"http://{thread}--bakery.localhost:{stack.page.port}/")
    assert "The tour is complete" in text(browser.open(f"{address}/"))


def test_half_written_reply_survives_a_newer_reply(
    stack: Stack, browser: LocalBrowser, address: str, mail_sender: MailSender
) -> None:
    first = mail_sender.send("ada@example.com", 'Please change "noon" to "1 pm" on the home page.')
    reply = first.wait_for_reply()
    page = browser.open(f"{address}/conversations/{first.thread_id()}")
    until(lambda: page.evaluate("!!document.querySelector('#reply-form textarea')"), "the form to reply")
    page.evaluate("""
        window.replied = document.querySelector("#reply-form");
        window.replied.querySelector("textarea").value = "And one more";
    """)
    mail_sender.send("ada@example.com", "status", in_reply_to=reply.message_id).wait_for_reply()

    until(lambda: page.evaluate("window.replied !== document.querySelector('#reply-form')"), "the newer reply")

    assert page.evaluate("document.querySelector('#reply-form textarea').value") == "And one more"


def test_dropped_files_are_attached(stack: Stack, browser: LocalBrowser, address: str) -> None:
    page = browser.open(f"{address}/mailbox/write")
    fill_in(page, sender="mallory@stranger.example", text="Please show these.")
    page.evaluate("""
        const form = document.querySelector("form[data-drop]"), dropped = new DataTransfer();
        for (const name of ["oven.txt", "<b>menu</b>.txt"]) dropped.items.add(new File(["bread"], name));
        form.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true }));
        true
    """)
    press(page, 'form[action="/send"] button')

    until(lambda: "The sender may not edit any website." in text(page), "the reason")

    assert stack.mailbox.mails("in")[-1].attachments == ("oven.txt", "<b>menu</b>.txt")
    assert "<b>menu</b>.txt" in text(page)


def test_lost_worker_and_its_successor_are_shown(
    stack: Stack, browser: LocalBrowser, address: str, mail_sender: MailSender, model: StandInClient
) -> None:
    stop_workers(stack)
    words = "closed while we look"
    model.script(ScriptedStep(tools=(LIST_PAGES,), hang=HANG_SECONDS), when=words)
    mail = mail_sender.send("ada@example.com", f'Please change "closed, we sleep" to "{words}".')
    lost = mail.wait_for("agent_started").source
    model.wait_until_hanging(when=words, seconds=TIMEOUT_SECONDS)
    fleet = browser.open(f"{address}/fleet")
    assert "bakery#ada" in text(fleet)
    stack.workers.kill(lost)
    mail.wait_for_reply()

    page = browser.open(f"{address}/conversations/{mail.thread_id()}/jobs/{mail.job_id}")

    assert "Another worker took the job over" in text(page)
    assert "Get the repository again" in text(page)
    until(lambda: "Pairs waited for a worker. Started 1." in text(browser.open(f"{address}/fleet")), "the decision")


def test_mail_can_be_written_and_read_without_scripts(
    stack: Stack, browser: LocalBrowser, address: str, mail_sender: MailSender
) -> None:
    thread = _some_thread(stack, mail_sender)
    browser.command("Emulation.setScriptExecutionDisabled", value=True)
    page = browser.open(f"{address}/mailbox/write")
    document = browser.command("DOM.getDocument")["root"]["nodeId"]
    button = browser.command("DOM.querySelector", nodeId=document, selector='form[action="/send"] button')["nodeId"]
    browser.command("DOM.focus", nodeId=button)
    for kind in ("keyDown", "keyUp"):
        browser.command(
            "Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r", windowsVirtualKeyCode=13
        )
    mails = len(stack.mailbox.mails("in"))
    until(lambda: page.evaluate("location.pathname") not in ("/mailbox/write", "/send"), "the form did not work")
    assert page.evaluate("location.pathname").startswith(("/mailbox/mails/", "/conversations/"))
    assert len(stack.mailbox.mails("in")) - mails <= 1
    assert "Just reply to this email to continue." in text(browser.open(f"{address}/conversations/{thread}"))
    way = browser.open(f"{address}/conversations/{thread}/jobs/{_job_of(stack, thread)}")
    assert "The reply was sent" in text(way)
    assert way.evaluate("document.querySelectorAll('.machine g.taken').length") > 8


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (390, False), (390, True), (320, False)])
def test_pages_are_accessible_and_fit(
    stack: Stack, browser: LocalBrowser, address: str, mail_sender: MailSender, axe: str, width: int, dark: bool
) -> None:
    thread = _some_thread(stack, mail_sender)
    job = _job_of(stack, thread)
    number = stack.mailbox.mails("out")[-1].number
    conversation = f"/conversations/{thread}"
    paths = ("/", "/mailbox", "/mailbox/write", f"/mailbox/reply/{number}", "/conversations", conversation,
             f"{conversation}/jobs/{job}", f"{conversation}/jobs/{job}?logs=1", "/fleet", "/projects",
             "/projects/bakery", "/actions/pause", "/runbooks", "/runbooks/no-worker", "/nowhere")  # fmt: skip
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
    stack: Stack, browser: LocalBrowser, address: str, mail_sender: MailSender
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
