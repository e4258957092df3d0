"""Fetches pages of sites by host name, without DNS for names under `localhost`."""

from __future__ import annotations

import http.client
import re
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from local.stack.stack import Stack
from tests.e2e.conftest import TIMEOUT_SECONDS
from webordinary.browser.browser import Browser
from webordinary.browser.chromium import Chromium
from webordinary.browser.serving import serve_origins

ADDRESS = re.compile(r"http://[a-z0-9.-]+\.localhost:\d+/[^\s\"'<>)]*")
MAX_PAGES = 80
PAGES_PER_BROWSER = 10
STYLESHEET_URL = re.compile(r"url\([\"']?([^\"')]+)")


@dataclass(frozen=True)
class FetchedPage:
    address: str
    status: int
    kind: str
    text: str


def fetch(stack: Stack, address: str) -> FetchedPage:
    parts = urlsplit(address)
    connection = http.client.HTTPConnection("127.0.0.1", stack.page.port, timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", parts.path or "/", headers={"Host": parts.netloc})
        response = connection.getresponse()
        return FetchedPage(
            address, response.status, response.headers["Content-Type"] or "", response.read().decode(errors="replace")
        )
    finally:
        connection.close()


def links_in(text: str) -> list[str]:
    """The distinct addresses of sites in a text."""
    return list(dict.fromkeys(ADDRESS.findall(text)))


class _References(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if name in ("href", "src") and value]


def references(fetched: FetchedPage) -> set[str]:
    """The http(s) addresses that a page or stylesheet references."""
    found: list[str] = []
    if fetched.kind.startswith("text/html"):
        parser = _References()
        parser.feed(fetched.text)
        found = parser.found
    elif fetched.kind.startswith("text/css"):
        found = STYLESHEET_URL.findall(fetched.text)
    addresses = {urljoin(fetched.address, one).partition("#")[0] for one in found}
    return {address for address in addresses if urlsplit(address).scheme in ("http", "https")}


def crawl(stack: Stack, start: str) -> dict[str, FetchedPage]:
    """Everything that is reachable from an address on the same host."""
    host, seen, pending = urlsplit(start).netloc, {}, [start]
    while pending:
        address = pending.pop()
        if address in seen or urlsplit(address).netloc != host:
            continue
        seen[address] = fetch(stack, address)
        pending += references(seen[address])
    return seen


def broken_links(chromium: Chromium, stack: Stack, start: str) -> tuple[set[str], int]:
    """The broken paths of a site, as a browser sees them, and the number of pages."""
    origin = start.rstrip("/")
    waiting, seen, pages = [start], {start}, 0
    broken: set[str] = set()
    serve = serve_origins({origin}, ("127.0.0.1", stack.page.port), seconds=TIMEOUT_SECONDS)
    while waiting and pages < MAX_PAGES:
        batch, waiting = waiting[:PAGES_PER_BROWSER], waiting[PAGES_PER_BROWSER:]
        with Browser(chromium, serve, seconds=TIMEOUT_SECONDS) as browser:
            for address in batch:
                page = browser.open(address)
                pages += 1
                broken |= {urlsplit(one.address).path for one in page.failed if one.address.startswith(f"{origin}/")}
                for link in (link for link in page.links() if link.startswith(f"{origin}/") and link not in seen):
                    seen.add(link)
                    fetched = fetch(stack, link)
                    if fetched.status >= 400:
                        broken.add(urlsplit(link).path)
                    elif fetched.kind.startswith("text/html"):
                        waiting.append(link)
    return broken, pages
