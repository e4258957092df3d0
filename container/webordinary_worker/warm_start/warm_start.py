"""Everything that a worker stores for the pair's next worker: installed packages, git objects and build caches.

All of it is an optimisation. It is stored below the pair's own prefix and restored in the background. What is missing
or damaged is installed, fetched or built again.

A compromised worker can write anything there, and the pair's next worker reads it. So `tar_store` unpacks it into a
staging folder, with a program without the worker's capabilities, and each kind is restricted: packages run where all
installed packages run; objects are addressed by their content and used only where the remote names them too; a build
cache is restored only for builds of its own thread.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from webordinary.contract.messages.base import Pair
from webordinary.contract.names import Names
from webordinary_worker.confinement.limits import Limits
from webordinary_worker.confinement.processes import Confinement
from webordinary_worker.git.command import Git
from webordinary_worker.warm_start.build_cache import BuildCaches, CopyCache
from webordinary_worker.warm_start.object_cache import StoredObjects
from webordinary_worker.warm_start.package_cache import PackageCache
from webordinary_worker.warm_start.tar_store import Start, TarStore, start_thread

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class WarmStart:
    """The stored packages, objects and build caches of one pair. `start` runs a store in the background."""

    def __init__(
        self,
        client: S3Client,
        names: Names,
        pair: Pair,
        cache: Path,
        confinement: Confinement,
        limits: Limits,
        start: Start = start_thread,
    ) -> None:
        prefix = names.object_prefix("archives", pair)
        store = TarStore(client, names.bucket("media"), prefix, confinement, limits, start)
        self._packages = PackageCache(store, cache)
        self._objects = StoredObjects(store, cache)
        self._builds = BuildCaches(store, cache)

    def start_restore(self) -> None:
        """Restores packages and objects in the background."""
        self._objects.start_restore()
        self._packages.start_restore()

    def wait_for_packages(self) -> None:
        self._packages.wait()

    def restore_objects(self, repository: Path, git: Git) -> tuple[str, ...] | None:
        """Moves the restored objects into a new repository. Returns the commits it has now; None if there are none."""
        return self._objects.move_into(repository, git)

    def start_build_cache_restore(self, thread_id: str, folder: Path) -> None:
        """Restores the cache of a thread's builds to a folder that does not exist yet, in the background."""
        self._builds.start_restore(thread_id, folder)

    def wait_for_build_cache(self, thread_id: str) -> None:
        self._builds.wait(thread_id)

    def store_packages(self) -> None:
        """Stores the installed packages in the background, unless the stored ones are the same."""
        self._packages.store()

    def store_objects(self, repository: Path, git: Git, default_branch: str) -> None:
        """Stores the repository's objects in the background, if it has grown enough."""
        self._objects.store(repository, git, default_branch)

    def store_build_cache(self, thread_id: str, copy: CopyCache) -> None:
        self._builds.store(thread_id, copy)


class NoWarmStart:
    """For workers that share a disk: what one worker leaves on it, the next one finds."""

    def start_restore(self) -> None: ...

    def wait_for_packages(self) -> None: ...

    def restore_objects(self, repository: Path, git: Git) -> tuple[str, ...] | None:  # noqa: ARG002
        return None

    def start_build_cache_restore(self, thread_id: str, folder: Path) -> None: ...

    def wait_for_build_cache(self, thread_id: str) -> None: ...

    def store_packages(self) -> None: ...

    def store_objects(self, repository: Path, git: Git, default_branch: str) -> None: ...

    def store_build_cache(self, thread_id: str, copy: CopyCache) -> None: ...
