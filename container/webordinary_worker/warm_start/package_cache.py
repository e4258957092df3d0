"""Installed packages, stored for the pair's next worker: installing them is the slowest part of a cold start.

They are used only if they contain no link to the outside, no special file and no setuid file. Their code runs as the
user of the sites and without a network, like all installed packages.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from webordinary.aws import telemetry
from webordinary_worker.site.packages.installer import InstallRecord
from webordinary_worker.site.packages.manager_process import RECORD
from webordinary_worker.warm_start.tar_store import BackgroundStore, DamagedArchiveError, TarStore, best_effort

# Folders of installed packages are named by a digest of everything that determines their content.
INSTALLED = re.compile(r"[0-9a-f]{32}")
MAX_STORED = 2


class PackageCache:
    def __init__(self, store: TarStore, cache: Path) -> None:
        self._archive = store.archive("packages")
        self._cache = cache
        self._stored: frozenset[str] | None = None
        self._restoring: threading.Thread | None = None
        self._background = BackgroundStore("packages", store.start)

    def start_restore(self) -> None:
        self._restoring = threading.Thread(target=self._restore, name="packages", daemon=True)
        self._restoring.start()

    def wait(self) -> None:
        if self._restoring is not None:
            self._restoring.join()

    def store(self) -> None:
        names = self._newest_installations()
        if names and names != self._stored:
            self._background.store(lambda: self._store(names))

    def _restore(self) -> None:
        self._cache.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix="restoring-", dir=self._cache))
        try:
            best_effort("Restoring packages", lambda: self._restore_from(staging))
        finally:
            shutil.rmtree(staging, ignore_errors=True)

    def _restore_from(self, staging: Path) -> None:
        started = time.monotonic()
        self._archive.restore(staging)
        found = check_installations(staging)
        for name in found:
            with suppress(OSError):  # it exists already
                (staging / name).rename(self._cache / name)
        self._stored = found
        seconds = round(time.monotonic() - started, 3)
        telemetry.logger().info("packages restored", extra={"seconds": seconds, "installations": len(found)})

    def _store(self, names: frozenset[str]) -> None:
        self._archive.store(self._cache, sorted(names), self._cache)
        self._stored = names

    def _newest_installations(self) -> frozenset[str]:
        """Older installations belong to lock files that no longer exist."""
        with suppress(OSError):
            found = [path for path in self._cache.iterdir() if INSTALLED.fullmatch(path.name)]
            found.sort(key=lambda path: path.stat().st_mtime, reverse=True)
            return frozenset(path.name for path in found[:MAX_STORED])
        return frozenset()


def check_installations(folder: Path) -> frozenset[str]:
    """Returns the names of the unpacked installations. Raises if anything else was unpacked."""
    found = [*folder.iterdir()]
    for path in found:
        if not INSTALLED.fullmatch(path.name) or path.is_symlink() or not path.is_dir():
            raise DamagedArchiveError("it holds something else than installations")
        _check_record(path)
    return frozenset(path.name for path in found)


def _check_record(root: Path) -> None:
    """Checks the record of an installation: it determines where packages are linked from and to."""
    try:
        places = InstallRecord.model_validate_json((root / RECORD).read_bytes()).places
    except (OSError, ValidationError) as error:
        raise DamagedArchiveError("the record of an installation is missing or invalid") from error
    if any(PurePosixPath(place).is_absolute() or ".." in PurePosixPath(place).parts for place in places):
        raise DamagedArchiveError("an installation would be linked to a folder outside")
