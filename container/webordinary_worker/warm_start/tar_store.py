"""Folders stored as S3 objects of a pair: tar, compressed with zstd.

Archives are not trusted. A program without the worker's capabilities unpacks them, and the unpacked files are checked
before use.
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

# Higher levels take longer than they save in transfer (decision 0029 has the figures).
COMPRESSION: Mapping[int, int] = {
    zstd.CompressionParameter.compression_level: 3,
    zstd.CompressionParameter.checksum_flag: 1,
    zstd.CompressionParameter.nb_workers: 2,
}
CHUNK_BYTES = 1024 * 1024
TAR_SECONDS = 300
MAX_DEPTH = 200
# Starts work in the background, under a name.
Start = Callable[[str, Callable[[], None]], None]
ERRORS = (BotoCoreError, ClientError, OSError, EOFError, zstd.ZstdError, WebordinaryError)


class DamagedArchiveError(WebordinaryError):
    def __init__(self, why: str) -> None:
        super().__init__(f"the archive is not used: {why}")


class MissingArchiveError(WebordinaryError):
    def __init__(self) -> None:
        super().__init__("no archive is stored yet")


def start_thread(name: str, work: Callable[[], None]) -> None:
    threading.Thread(target=work, name=name, daemon=True).start()


@dataclass(frozen=True)
class TarStore:
    """The archives of a pair, and the limits for what is stored and unpacked."""

    client: S3Client
    bucket: str
    prefix: str
    confinement: Confinement
    limits: Limits
    start: Start = start_thread

    def archive(self, name: str) -> TarArchive:
        return TarArchive(self, f"{self.prefix}{name}.tar.zst")


class TarArchive:
    def __init__(self, store: TarStore, key: str) -> None:
        self._store = store
        self._key = key
        self._tar = store.confinement.with_worker_user().with_own_marker()

    def restore(self, folder: Path) -> None:
        """Unpacks the archive into an empty folder and checks the files. Raises one of `ERRORS`."""
        self._unpack(self._fetch(), folder)
        check_plain(folder)

    def store(self, folder: Path, names: Sequence[str], scratch: Path) -> None:
        """Packs and stores some entries of a folder. If the archive is too large, the stored one stays."""
        with tempfile.TemporaryDirectory(prefix="packing-", dir=scratch) as temporary:
            packed = Path(temporary) / "packed"
            self._pack(folder, names, packed)
            if packed.stat().st_size > self._store.limits.archive_bytes:
                return
            with packed.open("rb") as content:
                self._store.client.put_object(Bucket=self._store.bucket, Key=self._key, Body=content)

    def _fetch(self) -> IO[bytes]:
        client = self._store.client
        try:
            response = client.get_object(Bucket=self._store.bucket, Key=self._key)
        except client.exceptions.NoSuchKey as error:
            raise MissingArchiveError from error
        if response["ContentLength"] > self._store.limits.archive_bytes:
            raise DamagedArchiveError(f"it is too large ({response['ContentLength']} bytes)")
        return response["Body"]  # type: ignore[return-value]

    def _unpack(self, body: IO[bytes], folder: Path) -> None:
        tar = self._tar.start(
            ["tar", "--extract", "--no-same-owner", "--no-same-permissions", "--file=-"],
            folder=folder,
            environment={"PATH": SYSTEM_PATH},
            stdin=subprocess.PIPE,
        )
        with self._limited(tar):
            if tar.stdin is None:
                raise RuntimeError("tar was started without a pipe")
            left = self._store.limits.unpacked_bytes
            with tar.stdin, zstd.ZstdFile(body) as content:
                while chunk := content.read(CHUNK_BYTES):
                    left -= len(chunk)
                    if left < 0:
                        raise DamagedArchiveError("it is too large once unpacked")
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
        with self._limited(tar):
            if tar.stdout is None:
                raise RuntimeError("tar was started without a pipe")
            with tar.stdout, zstd.ZstdFile(target, "w", options=COMPRESSION) as packed:
                shutil.copyfileobj(tar.stdout, packed, CHUNK_BYTES)
            if tar.wait() != 0:
                raise DamagedArchiveError("it could not be packed")

    @contextmanager
    def _limited(self, tar: subprocess.Popen[bytes]) -> Iterator[None]:
        """Kills tar after its time limit, and at the end of the block."""
        timer = threading.Timer(TAR_SECONDS, tar.kill)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            self._tar.end(tar)


def check_plain(folder: Path) -> None:
    """Raises unless a folder holds only folders, regular files, and links that stay below their top-level entry."""
    root = os.path.realpath(folder)
    for entry in os.scandir(root):
        _check(entry, entry.path, 0)


def _check(entry: os.DirEntry[str], top: str, depth: int) -> None:
    mode = entry.stat(follow_symlinks=False).st_mode
    if stat.S_ISLNK(mode):
        target = os.path.realpath(entry.path)
        if target != top and not target.startswith(f"{top}/"):
            raise DamagedArchiveError("a link points outside of it")
    elif mode & (stat.S_ISUID | stat.S_ISGID):
        raise DamagedArchiveError("a file is setuid or setgid")
    elif stat.S_ISDIR(mode):
        if depth > MAX_DEPTH:
            raise DamagedArchiveError(f"folders are nested more than {MAX_DEPTH} deep")
        for inner in os.scandir(entry.path):
            _check(inner, top, depth + 1)
    elif not stat.S_ISREG(mode):
        raise DamagedArchiveError("an entry is neither a file nor a folder")


class BackgroundStore:
    """Stores one thing at a time in the background; while one is being stored, others are skipped."""

    def __init__(self, what: str, start: Start) -> None:
        self._what = what
        self._start = start
        self._busy = threading.Lock()

    def store(self, work: Callable[[], None]) -> None:
        if self._busy.acquire(blocking=False):
            self._start(self._what, lambda: self._run(work))

    def _run(self, work: Callable[[], None]) -> None:
        try:
            best_effort(f"Storing {self._what}", work)
        finally:
            self._busy.release()


def best_effort(what: str, work: Callable[[], None]) -> None:
    """Logs an error of an archive; the worker continues without it."""
    try:
        work()
    except MissingArchiveError:
        pass
    except ERRORS as error:
        telemetry.logger().warning(f"{what} failed; the worker continues without it.", extra={"cause": str(error)})
