"""A real run, as a newcomer sees it: write a mail, follow its progress, check the change, publish it, see it live."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PIL import Image

from local.pictures.film import HEIGHT, WIDTH, Film
from local.runtime.events import milestone
from local.runtime.local_browser import LocalBrowser, wait_until
from local.stack.stack import Stack
from webordinary.browser.browser import Page

SUBJECT = "Opening hours on Sunday"
WORDS = 'Please change "8 am to noon" to "9 am to 1 pm" on the home page.'
SITE = "bakery"
# Mails of others, so that the fleet has more than one worker.
OTHERS = (
    ("bob@example.org", "Kiosk hours", 'Please change "8 am to noon" to "10 am to 2 pm" on the home page.'),
    ("cleo@example.net", "A new title", 'Please change "Notes from a small harbour" to "Letters from the harbour".'),
)
SECONDS = 300
WRITE = 'form[action="/send"]'
SHOW_CURRENT = "document.querySelector('.machine .current')?.scrollIntoView({block: 'center'}); true"
IS_LIVE = "document.getElementById('live-state').textContent.startsWith('Live')"
LAST_RESULT = "[...document.querySelectorAll('.reply > header .tag')].at(-1)?.textContent.trim()"
TAKEN = "document.querySelectorAll('.machine .taken, .events li').length"


class RecordedRun:
    def __init__(self, stack: Stack, browser: LocalBrowser, folder: Path) -> None:
        self._stack = stack
        self._browser = browser
        self._folder = folder
        self._film = Film()
        self._address = stack.page.address.replace("127.0.0.1", "localhost")

    def run(self) -> None:
        conversation = self._write()
        self._watch(conversation)
        self._look_and_publish(conversation)
        self._film.save(self._browser, self._folder / "run.webp")
        self._picture(conversation, "console-conversation.png", 1500)
        self._picture(f"{conversation}/jobs/{self._job(conversation)}", "console-job.png", 1500)
        self._show_fleet()

    def _open(self, path: str, width: int = WIDTH, height: int = HEIGHT) -> Page:
        return self._browser.open(f"{self._address}{path}", width=width, height=height)

    def _write(self) -> str:
        """Sends the mail of the form; returns the address of its conversation."""
        page = self._open("/")
        self._until(lambda: page.evaluate(IS_LIVE), "the overview to be live")
        page.evaluate(f"document.querySelector('{WRITE} [name=subject]').value = {SUBJECT!r}; true")
        page.evaluate(f"document.querySelector('{WRITE} [name=text]').value = {WORDS!r}; true")
        self._film.add(self._browser, 1, "Write a mail: what should change on the website?", 3)
        page.evaluate(f"document.querySelector('{WRITE} button').click(); true")
        self._until(lambda: "/conversations/" in page.evaluate("location.pathname"), "the conversation to open")
        return str(page.evaluate("location.pathname"))

    def _watch(self, conversation: str) -> None:
        """A frame whenever the mail gets further."""
        page = self._open(f"{conversation}/jobs/{self._job(conversation)}")
        shown = -1
        while True:
            replied = "The reply was sent" in self._text(page)
            if (taken := page.evaluate(TAKEN)) != shown or replied:
                shown = taken
                page.evaluate(SHOW_CURRENT)
                self._film.add(self._browser, 2, "Follow it: a worker edits, builds and deploys a preview", 0.8)
            if replied:
                return
            self._until(partial(self._has_moved, page, shown), "the next step of the mail")

    def _look_and_publish(self, conversation: str) -> None:
        page = self._open(conversation)
        self._until(lambda: "Stop the work" not in self._text(page), "the end of the work")
        self._until(lambda: page.evaluate("[...document.images].every(one => one.complete)"), "the pictures")
        page.evaluate("document.querySelectorAll('img').forEach(one => one.loading = 'eager'); true")
        self._film.add(self._browser, 3, "Read the reply: what was changed, with a link to the preview", 3)
        page.evaluate("document.querySelector('.shots').scrollIntoView({block: 'center'}); true")
        self._until(lambda: page.evaluate("[...document.images].every(one => one.complete)"), "the pictures")
        self._film.add(self._browser, 3, "Before and after", 3)
        page.evaluate("document.querySelector('button[value=publish]').scrollIntoView({block: 'end'}); true")
        page.evaluate("document.querySelector('button[value=publish]').focus(); true")
        self._film.add(self._browser, 4, "Reply “publish”", 2)
        page.evaluate("document.querySelector('button[value=publish]').click(); true")
        self._until(
            lambda: "/conversations/" in page.evaluate("location.pathname") and page.evaluate(LAST_RESULT) == "Live",
            "the change to be live",
        )
        page = self._open(conversation)
        page.evaluate("[...document.querySelectorAll('.reply')].at(-1).scrollIntoView({block: 'center'}); true")
        self._film.add(self._browser, 4, "The reply: it is live", 2.5)
        site = self._browser.open(f"http://{SITE}.localhost:{self._stack.page.port}/", width=WIDTH, height=HEIGHT)
        site.evaluate("document.querySelector('table, dl')?.scrollIntoView({block: 'center'}); true")
        self._film.add(self._browser, 5, "The website that everybody sees", 4)

    def _show_fleet(self) -> None:
        for sender, subject, text in OTHERS:
            self._stack.send(sender, text, subject=subject)
        since = len(self._stack.events.all())
        self._stack.events.wait_for(milestone("agent_started"), SECONDS, since=since, what="a worker at work")
        self._picture("/", "console-overview.png", 1200)
        self._picture("/fleet", "console-fleet.png", 900)
        done = milestone("reply_sent")
        self._until(lambda: len(self._stack.events.all(done)) == len(OTHERS) + 2, "every reply")

    def _picture(self, path: str, name: str, max_height: int) -> None:
        page = self._open(path, width=1240, height=860)
        self._until(lambda: page.evaluate(IS_LIVE), f"{path} to be live")
        image = Image.open(io.BytesIO(page.picture(max_height=max_height))).convert("RGB")
        image.quantize(256, dither=Image.Dither.NONE).save(self._folder / name, optimize=True)

    def _job(self, conversation: str) -> str:
        thread = conversation.rpartition("/")[2]
        return self._stack.events.all(lambda one: one.fields.get("thread_id") == thread)[0].job_id

    @staticmethod
    def _has_moved(page: Page, before: int) -> bool:
        return bool(page.evaluate(TAKEN) != before)

    @staticmethod
    def _text(page: Page) -> str:
        return str(page.evaluate("document.body.innerText"))

    @staticmethod
    def _until(condition: Callable[[], Any], what: str) -> None:
        wait_until(condition, what, SECONDS)
