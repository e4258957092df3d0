"""The pictures in answers: where they lie between the function that takes them and the one that sends them.

Where that is follows from the job, so nothing that a page could have changed says what goes into a mail.
"""

from __future__ import annotations

from enum import StrEnum

from webordinary.contract.messages.base import Pair
from webordinary.contract.names import Names

JPEG = b"\xff\xd8\xff"
# A comment in the file. Mail programs send our pictures back with the answer that they quote, under names of their own.
MARK = b"webordinary: picture of a page"
MARK_WITHIN = 4096


class ScreenshotKind(StrEnum):
    BEFORE = "before"  # what visitors see
    AFTER = "after"  # the preview

    @property
    def content_id(self) -> str:
        """By which the HTML of an answer names the part of the mail that it shows."""
        return f"{self.value}@webordinary"


def picture_key(names: Names, pair: Pair, job_id: str, kind: ScreenshotKind) -> str:
    """In the media bucket."""
    return f"{names.object_prefix('pictures', pair)}{job_id}/{kind.value}.jpg"


def is_own_picture(content: bytes) -> bool:
    return content.startswith(JPEG) and MARK in content[:MARK_WITHIN]
