"""Serves websites out of the emulator's buckets, the way a CDN in front of them would."""

from __future__ import annotations

import mimetypes
import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from local.aws import Emulated
from local.domain import Names, pattern
from local.pages import simple_page

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

# A site is somebody else's code. Without an origin of its own it can read neither the mailbox nor other sites, and its
# module scripts and fonts, which a browser then fetches as a stranger would, are allowed explicitly.
LOCKED_UP = {
    "Content-Security-Policy": "sandbox allow-scripts allow-popups allow-forms",
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Cache-Control": "no-cache",
}


@dataclass(frozen=True)
class Response:
    status: int
    content_type: str
    body: bytes
    headers: dict[str, str]


class Previews:
    """`project/session/thread/path` shows a thread's state, `project/path` the published site."""

    def __init__(self, emulated: Emulated, names: Names) -> None:
        self._s3: S3Client = emulated.client("s3")
        self._names = names

    def get(self, path: str) -> Response:
        project, _, rest = path.partition("/")
        if not re.fullmatch(pattern("project"), project):
            return _not_found("There is no such project.")
        kind = "edit_site" if rest.startswith("session/") else "production_site"
        bucket = self._names.bucket(kind, project)
        for key in _candidates(rest):
            response = self._object(bucket, key)
            if response is not None:
                return response
        return _not_found("Nothing has been published here yet.")

    def _object(self, bucket: str, key: str) -> Response | None:
        try:
            found = self._s3.get_object(Bucket=bucket, Key=key)
        except (self._s3.exceptions.NoSuchKey, self._s3.exceptions.NoSuchBucket):
            return None
        stored_type = found.get("ContentType", "")
        content_type = stored_type if stored_type and stored_type != "binary/octet-stream" else guessed_type(key)
        return Response(200, content_type, found["Body"].read(), LOCKED_UP)


def guessed_type(key: str) -> str:
    guess = mimetypes.guess_type(key)[0] or "application/octet-stream"
    return f"{guess}; charset=utf-8" if guess.startswith("text/") else guess


def _candidates(path: str) -> list[str]:
    """A folder means its index page, with or without the slash at its end."""
    if path == "" or path.endswith("/"):
        return [f"{path}index.html"]
    return [path, f"{path}/index.html"]


def _not_found(why: str) -> Response:
    page = simple_page("Not here", f"<h1>Not here</h1><p>{escape(why)}</p>")
    return Response(404, "text/html; charset=utf-8", page, LOCKED_UP)
