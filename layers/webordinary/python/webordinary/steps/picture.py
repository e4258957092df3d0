"""Takes screenshots of the page that a job changed most: of the live site and of the preview.

If this fails, the reply is sent without screenshots. Pages are untrusted, so this function may only read public files
and store two images; the browser, which could be compromised, has neither credentials nor a network.
"""

from __future__ import annotations

import ctypes
import io
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Self
from urllib.parse import quote

from PIL import Image, ImageChops

from webordinary.aws import clients
from webordinary.aws.telemetry import logger, milestone
from webordinary.browser.browser import Browser
from webordinary.browser.chromium import Chromium, unpack
from webordinary.browser.pipe import BrowserError, BrowserTimeoutError
from webordinary.browser.stored_sites import origin_of, serve_bucket
from webordinary.contract.messages.reply import PictureOrder, PictureResult
from webordinary.contract.names import Names
from webordinary.contract.outcomes import PageChange
from webordinary.contract.settings import Settings
from webordinary.contract.values import limit
from webordinary.sites.hosting import Site
from webordinary.sites.screenshots import MARK, ScreenshotKind, picture_key

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

# A window size at which pages are readable at half size, as replies show them.
WIDTH, HEIGHT = 720, 900
STORED_WIDTH = 560
TALLEST = 4000
CONTEXT_ABOVE = 120  # unchanged pixels above the first difference
QUALITIES = (82, 65, 45)
OK = 200
SECONDS_TO_STORE = 2
PR_SET_DUMPABLE = 4


@dataclass(frozen=True)
class Picture:
    client: S3Client
    names: Names
    chromium: Callable[[], Chromium]
    seconds: float

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        _hide_memory()
        return cls(clients.s3(), settings.names, unpacked_once, settings.timing.picture_seconds - SECONDS_TO_STORE)

    def run(self, order: PictureOrder) -> PictureResult:
        page = next((page for page in order.pages if page.change is not PageChange.REMOVED), None)
        if page is None:
            return PictureResult()
        path = quote(page.path.removesuffix("index.html").lstrip("/"))
        live, preview = Site(order.pair.project), Site(order.pair.project, order.thread_id)
        serve = serve_bucket(self.client, self.names.bucket("sites"), live, preview)
        after = before = None
        try:
            with Browser(self.chromium(), serve, seconds=self.seconds) as browser:
                after = _screenshot(browser, f"{origin_of(preview)}/{path}")
                before = _screenshot(browser, f"{origin_of(live)}/{path}")
        except BrowserTimeoutError as error:
            logger().warning(
                "The browser did not start in time; the reply is sent without screenshots.", extra={"cause": str(error)}
            )
        if after is None:
            return PictureResult()
        pictures = {ScreenshotKind.AFTER: after} if before is None else _crop_to_difference(before, after)
        for kind, picture in pictures.items():
            self._store(order, kind, picture)
        milestone("pictures_taken", job_id=order.job_id, number=len(pictures))
        return PictureResult(
            path=page.path, before=ScreenshotKind.BEFORE in pictures, after=ScreenshotKind.AFTER in pictures
        )

    def _store(self, order: PictureOrder, kind: ScreenshotKind, picture: Image.Image) -> None:
        self.client.put_object(
            Bucket=self.names.bucket("media"),
            Key=picture_key(self.names, order.pair, order.job_id, kind),
            Body=_encoded(picture),
            ContentType="image/jpeg",
        )


class PictureTooLargeError(Exception):
    def __init__(self) -> None:
        super().__init__(f"The screenshot exceeds {limit('picture_bytes')} bytes at every quality.")


@cache
def unpacked_once() -> Chromium:
    """The browser of the layer, unpacked to a writable folder."""
    from packed_chromium import FOLDER  # the layer's

    return unpack(FOLDER, Path(tempfile.gettempdir()))


def _hide_memory() -> None:
    """Prevents other processes of this user, such as a compromised browser, from reading our memory and credentials."""
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def _screenshot(browser: Browser, address: str) -> Image.Image | None:
    """A screenshot from the top of a page, of limited height; None if there is no such page."""
    try:
        page = browser.open(address, width=WIDTH, height=HEIGHT)
        image = page.picture(max_height=TALLEST) if page.status == OK else None
    except BrowserError as error:
        logger().warning("Could not take a screenshot; the reply is sent without it.", extra={"cause": str(error)})
        return None
    return Image.open(io.BytesIO(image)).convert("RGB") if image is not None else None


def _crop_to_difference(before: Image.Image, after: Image.Image) -> dict[ScreenshotKind, Image.Image]:
    """Both screenshots, cropped to a window around the first difference. Empty if they are equal."""
    shorter = min(before.height, after.height)
    seen = (0, 0, WIDTH, shorter)
    differing = ImageChops.difference(before.crop(seen), after.crop(seen)).getbbox()
    if differing is None and before.height == after.height:
        return {}
    first = differing[1] if differing else shorter
    top = max(0, min(first - CONTEXT_ABOVE, shorter - HEIGHT))
    cut = {kind: (0, top, WIDTH, min(top + HEIGHT, one.height)) for kind, one in _both(before, after).items()}
    return {kind: one.crop(cut[kind]) for kind, one in _both(before, after).items()}


def _both(before: Image.Image, after: Image.Image) -> dict[ScreenshotKind, Image.Image]:
    return {ScreenshotKind.BEFORE: before, ScreenshotKind.AFTER: after}


def _encoded(picture: Image.Image) -> bytes:
    """Encodes the pixels as a new JPEG, so that nothing else from the browser is stored."""
    window = picture.crop((0, 0, WIDTH, min(picture.height, HEIGHT)))
    smaller = window.resize((STORED_WIDTH, round(window.height * STORED_WIDTH / WIDTH)), Image.Resampling.LANCZOS)
    for quality in QUALITIES:
        written = io.BytesIO()
        smaller.save(written, format="JPEG", quality=quality, optimize=True, comment=MARK)
        if written.tell() <= limit("picture_bytes"):
            return written.getvalue()
    raise PictureTooLargeError
