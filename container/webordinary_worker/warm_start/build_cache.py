"""The cache of a thread's builds (Astro's, with the images it has generated), stored for the pair's next worker.

The site's own code writes and reads it, so it is not trusted. It is restored only for builds of the same thread, and
never for a clean build, which publishing uses. A build that fails with it is repeated without it.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from webordinary_worker.confinement.safe_copy import Quota
from webordinary_worker.warm_start.tar_store import BackgroundStore, DamagedArchiveError, TarStore, best_effort

CACHE = "cache"
MAX_FILES = 5_000
# Copies the cache of a thread's builds into an empty folder, within the quota. FileNotFoundError without a cache.
CopyCache = Callable[[Path, Quota], None]


class BuildCaches:
    def __init__(self, store: TarStore, cache: Path) -> None:
        self._store = store
        self._cache = cache
        limits = store.limits
        self._quota = Quota(MAX_FILES, limits.file_bytes, limits.build_cache_bytes)
        self._restoring: dict[str, threading.Thread] = {}
        self._stored: dict[str, str] = {}
        self._background = BackgroundStore("a build cache", store.start)

    def start_restore(self, thread_id: str, folder: Path) -> None:
        if thread_id not in self._restoring:
            arguments = (thread_id, folder)
            background = threading.Thread(target=self._restore, args=arguments, name="build-cache", daemon=True)
            self._restoring[thread_id] = background
            background.start()

    def wait(self, thread_id: str) -> None:
        if thread_id in self._restoring:
            self._restoring[thread_id].join()

    def store(self, thread_id: str, copy: CopyCache) -> None:
        self._background.store(lambda: self._store_copy(thread_id, copy))

    def _restore(self, thread_id: str, folder: Path) -> None:
        self._cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="build-cache-", dir=self._cache) as temporary:

            def restore() -> None:
                staging = Path(temporary)
                self._store.archive(f"build-{thread_id}").restore(staging)
                if [path.name for path in staging.iterdir()] != [CACHE] or not (staging / CACHE).is_dir():
                    raise DamagedArchiveError("it holds something else than a cache")
                self._stored[thread_id] = _signature(staging / CACHE)
                shutil.move(staging / CACHE, folder)

            best_effort("Restoring a build cache", restore)

    def _store_copy(self, thread_id: str, copy: CopyCache) -> None:
        with tempfile.TemporaryDirectory(prefix="build-cache-", dir=self._cache) as temporary:
            copied = Path(temporary) / CACHE
            copied.mkdir()
            try:
                copy(copied, self._quota)
            except FileNotFoundError:
                return  # this site's builds have no cache
            signature = _signature(copied)
            if signature != self._stored.get(thread_id):
                self._store.archive(f"build-{thread_id}").store(Path(temporary), (CACHE,), self._cache)
                self._stored[thread_id] = signature


def _signature(folder: Path) -> str:
    """A digest of names and sizes: names of cached files change with their content."""
    files = [(str(path.relative_to(folder)), path.lstat().st_size) for path in folder.rglob("*") if path.is_file()]
    return hashlib.sha256(repr(sorted(files)).encode()).hexdigest()
