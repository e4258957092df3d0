"""Screenshots in the reply, and a preview whose links work in a browser."""

from __future__ import annotations

import re
from base64 import b64decode
from io import BytesIO
from urllib.parse import urlsplit

import pytest
from PIL import Image, ImageChops

from local.page.conversations import Mail
from local.stack.stack import Stack
from tests.e2e.conftest import TIMEOUT_SECONDS, MailSender
from tests.e2e.site_client import crawl, fetch, links_in, references
from webordinary.browser.browser import Browser
from webordinary.browser.chromium import Chromium
from webordinary.browser.serving import serve_origins

CLEO = "cleo@example.net"
PICTURE = re.compile(r'src="data:image/jpeg;base64,([^"]+)"')


@pytest.fixture(scope="module")
def reply(stack: Stack, chromium: Chromium) -> Mail:
    """The reply to a change of the site with hand-written links."""
    return MailSender(stack).send(CLEO, 'Please change "Lost at sea" to "Far away, in every sense".').wait_for_reply()


def test_reply_embeds_screenshots_before_and_after(reply: Mail) -> None:
    assert reply.html is not None
    before, after = (Image.open(BytesIO(b64decode(found))) for found in PICTURE.findall(reply.html))
    assert (before.format, before.width) == (after.format, after.width) == ("JPEG", 560)
    height = min(before.height, after.height)
    parts = [picture.convert("RGB").crop((0, 0, 560, height)) for picture in (before, after)]
    assert ImageChops.difference(*parts).getbbox() is not None
    assert "cid:" not in reply.html
    assert "http" not in re.sub(r'href="[^"]*"', "", reply.html)


def test_browser_can_follow_every_link_of_a_preview(stack: Stack, reply: Mail, chromium: Chromium) -> None:
    origin = f"http://{urlsplit(links_in(reply.text)[0]).netloc}"
    serve = serve_origins({origin}, ("127.0.0.1", stack.page.port), seconds=TIMEOUT_SECONDS)

    seen: dict[str, int | None] = {}
    problems: list[str] = []
    pending = [f"{origin}/"]
    with Browser(chromium, serve, seconds=TIMEOUT_SECONDS) as browser:
        while pending:
            address = pending.pop()
            if address in seen:
                continue
            page = browser.open(address)
            seen[address] = page.status
            problems += [f"{address} misses {request.address}" for request in page.failed]
            links = [link for link in page.links() if urlsplit(link).scheme in ("http", "https")]
            problems += [f"{address} leads to {link}" for link in links if not link.startswith(f"{origin}/")]
            pending += [link for link in links if link.startswith(f"{origin}/")]

    assert problems == []
    assert set(seen.values()) == {200}
    assert len(seen) >= 5


def test_preview_has_no_external_or_broken_links(stack: Stack, reply: Mail) -> None:
    start = links_in(reply.text)[0]
    root = f"http://{urlsplit(start).netloc}/"

    seen = crawl(stack, root)

    broken = {address for address, fetched in seen.items() if fetched.status != 200}
    outside = {one for fetched in seen.values() for one in references(fetched)} - set(seen)
    assert (broken, outside) == (set(), set())
    assert len([fetched for fetched in seen.values() if fetched.kind.startswith("text/html")]) >= 5
    assert {fetched.kind.partition(";")[0] for fetched in seen.values()} >= {"image/svg+xml", "text/css"}
    lost = fetch(stack, f"{root}nowhere/")
    assert (lost.status, "Far away, in every sense" in lost.text) == (404, True)
