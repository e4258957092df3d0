"""What a build has left as its site: the plain files of its user, and nothing else.

Nothing is copied, because copying a site costs more than all else that deploying one changed page needs. Instead, files
are opened below the descriptor of their folder and never through a link, and a file that is read later must have
the digest that it had: whatever happens to a built site meanwhile, no other bytes are taken for those that were hashed.
"""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from webordinary.contract.errors import WebordinaryError
from webordinary_worker.confinement.safe_copy import DEEPEST, Quota, read_below
from webordinary_worker.failures import TooLargeError

CHUNK_BYTES = 1024 * 1024
# Not waiting, because a pipe that nobody writes to would keep the worker waiting for good.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


class ChangedFileError(WebordinaryError):
    """A file of a built site is not what it was when it was hashed."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} has changed since it was hashed; it was not uploaded, and the deployment ended there")


@dataclass(frozen=True)
class SiteFiles:
    """`owner` is the user whose files count, where builds have a user of their own."""

    folder: Path
    owner: int | None
    quota: Quota

    def digests(self) -> dict[str, str]:
        """Path → digest of every file."""
        found: dict[str, str] = {}
        left = self.quota.total_bytes
        for parent, folders, names, descriptor in os.fwalk(self.folder, follow_symlinks=False):
            inside = Path(parent).relative_to(self.folder)
            folders[:] = [name for name in folders if _has_address(name)]
            if len(inside.parts) > DEEPEST:
                raise TooLargeError(f"folders are more than {DEEPEST} deep")
            for name in filter(_has_address, sorted(names)):
                hashed = self._hashed(name, descriptor, left)
                if hashed is not None:
                    found[(inside / name).as_posix()], size = hashed
                    left -= size
                if len(found) > self.quota.files:
                    raise TooLargeError(f"there are more than {self.quota.files} files")
        return found

    def size(self, path: str) -> int:
        return (self.folder / path).lstat().st_size

    def read(self, path: str, digest: str) -> bytes:
        """A file's content, if it is still what was hashed."""
        try:
            content = read_below(self.folder, Path(path).parts, self.quota.file_bytes, self.owner)
        except OSError as error:
            raise ChangedFileError(path) from error
        if hashlib.sha256(content).hexdigest() != digest:
            raise ChangedFileError(path)
        return content

    def _hashed(self, name: str, folder: int, left: int) -> tuple[str, int] | None:
        try:
            descriptor = os.open(name, _READ, dir_fd=folder)
        except OSError:
            return None  # a link, or nothing that can be read
        try:
            status = os.fstat(descriptor)
            foreign = self.owner is not None and status.st_uid != self.owner
            if foreign or not stat.S_ISREG(status.st_mode):
                return None
            if status.st_size > self.quota.file_bytes:
                raise TooLargeError(f"a file has more than {self.quota.file_bytes} bytes")
            if status.st_size > left:
                raise TooLargeError(f"the files have more than {self.quota.total_bytes} bytes together")
            return _digest(descriptor, status.st_size), status.st_size
        finally:
            os.close(descriptor)


def _digest(descriptor: int, size: int) -> str:
    digest = hashlib.sha256()
    while size > 0 and (chunk := os.read(descriptor, min(size, CHUNK_BYTES))):
        digest.update(chunk)
        size -= len(chunk)
    return digest.hexdigest()


def _has_address(name: str) -> bool:
    """Names of bytes that are no text cannot be part of an address."""
    return not any(char < " " or "\ud800" <= char <= "\udfff" for char in name)
