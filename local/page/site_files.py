"""Serves the files of sites from the sites bucket, as the CDN does on AWS."""

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


class StoredFile(NamedTuple):
    content: bytes
    content_type: str


class LookupResult(NamedTuple):
    """The file for a path; with `missing`, the site's own 404 page or None."""

    file: StoredFile | None
    missing: bool


class Previews:
    """Looks up files of live sites and previews."""

    def __init__(self, emulated: EmulatedAws, names: Names) -> None:
        self._s3: S3Client = emulated.client("s3")
        self._dynamodb: DynamoDBClient = emulated.client("dynamodb")
        self._bucket = names.bucket("sites")
        self._projects = names.table("project_configs")

    def get(self, site: Site, path: str) -> LookupResult:
        """`path` is the raw path of the request."""
        keys = keys_of(site, path)
        file = self._first(keys.file)
        return LookupResult(file, missing=False) if file else LookupResult(self._first(keys.not_found), missing=True)

    def is_authorized(self, site: Site, authorization: str) -> bool:
        """Checks the password of a project's previews, if it has one; the user name is ignored."""
        expected = self._password_digest(site.project) if site.thread_id else None
        return expected is None or hmac.compare_digest(expected, _digest(site.project, authorization))

    def _password_digest(self, project: str) -> str | None:
        key = {"pk": {"S": f"project#{project}"}}
        item = self._dynamodb.get_item(TableName=self._projects, Key=key).get("Item", {})
        return item.get("previewPasswordDigest", {}).get("S")

    def _first(self, keys: tuple[str, ...]) -> StoredFile | None:
        return next(filter(None, map(self._object, keys)), None)

    def _object(self, key: str) -> StoredFile | None:
        try:
            found = self._s3.get_object(Bucket=self._bucket, Key=key)
        except (self._s3.exceptions.NoSuchKey, self._s3.exceptions.NoSuchBucket):
            return None
        stored_type = found.get("ContentType", "")
        content_type = stored_type if stored_type and stored_type != "binary/octet-stream" else guess_type(key)
        return StoredFile(found["Body"].read(), content_type)


def guess_type(key: str) -> str:
    guess = mimetypes.guess_type(key)[0] or "application/octet-stream"
    return f"{guess}; charset=utf-8" if guess.startswith("text/") else guess


def _digest(project: str, authorization: str) -> str:
    scheme, _, encoded = authorization.partition(" ")
    try:
        credentials = b64decode(encoded, validate=True) if scheme == "Basic" else b""
    except ValueError:
        credentials = b""
    return hashlib.sha256(project.encode() + b":" + credentials.partition(b":")[2]).hexdigest()
