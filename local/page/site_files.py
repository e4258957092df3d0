"""Finds the files of websites in the emulator's bucket, the way the CDN in front of it does on AWS."""

from __future__ import annotations

import hashlib
import hmac
import mimetypes
from base64 import b64decode
from typing import TYPE_CHECKING, NamedTuple

from local.aws import EmulatedAws
from local.domain import Names, Site, keys_of

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client


class File(NamedTuple):
    content: bytes
    content_type: str


class Found(NamedTuple):
    """What an address shows; `missing` if that is only the site's own page about it, or not even that."""

    file: File | None
    missing: bool


class Previews:
    """Live sites and previews, each from its own root."""

    def __init__(self, emulated: EmulatedAws, names: Names) -> None:
        self._s3: S3Client = emulated.client("s3")
        self._dynamodb: DynamoDBClient = emulated.client("dynamodb")
        self._bucket = names.bucket("sites")
        self._projects = names.table("project_configs")

    def get(self, site: Site, path: str) -> Found:
        """`path` is as the browser sent it."""
        keys = keys_of(site, path)
        file = self._first(keys.file)
        return Found(file, missing=False) if file else Found(self._first(keys.not_found), missing=True)

    def may_look(self, site: Site, authorization: str) -> bool:
        """A project may want a password for its previews; any name will do beside it."""
        wanted = self._password_digest(site.project) if site.thread_id else None
        return wanted is None or hmac.compare_digest(wanted, _digest(site.project, authorization))

    def _password_digest(self, project: str) -> str | None:
        key = {"pk": {"S": f"project#{project}"}}
        item = self._dynamodb.get_item(TableName=self._projects, Key=key).get("Item", {})
        return item.get("previewPasswordDigest", {}).get("S")

    def _first(self, keys: tuple[str, ...]) -> File | None:
        return next(filter(None, map(self._object, keys)), None)

    def _object(self, key: str) -> File | None:
        try:
            found = self._s3.get_object(Bucket=self._bucket, Key=key)
        except (self._s3.exceptions.NoSuchKey, self._s3.exceptions.NoSuchBucket):
            return None
        stored_type = found.get("ContentType", "")
        content_type = stored_type if stored_type and stored_type != "binary/octet-stream" else guessed_type(key)
        return File(found["Body"].read(), content_type)


def guessed_type(key: str) -> str:
    guess = mimetypes.guess_type(key)[0] or "application/octet-stream"
    return f"{guess}; charset=utf-8" if guess.startswith("text/") else guess


def _digest(project: str, authorization: str) -> str:
    kind, _, given = authorization.partition(" ")
    try:
        credentials = b64decode(given, validate=True) if kind == "Basic" else b""
    except ValueError:
        credentials = b""
    return hashlib.sha256(project.encode() + b":" + credentials.partition(b":")[2]).hexdigest()
