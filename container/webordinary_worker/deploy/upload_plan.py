"""What a deployment does, as plain data: the deploy record, the steps from one manifest to another, and their order.

A manifest maps paths to digests. Assets are uploaded before the pages that use them and deleted after them, so no page
is ever visible without its assets.
"""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from pathlib import Path

from pydantic import Field

from webordinary.contract.messages.base import Message
from webordinary.sites.live_releases import UNKNOWN
from webordinary_worker.deploy.page_diff import is_page

HASHED = "_astro/"
HASHED_NAME = re.compile(r"^_astro/(?:.*/)?[^/]*[.-][\w-]{8,64}\.(?!x?html?$|svgz?$|xml$)\w{1,8}$", re.IGNORECASE)
UPLOAD_ORDER = ("hashed", "other", "page")
DELETE_ORDER = ("page", "other", "hashed")
# The name changes with the contents, so browsers never ask again. CloudFront does, after five minutes: what is
# taken off a site disappears there without an invalidation.
CACHE_FOREVER = "public, max-age=31536000, s-maxage=300, immutable"
REVALIDATE = "no-cache"
# For these types, Python's own table depends on the version and the machine.
WEB_TYPES = {
    ".avif": "image/avif",
    ".ico": "image/x-icon",
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff": "font/woff",
    ".woff2": "font/woff2",
    ".xml": "text/xml",
}


class Action(StrEnum):
    UPLOAD = "upload"
    DELETE = "delete"


@dataclass(frozen=True)
class UploadStep:
    action: Action
    path: str


def plan(old: Mapping[str, str], new: Mapping[str, str]) -> list[UploadStep]:
    """The steps from one manifest to another, in their order."""
    changed = sorted(path for path, digest in new.items() if old.get(path) != digest)
    removed = sorted(path for path in old if path not in new)
    return [
        *(
            UploadStep(Action.UPLOAD, path)
            for path in sorted(changed, key=lambda path: UPLOAD_ORDER.index(_kind(path)))
        ),
        *(
            UploadStep(Action.DELETE, path)
            for path in sorted(removed, key=lambda path: DELETE_ORDER.index(_kind(path)))
        ),
    ]


def stages(steps: list[UploadStep]) -> Iterator[list[UploadStep]]:
    """Groups of steps that may run in parallel. Each group must finish before the next one starts."""
    for _, stage in groupby(steps, key=lambda step: (step.action, _kind(step.path))):
        yield list(stage)


def _kind(path: str) -> str:
    if is_page(path):
        return "page"
    return "hashed" if path.startswith(HASHED) else "other"


class DeployRecord(Message):
    """Who deployed what to a preview: `files` are certainly there, `pending` are being uploaded."""

    fence: int
    job_id: str
    tree: str = ""  # the git tree that the files were built from
    files: dict[str, str] = Field(default_factory=dict)
    pending: dict[str, str] | None = None
    risks: tuple[str, ...] | None = None  # findings in the files, and in the site that the thread was based on
    base_risks: tuple[str, ...] | None = None

    def known_files(self) -> dict[str, str]:
        """The manifest, where files that an unfinished deployment changes count as unknown."""
        if self.pending is None:
            return self.files
        paths = {*self.files, *self.pending}
        return {path: self.files[path] if self.files.get(path) == self.pending.get(path) else UNKNOWN for path in paths}


def content_type(path: str) -> str:
    kind = WEB_TYPES.get(Path(path).suffix.lower()) or mimetypes.guess_type(path)[0] or "application/octet-stream"
    text = kind.startswith("text/") or kind in ("application/json", "application/manifest+json", "image/svg+xml")
    return f"{kind}; charset=utf-8" if text else kind


def cache_control(path: str) -> str:
    return CACHE_FOREVER if HASHED_NAME.match(path) and not is_page(path) else REVALIDATE
