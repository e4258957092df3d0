"""Copies folders between the worker and the confined users.

No two users share a folder. The agent gets a copy of the tree, the build gets another one, and their results are copied
back into folders that only the worker can write. So git and deployments only use the worker's own files, and no file
changes its owner while the new owner can access it.

A confined user's folder may contain links, pipes, endless files or other users' files. Folders and files are opened
relative to the descriptor of their parent, never through a link, and checked again after opening. Anything but regular
files, folders and wanted links is left out. The quota is checked before a file is read.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from webordinary.contract.errors import WebordinaryError

MAX_DEPTH = 60
CHUNK_BYTES = 1024 * 1024
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
# Non-blocking, because opening a pipe without a writer would block forever.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
_IGNORED_SUFFIXES = " ."
# Characters that some file systems ignore in names.
_INVISIBLE = dict.fromkeys([0x200C, 0x200D, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF])


@dataclass(frozen=True)
class Quota:
    """How much may be copied. A sparse file counts with its apparent size."""

    files: int
    file_bytes: int
    total_bytes: int


class OverQuotaError(WebordinaryError):
    """The source exceeds the quota."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}; the copy stopped")
        self.what = what


def is_git_folder(name: str) -> bool:
    """Whether git, on any file system, could take a name for `.git`."""
    return plain_name(name) in (".git", "git~1")


def plain_name(name: str) -> str:
    """The file that a name means on the file systems of other machines, which ignore some characters."""
    return name.translate(_INVISIBLE).partition(":")[0].rstrip(_IGNORED_SUFFIXES).casefold()


