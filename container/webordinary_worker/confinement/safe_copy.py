"""Copies of folders between the worker and the users that it confines.

Nobody works in a folder of somebody else. The agent gets a fresh copy of the tree, the build another one, and what they
leave is copied back into folders that only the worker can write. So git runs over the worker's own files, a deployment
uploads the worker's own files, and no file ever changes its owner while its new owner can reach it.

Whatever lies on a confined user's side may be a link, a pipe, a file without end or somebody else's file. Folders and
files are open_folder below the descriptor of their parent and never through a link; what was open_folder is looked at again;
what is neither a plain file, a folder nor a wanted link is left out; what is too much is refused before it is read.
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
# Not waiting, because a pipe that nobody writes to would keep the worker waiting for good.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
_GIT_SUFFIXES = " ."
# Characters that some file systems do not see in a name.
_INVISIBLE = dict.fromkeys([0x200C, 0x200D, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF])


@dataclass(frozen=True)
class Quota:
    """How much may be copied. A file counts with the size that it claims, holes included."""

    files: int
    file_bytes: int
    total_bytes: int


class OverQuotaError(WebordinaryError):
    """There is more than may be copied."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what}; nothing more was copied")
        self.what = what


def is_git_folder(name: str) -> bool:
    """Whether git, on any file system, could take a name for a repository's own folder."""
    plain = name.translate(_INVISIBLE).partition(":")[0].rstrip(_GIT_SUFFIXES).casefold()
    return plain in (".git", "git~1")


@dataclass
class SafeCopy:
    """One copy from folder to folder, after which the target has what the source has.

    Files that belong to anybody but `source_uid` are left out: a hard link to a file of the worker is not a gift. What
    is made belongs to `target_uid`. Names that are `skip` are neither read in the source nor changed in the target.
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
            self._give(target_folder)  # last: until then nobody but the worker can enter

    def run_from(self, source_folder: int, target: Path) -> None:
        """The same, from a folder that is open."""
        with open_folder(target) as target_folder:
            self._folder(source_folder, target_folder, 0)
            self._give(target_folder)

    def run_below(self, source: Path, root: Path, parts: Sequence[str]) -> None:
        """The same, to a folder below another. What is in its way is removed, and a link not followed."""
        with ExitStack() as stack:
            source_folder, target = stack.enter_context(open_folder(source)), stack.enter_context(open_folder(root))
            for part in parts:
                target = stack.enter_context(self._made_folder(part, target, _is_there(part, target)))
            self._folder(source_folder, target, 0)

    def _folder(self, source: int, target: int, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise OverQuotaError(f"folders are more than {MAX_DEPTH} deep")
        present, kept = set(os.listdir(target)), set()
        for name in sorted(os.listdir(source)):
            if self.skip(name):
                continue
            self._count_file()
            if self._entry(name, source, target, depth, present):
                kept.add(name)
        for name in present - kept:
            if not self.skip(name):
                remove(name, target)

    def _entry(self, name: str, source: int, target: int, depth: int, present: set[str]) -> bool:
        # Only a hint which way to open it; what was open_folder is looked at again.
        mode = os.stat(name, dir_fd=source, follow_symlinks=False).st_mode
        if stat.S_ISDIR(mode):
            with open_folder(name, source) as inner, self._made_folder(name, target, name in present) as made:
                self._folder(inner, made, depth + 1)
            return True
        if stat.S_ISREG(mode):
            return self._file(name, source, target, name in present)
        if stat.S_ISLNK(mode) and self.with_links:
            remove(name, target)
            os.symlink(os.readlink(name, dir_fd=source), name, dir_fd=target)
            self._give(name, target)
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
            if not (present and _looks_the_same(status, name, target)):
                self._copy(reading, status, name, target)
            return True
        finally:
            os.close(reading)

    def _copy(self, reading: int, status: os.stat_result, name: str, target: int) -> None:
        remove(name, target)
        writing = os.open(name, _WRITE, 0o755 if status.st_mode & 0o111 else 0o644, dir_fd=target)
        try:
            left = status.st_size  # no more than was counted, should it grow meanwhile
            while left > 0 and (chunk := os.read(reading, min(left, CHUNK_BYTES))):
                _write_all(writing, chunk)
                left -= len(chunk)
            os.utime(writing, ns=(status.st_atime_ns, status.st_mtime_ns))
            self._give(writing)
        finally:
            os.close(writing)

    @contextmanager
    def _made_folder(self, name: str, target: int, present: bool) -> Iterator[int]:
        if present and not stat.S_ISDIR(os.stat(name, dir_fd=target, follow_symlinks=False).st_mode):
            remove(name, target)
            present = False
        if not present:
            os.mkdir(name, 0o755, dir_fd=target)
        with open_folder(name, target) as made:
            yield made
            self._give(made)

    def _give(self, what: int | str, folder: int | None = None) -> None:
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
            raise OverQuotaError(f"the files have more than {self.quota.total_bytes} bytes together")


def copy_for_user(source: Path, target: Path, owner: int | None, *, fresh: bool = True) -> None:
    """A copy of a folder of the worker's, for a confined user. The target's parent must be the worker's.

    It is a fresh one, unless somebody waits in the folder who has done nothing there yet.
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
    """A folder that a confined user calls its own. Its parent must be the worker's."""
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    if owner is not None:
        with open_folder(path) as folder:
            os.fchown(folder, owner, owner)


@contextmanager
def open_folder(path: str | Path, folder: int | None = None) -> Iterator[int]:
    """The descriptor of a folder, which is not reached through a link."""
    descriptor = os.open(path, _FOLDER, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def remove(name: str, folder: int) -> None:
    """Removes whatever has this name. A link is removed, not what it leads to."""
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        shutil.rmtree(name, dir_fd=folder)
    else:
        os.unlink(name, dir_fd=folder)


def write_below(root: Path, parts: Sequence[str], content: bytes, owner: int | None) -> None:
    """Writes a file below a confined user's folder, as that user's. Folders on the way are made where they are missing;
    a link on the way is an OSError."""
    *folders, name = parts
    descriptor = os.open(root, _FOLDER)
    try:
        for part in folders:
            made = _make_folder(part, descriptor)
            inner = os.open(part, _FOLDER, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
            if made and owner is not None:
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
    """Reads a plain file of a confined user. Anything else in its place is an OSError, a larger one as well."""
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
                raise OSError(f"{name} is not a plain file of its user")
            if status.st_size > largest:
                raise OSError(f"{name} has {status.st_size} bytes")
            return file.read(largest)
    finally:
        os.close(descriptor)


def _is_there(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _make_folder(name: str, folder: int) -> bool:
    try:
        os.mkdir(name, 0o700, dir_fd=folder)
    except FileExistsError:
        return False
    return True


def _looks_the_same(status: os.stat_result, name: str, target: int) -> bool:
    """Whoever forges the time of a file keeps his own change from being seen."""
    there = os.stat(name, dir_fd=target, follow_symlinks=False)
    return (
        stat.S_ISREG(there.st_mode)
        and (there.st_size, there.st_mtime_ns) == (status.st_size, status.st_mtime_ns)
        and bool(there.st_mode & 0o111) == bool(status.st_mode & 0o111)
    )


def _write_all(descriptor: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]
