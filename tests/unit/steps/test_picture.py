"""picture: screenshots of the most changed page, taken with the deployed browser."""

from __future__ import annotations

import ctypes
import io
import multiprocessing
from typing import Any

import pytest
from botocore.exceptions import ClientError
from PIL import Image

from tests.support.world import PAIR, THREAD, World
from webordinary.browser.chromium import Chromium
from webordinary.contract.messages.outcome import ChangedPage
from webordinary.contract.messages.reply import PictureOrder, PictureResult
from webordinary.contract.names import preview_prefix, site_prefix
from webordinary.contract.outcomes import PageChange
from webordinary.contract.values import limit
from webordinary.sites.screenshots import ScreenshotKind, is_own_picture, picture_key
from webordinary.steps.picture import STORED_WIDTH, WIDTH, Picture, _hide_memory

LIVE, PREVIEW = site_prefix("live", PAIR.project), preview_prefix(PAIR.project, THREAD)
GREEN, RED = (0, 128, 0), (200, 0, 0)
PR_GET_DUMPABLE = 3


def page(colour: tuple[int, int, int], above: int = 0) -> str:
    """A page of one colour, with white space above."""
    return (
        f"<!doctype html><body style='margin:0'><div style='height:{above}px'></div>"
        f"<div style='height:2000px;background:rgb{colour}'></div>"
    )


@pytest.fixture
def take(world: World, chromium: Chromium) -> Picture:
    for bucket in ("sites", "media"):
        configuration: Any = {"LocationConstraint": "eu-west-1"}
        world.s3.create_bucket(Bucket=world.names.bucket(bucket), CreateBucketConfiguration=configuration)
    return Picture(world.s3, world.names, lambda: chromium, seconds=120)


def show(world: World, key: str, content: str, kind: str = "text/html; charset=utf-8") -> None:
    world.s3.put_object(Bucket=world.names.bucket("sites"), Key=key, Body=content.encode(), ContentType=kind)


def order(*pages: ChangedPage) -> PictureOrder:
    changed = pages or (ChangedPage(path="menu/index.html", change=PageChange.CHANGED),)
    return PictureOrder(pair=PAIR, job_id="mail-1", thread_id=THREAD, pages=changed)


def stored(world: World, kind: ScreenshotKind) -> Image.Image | None:
    try:
        found = world.s3.get_object(
            Bucket=world.names.bucket("media"), Key=picture_key(world.names, PAIR, "mail-1", kind)
        )
    except ClientError:
        return None
    content = found["Body"].read()
    assert is_own_picture(content)
    assert len(content) <= limit("picture_bytes")
    return Image.open(io.BytesIO(content))


def colour_at(picture: Image.Image | None, y: int) -> tuple[int, ...]:
    assert picture is not None
    pixel = picture.convert("RGB").getpixel((100, y))
    assert isinstance(pixel, tuple)
    return tuple(round(part / 8) * 8 for part in pixel)  # JPEG changes colours slightly


def test_changed_page_has_screenshots_before_and_after(world: World, take: Picture) -> None:
    show(world, f"{LIVE}menu/index.html", page(GREEN))
    show(world, f"{PREVIEW}menu/index.html", page(RED))

    taken = take.run(order())

    assert taken == PictureResult(path="menu/index.html", before=True, after=True)
    before, after = stored(world, ScreenshotKind.BEFORE), stored(world, ScreenshotKind.AFTER)
    assert (colour_at(before, 50), colour_at(after, 50)) == (GREEN, RED)
    assert after is not None
    assert (after.format, after.width) == ("JPEG", STORED_WIDTH)


def test_screenshots_show_the_differing_part_of_a_long_page(world: World, take: Picture) -> None:
    show(world, f"{LIVE}menu/index.html", page(GREEN, above=1500))
    show(world, f"{PREVIEW}menu/index.html", page(RED, above=1500))

    take.run(order())

    after = stored(world, ScreenshotKind.AFTER)
    assert colour_at(after, 20) == (256, 256, 256)  # unchanged context
    assert colour_at(after, 200 * STORED_WIDTH // WIDTH) == RED


def test_page_assets_come_from_the_same_site(world: World, take: Picture) -> None:
    show(world, f"{LIVE}menu/index.html", page(GREEN))
    show(world, f"{PREVIEW}menu/index.html", "<!doctype html><link rel='stylesheet' href='/style.css'><p>Hello")
    show(world, f"{PREVIEW}style.css", f"body {{ background: rgb{RED} }}", "text/css")

    take.run(order())

    assert colour_at(stored(world, ScreenshotKind.AFTER), 300) == RED


def test_new_page_has_only_an_after_screenshot(world: World, take: Picture) -> None:
    show(world, f"{LIVE}404.html", page(GREEN))
    show(world, f"{PREVIEW}news/index.html", page(RED))

    taken = take.run(order(ChangedPage(path="news/index.html", change=PageChange.NEW)))

    assert (taken.before, taken.after) == (False, True)
    assert stored(world, ScreenshotKind.BEFORE) is None


def test_removed_page_has_no_screenshot(world: World, take: Picture) -> None:
    show(world, f"{PREVIEW}index.html", page(RED))
    removed = ChangedPage(path="old/index.html", change=PageChange.REMOVED)
    changed = ChangedPage(path="index.html", change=PageChange.CHANGED)

    assert take.run(order(removed)) == PictureResult()
    assert take.run(order(removed, changed)).path == "index.html"


def test_identical_pages_have_no_screenshots(world: World, take: Picture) -> None:
    for site in (LIVE, PREVIEW):
        show(world, f"{site}menu/index.html", page(GREEN))

    taken = take.run(order())

    assert (taken.before, taken.after) == (False, False)
    assert stored(world, ScreenshotKind.AFTER) is None


def test_missing_page_is_not_an_error(world: World, take: Picture) -> None:
    assert take.run(order()) == PictureResult()


def test_page_that_never_loads_only_loses_its_screenshot(world: World, chromium: Chromium) -> None:
    world.s3.create_bucket(
        Bucket=world.names.bucket("sites"), CreateBucketConfiguration={"LocationConstraint": "eu-west-1"}
    )
    show(world, f"{PREVIEW}menu/index.html", "<script>for (;;) {}</script>")
    hurried = Picture(world.s3, world.names, lambda: chromium, seconds=3)

    assert hurried.run(order()) == PictureResult()


def test_page_cannot_load_another_site(world: World, take: Picture) -> None:
    show(world, "florist/live/secret.css", f"body {{ background: rgb{RED} }}", "text/css")
    link = "<link rel='stylesheet' href='https://florist.site.invalid/secret.css'>"
    up = "<link rel='stylesheet' href='/..%2f..%2fflorist/live/secret.css'>"
    show(world, f"{PREVIEW}menu/index.html", f"<!doctype html>{link}{up}<body style='height:900px'>")

    take.run(order())

    assert colour_at(stored(world, ScreenshotKind.AFTER), 300) == (256, 256, 256)


def test_other_processes_cannot_read_the_credentials_in_memory() -> None:
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        assert pool.apply(_dumpable_after_hiding) == 0


def _dumpable_after_hiding() -> int:
    _hide_memory()
    return int(ctypes.CDLL(None).prctl(PR_GET_DUMPABLE, 0, 0, 0, 0))
