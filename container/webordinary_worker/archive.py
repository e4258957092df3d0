"""Installed packages, kept for the pair's next worker: installing them is most of what makes a start slow.

They are one object of the pair, read and written with the pair's own rights, and only ever a shortcut: whatever is
missing, damaged or not as it should be costs the time of installing them anew, and nothing else. They are restored
while other things are done, and stored in the background when they are others than those that were restored.

A worker that was taken over could write anything here, and the pair's next worker would read it. So they are unpacked
by a program without the worker's capabilities, into a folder aside, and used only if nothing in them leads outside, is
special or has special rights. What is in them runs as the user of the sites and without a network, like all that is
installed. Repositories are not kept: one has a configuration that runs programs.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import stat
import subprocess
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError
from pydantic import ValidationError

from webordinary.platform import observability
from webordinary.platform.errors import WebordinaryError
from webordinary.platform.messages import Pair
from webordinary.platform.names import Names
from webordinary_worker.limits import Limits
from webordinary_worker.processes import SYSTEM_PATH, Confinement
from webordinary_worker.site.packages import RECORD, Installation

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

PACKAGES = "packages.tar.gz"
# As folders of installed packages are called: the digest of what decides about their content.
INSTALLED = re.compile(r"[0-9a-f]{32}")
INSTALLATIONS_KEPT = 2
# The weakest: a stronger one takes longer to make than it saves on the way.
COMPRESSION = 1
CHUNK_BYTES = 1024 * 1024
TAR_SECONDS = 300
_TROUBLE = (BotoCoreError, ClientError, OSError, EOFError, WebordinaryError)


class DamagedArchiveError(WebordinaryError):
    def __init__(self, why: str) -> None:
        super().__init__(f"the archive is not used: {why}")


class PackageArchive:
    def __init__(
        self, client: S3Client, names: Names, pair: Pair, cache: Path, confinement: Confinement, limits: Limits
    ) -> None:
        self._client = client
        self._bucket = names.bucket("media")
        self._key = names.object_prefix("archives", pair) + PACKAGES
        self._cache = cache
        self._tar = confinement.with_worker_user().apart()
        self._limits = limits
        self._archived: frozenset[str] | None = None
        self._restoring: threading.Thread | None = None
        self._keeping = threading.Lock()

    def begin(self) -> None:
        """Restores the packages while other things are done; `wait` before they are needed."""
        self._restoring = threading.Thread(target=self._restore, name="archive", daemon=True)
        self._restoring.start()

    def wait(self) -> None:
        if self._restoring is not None:
            self._restoring.join()

    def keep(self) -> None:
        """Stores the packages if they are others than those of the archive, in the background."""
        names = self._installed()
        if names and names != self._archived and self._keeping.acquire(blocking=False):
            threading.Thread(target=self._keep, args=(names,), name="archive", daemon=True).start()

    def finish(self) -> None:
        """Waits until what is being stored is stored."""
        with self._keeping:
            pass

    def _restore(self) -> None:
        begun = time.monotonic()
        self._cache.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix="restoring-", dir=self._cache))
        try:
            self._unpack(self._fetch(), staging)
            found = check_unpacked(staging)
            for name in found:
                with suppress(OSError):  # it is there already
                    (staging / name).rename(self._cache / name)
            self._archived = found
            seconds = round(time.monotonic() - begun, 3)
            observability.logger().info("packages restored", extra={"seconds": seconds, "installations": len(found)})
        except self._client.exceptions.NoSuchKey:
            pass  # nobody has kept any yet
        except _TROUBLE as error:
            _warn("The packages could not be restored.", error)
        finally:
            shutil.rmtree(staging, ignore_errors=True)

    def _unpack(self, body: IO[bytes], staging: Path) -> None:
        tar = self._tar.start(
            ["tar", "--extract", "--no-same-owner", "--no-same-permissions", "--file=-"],
            folder=staging,
            environment={"PATH": SYSTEM_PATH},
            stdin=subprocess.PIPE,
        )
        timer = threading.Timer(TAR_SECONDS, tar.kill)
        timer.start()
        try:
            if tar.stdin is None:
                raise RuntimeError("tar was started without a pipe")
            left = self._limits.unpacked_bytes
            with tar.stdin, gzip.GzipFile(fileobj=body) as content:
                while chunk := content.read(CHUNK_BYTES):
                    left -= len(chunk)
                    if left < 0:
                        raise DamagedArchiveError("there is more in it than may be unpacked")
                    tar.stdin.write(chunk)
            if tar.wait() != 0:
                raise DamagedArchiveError("it cannot be unpacked")
        finally:
            timer.cancel()
            self._tar.end(tar)

    def _keep(self, names: frozenset[str]) -> None:
        with tempfile.TemporaryDirectory(prefix="archive-") as folder:
            packed = Path(folder) / PACKAGES
            try:
                self._pack(sorted(names), packed)
                if packed.stat().st_size <= self._limits.archive_bytes:
                    self._store(packed)
                self._archived = names
            except _TROUBLE as error:
                _warn("The packages were not stored.", error)
            finally:
                self._keeping.release()

    def _pack(self, names: list[str], target: Path) -> None:
        tar = self._tar.start(
            ["tar", "--create", "--file=-", *names],
            folder=self._cache,
            environment={"PATH": SYSTEM_PATH},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        try:
            if tar.stdout is None:
                raise RuntimeError("tar was started without a pipe")
            with tar.stdout, gzip.open(target, "wb", COMPRESSION) as packed:
                shutil.copyfileobj(tar.stdout, packed, CHUNK_BYTES)
            if tar.wait() != 0:
                raise DamagedArchiveError("it could not be packed")
        finally:
            self._tar.end(tar)

    def _installed(self) -> frozenset[str]:
        """The installations that were made last. Older ones are of lock files that are gone."""
        with suppress(OSError):
            found = [path for path in self._cache.iterdir() if INSTALLED.fullmatch(path.name)]
            found.sort(key=lambda path: path.stat().st_mtime, reverse=True)
            return frozenset(path.name for path in found[:INSTALLATIONS_KEPT])
        return frozenset()

    def _fetch(self) -> IO[bytes]:
        answer = self._client.get_object(Bucket=self._bucket, Key=self._key)
        if answer["ContentLength"] > self._limits.archive_bytes:
            raise DamagedArchiveError(f"it has {answer['ContentLength']} bytes")
        return answer["Body"]  # type: ignore[return-value]

    def _store(self, file: Path) -> None:
        with file.open("rb") as content:
            self._client.put_object(Bucket=self._bucket, Key=self._key, Body=content)


def check_unpacked(folder: Path) -> frozenset[str]:
    """The installations that were unpacked. Raises if anything in them is not what an installation has."""
    names = [path.name for path in folder.iterdir()]
    if not all(INSTALLED.fullmatch(name) for name in names):
        raise DamagedArchiveError("something in it is no installation")
    for name in names:
        root = folder / name
        if not stat.S_ISDIR(root.lstat().st_mode):
            raise DamagedArchiveError("something in it is no installation")
        for parent, folders, files in os.walk(root):
            for entry in (*folders, *files):
                _check_entry(Path(parent, entry), root)
        _check_record(root)
    return frozenset(names)


def _check_entry(path: Path, root: Path) -> None:
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        if not path.resolve().is_relative_to(root.resolve()):
            raise DamagedArchiveError("a link in it leads outside")
    elif not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        raise DamagedArchiveError("something in it is neither a file nor a folder")
    elif status.st_mode & (stat.S_ISUID | stat.S_ISGID):
        raise DamagedArchiveError("something in it has special rights")


def _check_record(root: Path) -> None:
    """What it says about itself decides where packages are linked from and to."""
    try:
        places = Installation.model_validate_json((root / RECORD).read_bytes()).places
    except (OSError, ValidationError) as error:
        raise DamagedArchiveError("an installation in it does not say what it is") from error
    if any(PurePosixPath(place).is_absolute() or ".." in PurePosixPath(place).parts for place in places):
        raise DamagedArchiveError("an installation in it would be linked elsewhere")


def _warn(message: str, error: Exception) -> None:
    observability.logger().warning(message, extra={"cause": str(error)})


class NoArchive:
    """Where workers share a cache, there is nothing to keep for the next one."""

    def begin(self) -> None:
        """Nothing to restore."""

    def wait(self) -> None:
        """Nothing to wait for."""

    def keep(self) -> None:
        """The cache is still there for the next one."""
