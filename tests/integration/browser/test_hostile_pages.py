"""A hostile page cannot send requests to any host except its own origin."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.browser.hosts import Host
from webordinary.browser.browser import Browser
from webordinary.browser.chromium import Chromium
from webordinary.browser.pipe import BrowserError

ATTEMPTS = {
    "fetch": "await fetch(target, {mode: 'no-cors'})",
    "post": "await fetch(target, {mode: 'no-cors', method: 'POST', body: 'x'})",
    "image": "await settled(new Image(), image => image.src = target)",
    "frame": "await settled(added('iframe'), frame => frame.src = target)",
    "redirect": "await fetch('/to/' + target, {mode: 'no-cors'})",
    "redirected frame": "await settled(added('iframe'), frame => frame.src = '/to/' + target)",
    "beacon": "navigator.sendBeacon(target, 'x'); await fetch('/seen')",
    "socket": "await settled(new WebSocket(target.replace('http', 'ws')))",
    "events": "const events = new EventSource(target); await settled(events); events.close()",
    "worker": "await settled(new Worker('/worker.js#' + target))",
    "shared worker": "const shared = new SharedWorker('/shared.js#' + target); await settled(shared.port)",
    "window": "window.open(target); await fetch('/seen')",
    "preconnect": "for (const rel of ['preconnect', 'prefetch']) Object.assign(added('link'), {rel, href: target});"
    "await fetch('/seen')",
    "style": "document.body.style.background = `url(${target})`; await fetch('/seen')",
}
HELPERS = """
const added = kind => document.body.appendChild(document.createElement(kind))
const settled = (thing, begin = () => {}) => new Promise(done => {
  thing.onload = thing.onopen = thing.onmessage = thing.onerror = done
  begin(thing)
})
"""
SCRIPT = "(async () => {{ {helpers}; const target = '{target}'; try {{ {attempt} }} catch (e) {{}} return 'tried' }})()"
WORKER = "fetch(self.location.hash.slice(1), {mode: 'no-cors'}).catch(() => 0).then(() => postMessage('tried'))"
SHARED = (
    "onconnect = event => fetch(self.location.hash.slice(1), {mode: 'no-cors'}).catch(() => 0)"
    ".then(() => event.ports[0].postMessage('tried'))"
)


@pytest.fixture(scope="module")
def other_host() -> Iterator[Host]:
    """Stands for hosts that a function can reach and a page must not: runtime API, metadata service, internet."""
    with Host({"/secret": "a secret"}).running() as host:
        yield host


@pytest.fixture(scope="module")
def site() -> Iterator[Host]:
    with Host(
        {"/": "<!doctype html><body>", "/worker.js": WORKER, "/shared.js": SHARED, "/seen": ""}
    ).running() as host:
        yield host


@pytest.fixture(scope="module")
def browser(chromium: Chromium, site: Host) -> Iterator[Browser]:
    with Browser(chromium, site.serve, seconds=240) as running:
        yield running


@pytest.mark.parametrize("name", ["127.0.0.1", "other.localhost", "site.localhost"])
@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_page_cannot_reach_other_hosts(browser: Browser, site: Host, other_host: Host, attempt: str, name: str) -> None:
    page = browser.open(f"{site.origin}/")
    target = f"http://{name}:{other_host.port}/secret?{attempt.replace(' ', '-')}"
    assert page.evaluate(SCRIPT.format(helpers=HELPERS, target=target, attempt=ATTEMPTS[attempt])) == "tried"
    assert other_host.requested == []


def test_page_reaches_its_own_origin(browser: Browser, site: Host) -> None:
    page = browser.open(f"{site.origin}/")
    assert page.evaluate("fetch('/seen').then(answer => answer.status)") == 200


@pytest.mark.parametrize("address", ["file:///etc/hostname", "http://169.254.169.254/latest/", "chrome://version"])
def test_addresses_outside_the_site_are_not_opened(chromium: Chromium, address: str) -> None:
    with Browser(chromium, seconds=120) as browser:
        try:
            page = browser.open(address)
        except BrowserError:
            return
        assert page.evaluate("document.body.innerText") == ""


def test_browser_environment_has_no_aws_variables(chromium: Chromium, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "worth stealing")
    with Browser(chromium, seconds=120) as browser:
        environment = Path(f"/proc/{browser._process.pid}/environ").read_bytes()
    assert b"PATH=" in environment
    assert b"AWS" not in environment
