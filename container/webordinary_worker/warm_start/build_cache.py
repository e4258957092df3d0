"""The cache that a thread's builds leave (Astro's, with pictures that it has made), kept for the pair's next worker.

The site's own code writes it and reads it, so what is in it is that code's word. It goes back to builds of the same
thread and to no others, and never to a clean build, which is what a publish asks for. A build that fails with it is
made once more without.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from webordinary_worker.confinement.safe_copy import Quota
from webordinary_worker.warm_start.tar_store import DamagedArchiveError, Storage, Storing, without_risk

CACHE = "cache"
MOST_FILES = 5_000
# Copies the cache of a thread's builds into an empty folder, no more than the quota. OSError if there is none.
CopyCache = Callable[[Path, Quota], None]


class BuildCaches:
    def __init__(self, storage: Storage, cache: Path) -> None:
        self._storage = storage
        self._cache = cache
        limits = storage.limits
        self._quota = Quota(MOST_FILES, limits.file_bytes, limits.build_cache_bytes)
        self._restoring: dict[str, threading.Thread] = {}
        self._archived: dict[str, str] = {}
        self._storing = Storing("a build's cache")

    def begin(self, thread_id: str, folder: Path) -> None:
        if thread_id not in self._restoring:
            arguments = (thread_id, folder)
            thread = threading.Thread(target=self._restore, args=arguments, name="build-cache", daemon=True)
            self._restoring[thread_id] = thread
            thread.start()

    def wait(self, thread_id: str) -> None:
        if thread_id in self._restoring:
            self._restoring[thread_id].join()

    def keep(self, thread_id: str, copy: CopyCache) -> None:
        self._storing.begin(lambda: self._keep(thread_id, copy))

    def finish(self) -> None:
        self._storing.finish()

    def _restore(self, thread_id: str, folder: Path) -> None:
        self._cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="build-cache-", dir=self._cache) as place:

            def restore() -> None:
                staging = Path(place)
                self._storage.packed(f"build-{thread_id}").restore(staging)
                if [path.name for path in staging.iterdir()] != [CACHE] or not (staging / CACHE).is_dir():
                    raise DamagedArchiveError("something in it is no cache")
                self._archived[thread_id] = _signature(staging / CACHE)
                shutil.move(staging / CACHE, folder)

            without_risk("The restoring of a build's cache", restore)

    def _keep(self, thread_id: str, copy: CopyCache) -> None:
        with tempfile.TemporaryDirectory(prefix="build-cache-", dir=self._cache) as place:
            kept = Path(place) / CACHE
            kept.mkdir()
            try:
                copy(kept, self._quota)
            except FileNotFoundError:
                return  # this site's builds leave none
            signature = _signature(kept)
            if signature != self._archived.get(thread_id):
                self._storage.packed(f"build-{thread_id}").store(Path(place), (CACHE,), self._cache)
                self._archived[thread_id] = signature


def _signature(folder: Path) -> str:
    """Names and sizes: what is in a cache is found by names that change with its content."""
    files = [(str(path.relative_to(folder)), path.lstat().st_size) for path in folder.rglob("*") if path.is_file()]
    return hashlib.sha256(repr(sorted(files)).encode()).hexdigest()
