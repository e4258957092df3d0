"""The browser as packaged for Lambda: pictures, links, failures and deadlines."""

from __future__ import annotations

import io
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from tests.integration.browser.hosts import Host
from webordinary.browser.browser import Browser
from webordinary.browser.chromium import Chromium
from webordinary.browser.pipe import BrowserError, BrowserExitedError, BrowserTimeoutError

SECONDS = 120


@pytest.fixture(scope="module")
def site() -> Iterator[Host]:
    page = """<!doctype html><title>Bread</title>
        <style>body { margin: 0; background: rgb(0, 128, 0) } p { height: 3000px }
        @media (prefers-color-scheme: dark) { body { background: rgb(0, 0, 64) } }</style>
        <a href="/menu/#cakes">menu</a><a href="/menu/">menu</a><a href="https://elsewhere.example/">elsewhere</a>
        <p>long</p>"""
    broken = "<img src='/missing.png'><img src='https://tracker.example/a.gif'>"
    with Host({"/": page, "/broken/": broken, "/busy/": "<script>for (;;) {}</script>"}).running() as host:
        yield host


@pytest.fixture(scope="module")
def browser(chromium: Chromium, site: Host) -> Iterator[Browser]:
    with Browser(chromium, site.serve, seconds=SECONDS) as running:
        yield running


def colour(picture: bytes) -> tuple[int, ...]:
    pixel = Image.open(io.BytesIO(picture)).convert("RGB").getpixel((300, 200))
    assert isinstance(pixel, tuple)
    return pixel


def test_picture_has_requested_size(browser: Browser, site: Host) -> None:
    picture = browser.open(f"{site.origin}/", width=390, height=700).picture()
    assert Image.open(io.BytesIO(picture)).size == (390, 700)
    assert colour(picture) == (0, 128, 0)


def test_picture_supports_dark_mode_jpeg_and_full_page(browser: Browser, site: Host) -> None:
    page = browser.open(f"{site.origin}/", width=1000, height=600, dark=True)
    assert colour(page.picture()) == (0, 0, 64)
    assert Image.open(io.BytesIO(page.picture(kind="jpeg"))).format == "JPEG"
    assert Image.open(io.BytesIO(page.picture(max_height=2000))).size == (1000, 2000)
    assert 3000 < Image.open(io.BytesIO(page.picture(max_height=9000))).size[1] < 3500


def test_page_reports_title_links_and_status(browser: Browser, site: Host) -> None:
    page = browser.open(f"{site.origin}/")
    assert page.evaluate("document.title") == "Bread"
    assert page.links() == [f"{site.origin}/menu/", "https://elsewhere.example/"]
    assert (page.status, page.failed) == (200, [])
    assert browser.open(f"{site.origin}/nowhere/").status == 404


def test_page_reports_failed_requests(browser: Browser, site: Host) -> None:
    failed = {request.address: request.reason for request in browser.open(f"{site.origin}/broken/").failed}
    assert failed[f"{site.origin}/missing.png"] == "404"
    assert "ERR_BLOCKED_BY_CLIENT" in failed["https://tracker.example/a.gif"]


def test_html_without_a_host_is_shown(browser: Browser) -> None:
    page = browser.show("<!doctype html><body style='margin:0;background:rgb(200,0,0)'><title>Mail</title>")
    assert page.evaluate("document.title") == "Mail"
    assert colour(page.picture()) == (200, 0, 0)


def test_japanese_renders_on_a_machine_without_fonts(chromium: Chromium, tmp_path: Path) -> None:
    for part in chromium.folder.iterdir():
        if part != chromium.font_settings:
            (tmp_path / part.name).symlink_to(part)
    bare = Chromium(tmp_path)
    own = chromium.font_settings.read_text(encoding="utf-8")
    bare.font_settings.write_text(own.replace("<dir>/usr/share/fonts</dir>", ""), encoding="utf-8")

    with Browser(bare, lambda _: None, seconds=SECONDS) as browser:
        letters = "営業時間パンやさん鬱"
        drawn = [
            browser.show(f"<body style='font-size:60px'>{one}", width=120, height=120).picture() for one in letters
        ]

    assert len(set(drawn)) == len(letters)


def test_opening_an_unreachable_address_raises(browser: Browser) -> None:
    with pytest.raises(BrowserError, match=r"elsewhere\.example"):
        browser.open("https://elsewhere.example/")


def test_busy_page_hits_deadline_and_browser_exits(chromium: Chromium, site: Host) -> None:
    busy = Browser(chromium, site.serve, seconds=5)
    with pytest.raises(BrowserTimeoutError), busy:
        busy.open(f"{site.origin}/busy/")
    with pytest.raises(ProcessLookupError):
        os.kill(busy._process.pid, 0)
    assert not busy._process.folder.exists()


def test_killed_browser_raises_and_leaves_no_files(chromium: Chromium) -> None:
    dying = Browser(chromium, seconds=SECONDS)
    with dying:
        os.killpg(dying._process.pid, signal.SIGKILL)
        with pytest.raises(BrowserExitedError):
            dying.evaluate("1 + 1")
    assert not dying._process.folder.exists()
