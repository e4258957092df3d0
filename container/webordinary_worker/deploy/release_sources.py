"""Sources of a release's files: a finished build, or a preview that already has the same files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from webordinary_worker.deploy.built_files import SiteFiles
from webordinary_worker.deploy.uploads import Uploads

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class BuiltContents:
    """The files of a build. Only the hashed bytes are stored."""

    def __init__(self, client: S3Client, site: SiteFiles) -> None:
        self._client = client
        self._site = site
        self.files: Mapping[str, str] = site.digests()

    def store(self, path: str, bucket: str, key: str) -> None:
        Uploads(self._client, bucket).put(key, self._site.read(path, self.files[path]), {})


class PreviewContents:
    """The files of a preview, copied within the bucket."""

    def __init__(self, client: S3Client, prefix: str, files: Mapping[str, str]) -> None:
        self._client = client
        self._prefix = prefix
        self.files = files

    def store(self, path: str, bucket: str, key: str) -> None:
        self._client.copy_object(Bucket=bucket, Key=key, CopySource={"Bucket": bucket, "Key": self._prefix + path})
