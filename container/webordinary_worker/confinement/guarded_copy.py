"""Takes over only some of the changes in a confined user's folder, and lists the others.

A file that may not be changed stays as it is in the target, also if it is new, missing or another kind of entry in the
source. Links are never taken over: a link at an allowed path may lead to any other.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from webordinary_worker.confinement.safe_copy import SafeCopy, is_unchanged, open_folder, remove

MAX_LISTED = 1000


@dataclass
class GuardedCopy(SafeCopy):
    """`may_change` decides by the path below the target. `refused` lists the paths of changes that were left out."""

    may_change: Callable[[str], bool] = lambda _: True
    refused: list[str] = field(default_factory=list, init=False)
    _parents: list[str] = field(default_factory=list, init=False)

    def _entry(self, name: str, source: int, target: int, depth: int, present: set[str]) -> bool:
        status = os.stat(name, dir_fd=source, follow_symlinks=False)
        existing = _mode(name, target) if name in present else None
        if stat.S_ISDIR(status.st_mode):
            return self._inner_folder(name, source, target, depth, existing)
        if existing is not None and self._is_same(name, status, existing, source, target):
            return True
        if not stat.S_ISREG(status.st_mode) or not self.may_change(self._path(name)):
            self._refuse(name)
            return True
        if existing is not None and not stat.S_ISREG(existing) and not self._remove(name, target):
            return True
        return super()._entry(name, source, target, depth, present)

    def _inner_folder(self, name: str, source: int, target: int, depth: int, existing: int | None) -> bool:
        if existing is not None and not stat.S_ISDIR(existing) and not self._remove(name, target):
            return True
        is_new = existing is None or not stat.S_ISDIR(existing)
        self._parents.append(name)
        try:
            super()._entry(name, source, target, depth, set() if is_new else {name})
        finally:
            self._parents.pop()
        if is_new:
            with suppress(OSError):  # it has files
                os.rmdir(name, dir_fd=target)
        return True

    def _remove(self, name: str, target: int) -> bool:
        """Removes what may be changed of a file or folder. Returns whether nothing is left of it."""
        if stat.S_ISDIR(_mode(name, target)):
            self._parents.append(name)
            try:
                with open_folder(name, target) as folder:
                    entries = sorted(os.listdir(folder))  # noqa: PTH208  a descriptor
                    left = [entry for entry in entries if self.skip(entry) or not self._remove(entry, folder)]
            finally:
                self._parents.pop()
            if not left:
                os.rmdir(name, dir_fd=target)
            return not left
        if not self.may_change(self._path(name)):
            self._refuse(name)
            return False
        remove(name, target)
        return True

    def _is_same(self, name: str, status: os.stat_result, existing: int, source: int, target: int) -> bool:
        if stat.S_ISLNK(status.st_mode) and stat.S_ISLNK(existing):
            return os.readlink(name, dir_fd=source) == os.readlink(name, dir_fd=target)
        return stat.S_ISREG(status.st_mode) and is_unchanged(status, name, target)

    def _path(self, name: str) -> str:
        return "/".join((*self._parents, name))

    def _refuse(self, name: str) -> None:
        if len(self.refused) < MAX_LISTED:
            self.refused.append(self._path(name))


def _mode(name: str, folder: int) -> int:
    return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
