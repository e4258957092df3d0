"""Sees what becomes of a confined user's copy of a tree while that user is at work in it.

It looks again and again rather than being told: what is told would be the words of whoever is watched. Nothing is
followed, and only plain files of that user are read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from webordinary_worker.confinement.safe_copy import read_below

LARGEST_FILE = 8 * 1024 * 1024
MOST_FILES = 20_000

Stamps = dict[str, tuple[int, int]]


@dataclass(frozen=True)
class FileChange:
    path: str
    content: bytes | None  # None where it is gone


def stamps_of(tree: Path, left_out: Callable[[str], bool]) -> Stamps:
    """Time and size of the plain files of a tree."""
    found: Stamps = {}
    beginning = len(os.fspath(tree)) + 1
    for parent, folders, files, descriptor in os.fwalk(tree, follow_symlinks=False):
        folders[:] = [name for name in folders if not left_out(name)]
        for name in files:
            try:
                status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
            except FileNotFoundError:  # just removed
                continue
            if stat.S_ISREG(status.st_mode) and not left_out(name):
                found[f"{parent[beginning:]}/{name}".lstrip("/")] = (status.st_mtime_ns, status.st_size)
        if len(found) > MOST_FILES:
            raise OSError(f"there are more than {MOST_FILES} files to watch")
    return found


@dataclass
class TreeWatch:
    """`known` is what whoever is told of changes has already; it goes along with what was told."""

    known: Stamps
    owner: int | None
    left_out: Callable[[str], bool]

    def changes(self, copy: Path) -> Iterator[FileChange]:
        found = stamps_of(copy, self.left_out)
        for path, stamp in found.items():
            if self.known.get(path) != stamp and stamp[1] <= LARGEST_FILE:
                try:
                    content = read_below(copy, path.split("/"), LARGEST_FILE, self.owner)
                except OSError:  # it is another one by now: looked at again in the next round
                    continue
                self.known[path] = stamp
                yield FileChange(path, content)
        for path in self.known.keys() - found.keys():
            del self.known[path]
            yield FileChange(path, None)
