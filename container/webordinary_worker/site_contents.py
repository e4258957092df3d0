"""Where the files of a release come from: what was just built, or the preview that shows the same already."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from webordinary_worker.deploy import copied, manifest_of
from webordinary_worker.folder_copies import Quota

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class BuiltContents:
    """A built site, in a copy that is the worker's own."""

    def __init__(self, client: S3Client, folder: Path) -> None:
        self._client = client
        self._folder = folder
        self.files: Mapping[str, str] = manifest_of(folder)

    @classmethod
    @contextmanager
    def of(cls, client: S3Client, site: Path, builder: int | None, quota: Quota) -> Iterator[BuiltContents]:
        with copied(site, builder, quota) as copy:
            yield cls(client, copy)

    def keep(self, path: str, bucket: str, key: str) -> None:
        self._client.put_object(Bucket=bucket, Key=key, Body=(self._folder / path).read_bytes())


class PreviewContents:
    """The files of a preview, where they are: nothing is built and nothing goes through the worker."""

    def __init__(self, client: S3Client, prefix: str, files: Mapping[str, str]) -> None:
        self._client = client
        self._prefix = prefix
        self.files = files

    def keep(self, path: str, bucket: str, key: str) -> None:
        self._client.copy_object(Bucket=bucket, Key=key, CopySource={"Bucket": bucket, "Key": self._prefix + path})
