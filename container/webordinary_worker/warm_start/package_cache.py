"""Installed packages, kept for the pair's next worker: installing them is most of what makes a start slow.

They are used only if nothing in them leads outside, is special or has special rights. What is in them runs as the user
of the sites and without a network, like all that is installed.
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
from webordinary_worker.site.packages.installer import RECORD, InstallRecord
from webordinary_worker.warm_start.tar_store import DamagedArchiveError, Storage, Storing, without_risk

# As folders of installed packages are called: the digest of what decides about their content.
INSTALLED = re.compile(r"[0-9a-f]{32}")
INSTALLATIONS_KEPT = 2


class PackageArchive:
    def __init__(self, storage: Storage, cache: Path) -> None:
        self._packed = storage.packed("packages")
        self._cache = cache
        self._archived: frozenset[str] | None = None
        self._restoring: threading.Thread | None = None
        self._storing = Storing("packages")

    def begin(self) -> None:
        self._restoring = threading.Thread(target=self._restore, name="packages", daemon=True)
        self._restoring.start()

    def wait(self) -> None:
        if self._restoring is not None:
            self._restoring.join()

    def keep(self) -> None:
        names = self._installed()
        if names and names != self._archived:
            self._storing.begin(lambda: self._keep(names))

    def finish(self) -> None:
        self._storing.finish()

    def _restore(self) -> None:
        self._cache.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix="restoring-", dir=self._cache))
        try:
            without_risk("The restoring of packages", lambda: self._restore_from(staging))
        finally:
            shutil.rmtree(staging, ignore_errors=True)

    def _restore_from(self, staging: Path) -> None:
        begun = time.monotonic()
        self._packed.restore(staging)
        found = check_installations(staging)
        for name in found:
            with suppress(OSError):  # it is there already
                (staging / name).rename(self._cache / name)
        self._archived = found
        seconds = round(time.monotonic() - begun, 3)
        telemetry.logger().info("packages restored", extra={"seconds": seconds, "installations": len(found)})

    def _keep(self, names: frozenset[str]) -> None:
        self._packed.store(self._cache, sorted(names), self._cache)
        self._archived = names

    def _installed(self) -> frozenset[str]:
        """The installations that were made last. Older ones are of lock files that are gone."""
        with suppress(OSError):
            found = [path for path in self._cache.iterdir() if INSTALLED.fullmatch(path.name)]
            found.sort(key=lambda path: path.stat().st_mtime, reverse=True)
            return frozenset(path.name for path in found[:INSTALLATIONS_KEPT])
        return frozenset()


def check_installations(folder: Path) -> frozenset[str]:
    """The installations that were unpacked. Raises if something is none."""
    found = [*folder.iterdir()]
    for path in found:
        if not INSTALLED.fullmatch(path.name) or path.is_symlink() or not path.is_dir():
            raise DamagedArchiveError("something in it is no installation")
        _check_record(path)
    return frozenset(path.name for path in found)


def _check_record(root: Path) -> None:
    """What it says about itself decides where packages are linked from and to."""
    try:
        places = InstallRecord.model_validate_json((root / RECORD).read_bytes()).places
    except (OSError, ValidationError) as error:
        raise DamagedArchiveError("an installation in it does not say what it is") from error
    if any(PurePosixPath(place).is_absolute() or ".." in PurePosixPath(place).parts for place in places):
        raise DamagedArchiveError("an installation in it would be linked elsewhere")
