"""Sources of a release's files: a finished build, or a preview that already has the same files.

Released files are stored by their digest, so only bytes that have it are stored.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from webordinary_worker.deploy.built_files import ChangedFileError, SiteFiles
from webordinary_worker.deploy.uploads import Uploads
from webordinary_worker.parallel import run_all

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

PARALLEL_DOWNLOADS = 8  # each file is in memory once


class BuiltContents:
    """The files of a build. Only the hashed bytes are stored."""

    def __init__(self, client: S3Client, site: SiteFiles) -> None:
        self._client = client
        self._site = site
        self.files: Mapping[str, str] = site.digests()

    def store(self, path: str, bucket: str, key: str) -> None:
        Uploads(self._client, bucket).put(key, self._site.read(path, self.files[path]), {})


class PreviewContents:
    """The files of a preview. They are downloaded to `folder`, because S3 copies whatever an object holds by then."""

    def __init__(
        self,
        client: S3Client,
        bucket: str,
        prefix: str,
        files: Mapping[str, str],
        *,
        folder: Path,
        file_bytes: int,
    ) -> None:
        self._client = client
        self._bucket = bucket
        self._prefix = prefix
        self._folder = folder
        self._file_bytes = file_bytes
        self.files = files

    def fetch(self, stored: Collection[str]) -> bool:
        """Downloads the files whose digests are not stored yet. False if the preview is not what its manifest says."""
        missing = {digest: path for path, digest in self.files.items() if digest not in stored}
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True, mode=0o700)
        try:
            run_all([partial(self._download, path) for path in missing.values()], max_parallel=PARALLEL_DOWNLOADS)
        except (ChangedFileError, ClientError):
            return False
        return True

    def store(self, path: str, bucket: str, key: str) -> None:
        downloaded = self._folder / self.files[path]
        if not downloaded.exists():  # another release was live when the files were fetched
            self._download(path)
        Uploads(self._client, bucket).put(key, downloaded.read_bytes(), {})

    def _download(self, path: str) -> None:
        response = self._client.get_object(Bucket=self._bucket, Key=self._prefix + path)
        content = response["Body"].read(self._file_bytes + 1)
        digest = hashlib.sha256(content).hexdigest()
        if digest != self.files[path]:
            raise ChangedFileError(path)
        (self._folder / digest).write_bytes(content)
