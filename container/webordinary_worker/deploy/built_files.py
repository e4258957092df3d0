"""The files of a built site: regular files of the build's user, and nothing else.

Files are not copied: copying a site takes longer than the rest of deploying one changed page. Instead, files are opened
relative to the descriptor of their folder and never through a link, and a file that is read later must still have its
digest. So only the hashed bytes are uploaded, even if the built site changes meanwhile.
"""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from webordinary.contract.errors import WebordinaryError
from webordinary_worker.confinement.safe_copy import MAX_DEPTH, Quota, read_below
from webordinary_worker.failures import TooLargeError

PUBLIC_HIDDEN = (".well-known", ".nojekyll")
CHUNK_BYTES = 1024 * 1024
# Non-blocking, because opening a pipe without a writer would block forever.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


class ChangedFileError(WebordinaryError):
    """A file of a built site has changed since it was hashed."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} has changed since it was hashed; the deployment stopped before uploading it")


@dataclass(frozen=True)
class SiteFiles:
    """`owner` is the user of builds, if they have one: files of other users are left out."""

    folder: Path
    owner: int | None
    quota: Quota

    def digests(self) -> dict[str, str]:
        """Path → digest of every file."""
        found: dict[str, str] = {}
        left = self.quota.total_bytes
        for parent, folders, names, descriptor in os.fwalk(self.folder, follow_symlinks=False):
            inside = Path(parent).relative_to(self.folder)
            folders[:] = [name for name in folders if _is_published(name)]
            if len(inside.parts) > MAX_DEPTH:
                raise TooLargeError(f"folders are nested more than {MAX_DEPTH} deep")
            for name in filter(_is_published, sorted(names)):
                hashed = self._hash(name, descriptor, left)
                if hashed is not None:
                    found[(inside / name).as_posix()], size = hashed
                    left -= size
                if len(found) > self.quota.files:
                    raise TooLargeError(f"there are more than {self.quota.files} files")
        return found

    def size(self, path: str) -> int:
        return (self.folder / path).lstat().st_size

    def read(self, path: str, digest: str) -> bytes:
        """Reads a file. Raises ChangedFileError unless it still has this digest."""
        try:
            content = read_below(self.folder, Path(path).parts, self.quota.file_bytes, self.owner)
        except OSError as error:
            raise ChangedFileError(path) from error
        if hashlib.sha256(content).hexdigest() != digest:
            raise ChangedFileError(path)
        return content

    def _hash(self, name: str, folder: int, left: int) -> tuple[str, int] | None:
        try:
            descriptor = os.open(name, _READ, dir_fd=folder)
        except OSError:
            return None  # a link, or unreadable
        try:
            status = os.fstat(descriptor)
            foreign = self.owner is not None and status.st_uid != self.owner
            if foreign or not stat.S_ISREG(status.st_mode):
                return None
            if status.st_size > self.quota.file_bytes:
                raise TooLargeError(f"a file has more than {self.quota.file_bytes} bytes")
            if status.st_size > left:
                raise TooLargeError(f"the files have more than {self.quota.total_bytes} bytes in total")
            return _digest(descriptor, status.st_size), status.st_size
        finally:
            os.close(descriptor)


def _digest(descriptor: int, size: int) -> str:
    digest = hashlib.sha256()
    while size > 0 and (chunk := os.read(descriptor, min(size, CHUNK_BYTES))):
        digest.update(chunk)
        size -= len(chunk)
    return digest.hexdigest()


def _is_published(name: str) -> bool:
    """Hidden files, such as `.env`, are never published."""
    return _is_url_safe(name) and (not name.startswith(".") or name in PUBLIC_HIDDEN)


def _is_url_safe(name: str) -> bool:
    """Names with control characters or invalid UTF-8 cannot be part of a URL."""
    return not any(char < " " or "\ud800" <= char <= "\udfff" for char in name)
