"""Screenshots in replies: their keys between the picture function and the reply function.

The key is derived from the job, so that a page cannot influence which file is attached to a mail.
"""

from __future__ import annotations

from enum import StrEnum

from webordinary.contract.messages.base import Pair
from webordinary.contract.names import Names

JPEG = b"\xff\xd8\xff"
# A JPEG comment. Mail clients return our screenshots with the quoted reply, under other names.
MARK = b"webordinary: picture of a page"
MARK_WITHIN = 4096


class ScreenshotKind(StrEnum):
    BEFORE = "before"  # the live site
    AFTER = "after"  # the preview

    @property
    def content_id(self) -> str:
        """The Content-ID by which the HTML refers to the image."""
        return f"{self.value}@webordinary"


def picture_key(names: Names, pair: Pair, job_id: str, kind: ScreenshotKind) -> str:
    """The key in the media bucket."""
    return f"{names.object_prefix('pictures', pair)}{job_id}/{kind.value}.jpg"


def is_own_picture(content: bytes) -> bool:
    return content.startswith(JPEG) and MARK in content[:MARK_WITHIN]