@dataclass
class SafeCopy:
    """Makes a target folder equal to a source folder.

    Files of other users than `source_uid` are left out, because they may be hard links to files of the worker. Created
    files belong to `target_uid`. Names for which `skip` is true are neither read in the source nor changed in the
    target.
    """

    quota: Quota | None = None
    source_uid: int | None = None
    target_uid: int | None = None
    with_links: bool = True
    skip: Callable[[str], bool] = lambda _: False
    _files: int = field(default=0, init=False)
    _bytes: int = field(default=0, init=False)

    def run(self, source: Path, target: Path) -> None:
        with open_folder(source) as source_folder, open_folder(target) as target_folder:
            self._folder(source_folder, target_folder, 0)
            self._chown(target_folder)  # last: until then only the worker can enter

    def run_from(self, source_folder: int, target: Path) -> None:
        """Copies from an open folder."""
        with open_folder(target) as target_folder:
            self._folder(source_folder, target_folder, 0)
            self._chown(target_folder)

    def run_below(self, source: Path, root: Path, parts: Sequence[str]) -> None:
        """Copies to a folder below `root`. Anything else at its path is removed; links are not followed."""
        with ExitStack() as stack:
            source_folder, target = stack.enter_context(open_folder(source)), stack.enter_context(open_folder(root))
            for part in parts:
                target = stack.enter_context(self._make_folder(part, target, _exists(part, target)))
            self._folder(source_folder, target, 0)

    def _folder(self, source: int, target: int, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise OverQuotaError(f"folders are nested more than {MAX_DEPTH} deep")
        present, copied = set(os.listdir(target)), set()
        for name in sorted(os.listdir(source)):
            if self.skip(name):
                continue
            self._count_file()
            if self._entry(name, source, target, depth, present):
                copied.add(name)
        for name in sorted(present - copied):
            if not self.skip(name):
                self._remove(name, target)

    def _remove(self, name: str, target: int) -> bool:
        remove(name, target)
        return True

    def _entry(self, name: str, source: int, target: int, depth: int, present: set[str]) -> bool:
        # Only a hint how to open it; the opened file is checked again.
        mode = os.stat(name, dir_fd=source, follow_symlinks=False).st_mode
        if stat.S_ISDIR(mode):
            with open_folder(name, source) as inner, self._make_folder(name, target, name in present) as created:
                self._folder(inner, created, depth + 1)
            return True
        if stat.S_ISREG(mode):
            return self._file(name, source, target, name in present)
        if stat.S_ISLNK(mode) and self.with_links:
            remove(name, target)
            os.symlink(os.readlink(name, dir_fd=source), name, dir_fd=target)
            self._chown(name, target)
            return True
        return False

    def _file(self, name: str, source: int, target: int, present: bool) -> bool:
        reading = os.open(name, _READ, dir_fd=source)
        try:
            status = os.fstat(reading)
            foreign = self.source_uid is not None and status.st_uid != self.source_uid
            if foreign or not stat.S_ISREG(status.st_mode):
                return False
            self._count_bytes(status.st_size)
            if not (present and is_unchanged(status, name, target)):
                self._copy(reading, status, name, target)
            return True
        finally:
            os.close(reading)

    def _copy(self, reading: int, status: os.stat_result, name: str, target: int) -> None:
        remove(name, target)
        writing = os.open(name, _WRITE, 0o755 if status.st_mode & 0o111 else 0o644, dir_fd=target)
        try:
            left = status.st_size  # at most what was counted, even if the file grows
            while left > 0 and (chunk := os.read(reading, min(left, CHUNK_BYTES))):
                _write_all(writing, chunk)
                left -= len(chunk)
            os.utime(writing, ns=(status.st_atime_ns, status.st_mtime_ns))
            self._chown(writing)
        finally:
            os.close(writing)

    @contextmanager
    def _make_folder(self, name: str, target: int, present: bool) -> Iterator[int]:
        if present and not stat.S_ISDIR(os.stat(name, dir_fd=target, follow_symlinks=False).st_mode):
            remove(name, target)
            present = False
        if not present:
            os.mkdir(name, 0o755, dir_fd=target)
        with open_folder(name, target) as created:
            yield created
            self._chown(created)

    def _chown(self, what: int | str, folder: int | None = None) -> None:
        if self.target_uid is None:
            return
        if isinstance(what, int):
            os.fchown(what, self.target_uid, self.target_uid)
        else:
            os.chown(what, self.target_uid, self.target_uid, dir_fd=folder, follow_symlinks=False)

    def _count_file(self) -> None:
        self._files += 1
        if self.quota is not None and self._files > self.quota.files:
            raise OverQuotaError(f"there are more than {self.quota.files} files")

    def _count_bytes(self, size: int) -> None:
        self._bytes += size
        if self.quota is None:
            return
        if size > self.quota.file_bytes:
            raise OverQuotaError(f"a file has more than {self.quota.file_bytes} bytes")
        if self._bytes > self.quota.total_bytes:
            raise OverQuotaError(f"the files have more than {self.quota.total_bytes} bytes in total")


def copy_for_user(source: Path, target: Path, owner: int | None, *, fresh: bool = True) -> None:
    """Copies a folder of the worker for a confined user. The target's parent must belong to the worker.

    Without `fresh`, an existing target is updated: only safe if its user has not run anything there yet.
    """
    if not fresh and target.is_dir() and not target.is_symlink():
        SafeCopy(target_uid=owner).run(source, target)
        return
    if target.is_symlink():
        target.unlink()
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(mode=0o700)
    SafeCopy(target_uid=owner).run(source, target)


def make_folder(path: Path, owner: int | None) -> None:
    """Creates a folder that belongs to a confined user. Its parent must belong to the worker."""
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    if owner is not None:
        with open_folder(path) as folder:
            os.fchown(folder, owner, owner)


@contextmanager
def open_folder(path: str | Path, folder: int | None = None) -> Iterator[int]:
    """Opens a folder, but not through a link."""
    descriptor = os.open(path, _FOLDER, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def remove(name: str, folder: int) -> None:
    """Removes a file, folder or link, if it exists. Links are not followed."""
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        shutil.rmtree(name, dir_fd=folder)
    else:
        os.unlink(name, dir_fd=folder)


def write_below(root: Path, parts: Sequence[str], content: bytes, owner: int | None) -> None:
    """Writes a file of a confined user below its folder, and creates missing folders. OSError if a folder is a link."""
    *folders, name = parts
    descriptor = os.open(root, _FOLDER)
    try:
        for part in folders:
            created = _create_folder(part, descriptor)
            inner = os.open(part, _FOLDER, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
            if created and owner is not None:
                os.fchown(descriptor, owner, owner)
        remove(name, descriptor)
        writing = os.open(name, _WRITE, 0o600, dir_fd=descriptor)
        with os.fdopen(writing, "wb") as file:
            file.write(content)
            if owner is not None:
                os.fchown(writing, owner, owner)
    finally:
        os.close(descriptor)


def read_below(root: Path, parts: Sequence[str], largest: int, owner: int | None) -> bytes:
    """Reads a regular file of a confined user. OSError if it is anything else, or too large."""
    *folders, name = parts
    descriptor = os.open(root, _FOLDER)
    try:
        for part in folders:
            inner = os.open(part, _FOLDER, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        with os.fdopen(os.open(name, _READ, dir_fd=descriptor), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or (owner is not None and status.st_uid != owner):
                raise OSError(f"{name} is not a regular file of its user")
            if status.st_size > largest:
                raise OSError(f"{name} has {status.st_size} bytes")
            return file.read(largest)
    finally:
        os.close(descriptor)


def _exists(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _create_folder(name: str, folder: int) -> bool:
    try:
        os.mkdir(name, 0o700, dir_fd=folder)
    except FileExistsError:
        return False
    return True


def is_unchanged(status: os.stat_result, name: str, target: int) -> bool:
    """By size and time. A user that forges the time of a file only loses its own change."""
    existing = os.stat(name, dir_fd=target, follow_symlinks=False)
    return (
        stat.S_ISREG(existing.st_mode)
        and (existing.st_size, existing.st_mtime_ns) == (status.st_size, status.st_mtime_ns)
        and bool(existing.st_mode & 0o111) == bool(status.st_mode & 0o111)
    )


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]
