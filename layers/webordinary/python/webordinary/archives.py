"""Unpacks tar archives that are not trusted.

As strict as `TarFile.extractall(filter="data")`, which Python 3.11.0 to 3.11.3 do not have. Files are written first and
symbolic links last, so that no entry is written through a link of the same archive.
"""

from __future__ import annotations

import os
import posixpath
import shutil
import stat
from collections.abc import Iterable
from pathlib import Path
from tarfile import TarError, TarFile, TarInfo

NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class UnsafeArchiveError(TarError):
    def __init__(self, member: TarInfo, why: str) -> None:
        super().__init__(f"the archive is not unpacked: {member.name!r} {why}")


def unpack_tar(archive: TarFile, folder: Path) -> None:
    """Unpacks folders, regular files and links. They belong to the running user and have no special permissions.

    Raises UnsafeArchiveError for an entry or a link that leaves the folder, and for devices and pipes. Earlier entries
    are already written.
    """
    root = Path(os.path.realpath(folder))
    links: list[tuple[TarInfo, Path]] = []
    for member in archive:
        path = _path_below(root, member, member.name.lstrip("/"))
        if member.isdir():
            path.mkdir(parents=True, exist_ok=True)
            continue
        if path == root:
            raise UnsafeArchiveError(member, "replaces the folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        if member.isreg():
            _write(archive, member, path)
        elif member.islnk():
            _link(root, member, path)
        elif member.issym():
            links.append((member, path))
        else:
            raise UnsafeArchiveError(member, "is neither a file, a folder nor a link")
    _link_symbolically(root, links)


def _path_below(root: Path, member: TarInfo, name: str) -> Path:
    """The path of an entry. Its folder contains no link, also none that was there before."""
    if "\0" in name or ".." in name.split("/"):
        raise UnsafeArchiveError(member, "leaves the folder")
    path = root / name
    if path != root and os.path.realpath(path.parent) != str(path.parent):
        raise UnsafeArchiveError(member, "is below a link")
    return path


def _write(archive: TarFile, member: TarInfo, path: Path) -> None:
    content = archive.extractfile(member)
    if content is None:
        raise UnsafeArchiveError(member, "has no content")
    _remove(path)
    with content, os.fdopen(os.open(path, NEW_FILE, 0o600), "wb") as target:
        shutil.copyfileobj(content, target)
        os.fchmod(target.fileno(), _permissions(member.mode))


def _permissions(mode: int) -> int:
    """At most 0755, at least 0600; executable only if it is for the owner."""
    return (mode & (0o755 if mode & stat.S_IXUSR else 0o644)) | 0o600


def _link(root: Path, member: TarInfo, path: Path) -> None:
    if member.linkname.startswith("/"):
        raise UnsafeArchiveError(member, "links to an absolute path")
    target = _path_below(root, member, member.linkname)
    if target.is_symlink() or not target.is_file():
        raise UnsafeArchiveError(member, "links to no file of the archive")
    if target != path:
        _remove(path)
        os.link(target, path, follow_symlinks=False)


def _link_symbolically(root: Path, links: Iterable[tuple[TarInfo, Path]]) -> None:
    for member, path in links:
        # Normalized, ".." is only at the beginning, where it counts real folders: no other link can change its meaning.
        target = posixpath.normpath(member.linkname)
        above = sum(part == ".." for part in target.split("/"))
        if target.startswith("/") or "\0" in target or above >= len(path.relative_to(root).parts):
            raise UnsafeArchiveError(member, "links to a path outside of the folder")
        _path_below(root, member, str(path.relative_to(root)))
        _remove(path)
        path.symlink_to(target)


def _remove(path: Path) -> None:
    """An archive may contain an entry twice; the last one counts."""
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
