"""Folders as objects of the pair: tar, compressed with zstd, unpacked by a program without the worker's capabilities.

What was unpacked is looked at before anybody uses it: whoever wrote the object may have meant harm.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from backports import zstd
from botocore.exceptions import BotoCoreError, ClientError

from webordinary.aws import telemetry
from webordinary.contract.errors import WebordinaryError
from webordinary_worker.confinement.limits import Limits
from webordinary_worker.confinement.processes import SYSTEM_PATH, Confinement

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

# Stronger ones take longer to make than they save on the way (decision 0029 has the figures).
COMPRESSION: Mapping[int, int] = {
    zstd.CompressionParameter.compression_level: 3,
    zstd.CompressionParameter.checksum_flag: 1,
    zstd.CompressionParameter.nb_workers: 2,
}
CHUNK_BYTES = 1024 * 1024
TAR_SECONDS = 300
DEEPEST = 200
TROUBLE = (BotoCoreError, ClientError, OSError, EOFError, zstd.ZstdError, WebordinaryError)


class DamagedArchiveError(WebordinaryError):
    def __init__(self, why: str) -> None:
        super().__init__(f"the archive is not used: {why}")


class NothingKeptError(WebordinaryError):
    def __init__(self) -> None:
        super().__init__("nobody has kept anything yet")


@dataclass(frozen=True)
class Storage:
    """Where a pair's archives are, and what may be taken from them."""

    client: S3Client
    bucket: str
    prefix: str
    confinement: Confinement
    limits: Limits

    def packed(self, name: str) -> PackedFolder:
        return PackedFolder(self, f"{self.prefix}{name}.tar.zst")


class PackedFolder:
    def __init__(self, storage: Storage, key: str) -> None:
        self._storage = storage
        self._key = key
        self._tar = storage.confinement.with_worker_user().with_own_marker()

    def restore(self, folder: Path) -> None:
        """Unpacks it into an empty folder and looks at it. Raises NothingKeptError, or what else went wrong."""
        self._unpack(self._fetch(), folder)
        check_plain(folder)

    def store(self, folder: Path, names: Sequence[str], scratch: Path) -> None:
        """Packs some of what is in a folder. What would be too large is not stored, and what is there stays."""
        with tempfile.TemporaryDirectory(prefix="packing-", dir=scratch) as place:
            packed = Path(place) / "packed"
            self._pack(folder, names, packed)
            if packed.stat().st_size > self._storage.limits.archive_bytes:
                return
            with packed.open("rb") as content:
                self._storage.client.put_object(Bucket=self._storage.bucket, Key=self._key, Body=content)

    def _fetch(self) -> IO[bytes]:
        client = self._storage.client
        try:
            answer = client.get_object(Bucket=self._storage.bucket, Key=self._key)
        except client.exceptions.NoSuchKey as error:
            raise NothingKeptError from error
        if answer["ContentLength"] > self._storage.limits.archive_bytes:
            raise DamagedArchiveError(f"it has {answer['ContentLength']} bytes")
        return answer["Body"]  # type: ignore[return-value]

    def _unpack(self, body: IO[bytes], folder: Path) -> None:
        tar = self._tar.start(
            ["tar", "--extract", "--no-same-owner", "--no-same-permissions", "--file=-"],
            folder=folder,
            environment={"PATH": SYSTEM_PATH},
            stdin=subprocess.PIPE,
        )
        with self._ended(tar):
            if tar.stdin is None:
                raise RuntimeError("tar was started without a pipe")
            left = self._storage.limits.unpacked_bytes
            with tar.stdin, zstd.ZstdFile(body) as content:
                while chunk := content.read(CHUNK_BYTES):
                    left -= len(chunk)
                    if left < 0:
                        raise DamagedArchiveError("there is more in it than may be unpacked")
                    tar.stdin.write(chunk)
            if tar.wait() != 0:
                raise DamagedArchiveError("it cannot be unpacked")

    def _pack(self, folder: Path, names: Sequence[str], target: Path) -> None:
        tar = self._tar.start(
            ["tar", "--create", "--file=-", "--", *names],
            folder=folder,
            environment={"PATH": SYSTEM_PATH},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        with self._ended(tar):
            if tar.stdout is None:
                raise RuntimeError("tar was started without a pipe")
            with tar.stdout, zstd.ZstdFile(target, "w", options=COMPRESSION) as packed:
                shutil.copyfileobj(tar.stdout, packed, CHUNK_BYTES)
            if tar.wait() != 0:
                raise DamagedArchiveError("it could not be packed")

    @contextmanager
    def _ended(self, tar: subprocess.Popen[bytes]) -> Iterator[None]:
        timer = threading.Timer(TAR_SECONDS, tar.kill)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            self._tar.end(tar)


def check_plain(folder: Path) -> None:
    """Raises unless all below a folder are folders, plain files, and links that stay in the entry they are in."""
    root = os.path.realpath(folder)
    for entry in os.scandir(root):
        _check(entry, entry.path, 0)


def _check(entry: os.DirEntry[str], top: str, depth: int) -> None:
    mode = entry.stat(follow_symlinks=False).st_mode
    if stat.S_ISLNK(mode):
        target = os.path.realpath(entry.path)
        if target != top and not target.startswith(f"{top}/"):
            raise DamagedArchiveError("a link in it leads outside")
    elif mode & (stat.S_ISUID | stat.S_ISGID):
        raise DamagedArchiveError("something in it has special rights")
    elif stat.S_ISDIR(mode):
        if depth > DEEPEST:
            raise DamagedArchiveError(f"folders in it are more than {DEEPEST} deep")
        for inner in os.scandir(entry.path):
            _check(inner, top, depth + 1)
    elif not stat.S_ISREG(mode):
        raise DamagedArchiveError("something in it is neither a file nor a folder")


class Storing:
    """What is stored in the background: one thing at a time, and nobody waits for it but `finish`."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._busy = threading.Lock()

    def begin(self, store: Callable[[], None]) -> None:
        """Nothing, while something is being stored."""
        if self._busy.acquire(blocking=False):
            threading.Thread(target=self._run, args=(store,), name=self._what, daemon=True).start()

    def finish(self) -> None:
        with self._busy:
            pass

    def _run(self, store: Callable[[], None]) -> None:
        try:
            without_risk(f"The storing of {self._what}", store)
        finally:
            self._busy.release()


def without_risk(what: str, work: Callable[[], None]) -> None:
    """Whatever goes wrong with an archive is noted, and nothing else."""
    try:
        work()
    except NothingKeptError:
        pass
    except TROUBLE as error:
        telemetry.logger().warning(f"{what} could not be done.", extra={"cause": str(error)})
