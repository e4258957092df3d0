"""Finds changes in a confined user's copy of a tree while that user works in it.

It scans repeatedly, because notifications from the watched user cannot be trusted. Links are not followed, and only
regular files of that user are read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from webordinary_worker.confinement.safe_copy import read_below

MAX_FILE_BYTES = 8 * 1024 * 1024
MAX_FILES = 20_000

Stamps = dict[str, tuple[int, int]]


@dataclass(frozen=True)
class FileChange:
    path: str
    content: bytes | None  # None if it was deleted


def stamps_of(tree: Path, skip: Callable[[str], bool]) -> Stamps:
    """Modification time and size of the regular files of a tree."""
    found: Stamps = {}
    prefix = len(os.fspath(tree)) + 1
    for parent, folders, files, descriptor in os.fwalk(tree, follow_symlinks=False):
        folders[:] = [name for name in folders if not skip(name)]
        for name in files:
            try:
                status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            except FileNotFoundError:  # it has just been removed
                continue
            if stat.S_ISREG(status.st_mode) and not skip(name):
                found[f"{parent[prefix:]}/{name}".lstrip("/")] = (status.st_mtime_ns, status.st_size)
        if len(found) > MAX_FILES:
            raise OSError(f"there are more than {MAX_FILES} files to watch")
    return found


@dataclass
class TreeWatch:
    """`known` are the files as last reported; it is updated with every change."""

    known: Stamps
    owner: int | None
    skip: Callable[[str], bool]

    def changes(self, copy: Path) -> Iterator[FileChange]:
        found = stamps_of(copy, self.skip)
        for path, stamp in found.items():
            if self.known.get(path) != stamp and stamp[1] <= MAX_FILE_BYTES:
                try:
                    content = read_below(copy, path.split("/"), MAX_FILE_BYTES, self.owner)
                except OSError:  # it changed since the scan: the next scan finds it again
                    continue
                self.known[path] = stamp
                yield FileChange(path, content)
        for path in self.known.keys() - found.keys():
            del self.known[path]
            yield FileChange(path, None)
