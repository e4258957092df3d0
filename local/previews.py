"""Finds the files of websites in the emulator's buckets, the way a CDN in front of them would."""

from __future__ import annotations

import mimetypes
import re
from typing import TYPE_CHECKING, NamedTuple

from local.aws import Emulated
from local.domain import Names, pattern

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class NotPublishedError(Exception):
    """There is nothing to show; the sentence says what is missing."""


class File(NamedTuple):
    content: bytes
    content_type: str


class Previews:
    """`project/session/thread/path` shows a thread's state, `project/path` the published site."""

    def __init__(self, emulated: Emulated, names: Names) -> None:
        self._s3: S3Client = emulated.client("s3")
        self._names = names

    def get(self, path: str) -> File:
        project, _, rest = path.partition("/")
        if not re.fullmatch(pattern("project"), project):
            raise NotPublishedError("There is no such project.")
        kind = "edit_site" if rest.startswith("session/") else "production_site"
        for key in _candidates(rest):
            file = self._object(self._names.bucket(kind, project), key)
            if file is not None:
                return file
        raise NotPublishedError("Nothing has been published here yet.")

    def _object(self, bucket: str, key: str) -> File | None:
        try:
            found = self._s3.get_object(Bucket=bucket, Key=key)
        except (self._s3.exceptions.NoSuchKey, self._s3.exceptions.NoSuchBucket):
            return None
        stored_type = found.get("ContentType", "")
        content_type = stored_type if stored_type and stored_type != "binary/octet-stream" else guessed_type(key)
        return File(found["Body"].read(), content_type)


def guessed_type(key: str) -> str:
    guess = mimetypes.guess_type(key)[0] or "application/octet-stream"
    return f"{guess}; charset=utf-8" if guess.startswith("text/") else guess


def _candidates(path: str) -> list[str]:
    """A folder means its index page, with or without the slash at its end."""
    if path == "" or path.endswith("/"):
        return [f"{path}index.html"]
    return [path, f"{path}/index.html"]
