"""What a worker keeps for its pair's next one: the installed packages, the repository's objects, a build's cache.

All of it is a shortcut and never a source. It lies below the pair's own prefix and is restored while other things are
done; whatever is missing, damaged or not as it should be costs the time of making it anew, and nothing else.

A worker that was taken over could write anything there, and the pair's next worker would read it. So it is unpacked by
a program without the worker's capabilities into a folder aside (`packed`), and each kind is believed in its own way:
packages run where installed packages always run, objects have the names of their contents and are used only where the
remote names them too, and a build's cache goes back to the builds of its own thread.
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
from webordinary_worker.warm_start.object_cache import RepositoryArchive
from webordinary_worker.warm_start.package_cache import PackageArchive
from webordinary_worker.warm_start.tar_store import Storage

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class WarmStart:
    """All three, of one pair."""

    def __init__(
        self, client: S3Client, names: Names, pair: Pair, cache: Path, confinement: Confinement, limits: Limits
    ) -> None:
        storage = Storage(client, names.bucket("media"), names.object_prefix("archives", pair), confinement, limits)
        self._packages = PackageArchive(storage, cache)
        self._repository = RepositoryArchive(storage, cache)
        self._builds = BuildCaches(storage, cache)

    def start_restore(self) -> None:
        """Restores packages and objects while other things are done; they are waited for where they are needed."""
        self._repository.begin()
        self._packages.begin()

    def wait_for_packages(self) -> None:
        """Until the packages are there."""
        self._packages.wait()

    def restore_objects(self, repository: Path, git: Git) -> tuple[str, ...] | None:
        """Brings the kept objects to an empty repository. Returns commits that the remote may be told of; or None."""
        return self._repository.bring(repository, git)

    def start_build_cache_restore(self, thread_id: str, folder: Path) -> None:
        """Restores the cache of a thread's builds to a folder that is not there yet."""
        self._builds.begin(thread_id, folder)

    def wait_for_build_cache(self, thread_id: str) -> None:
        self._builds.wait(thread_id)

    def keep(self, repository: Path, git: Git, default_branch: str) -> None:
        """Stores packages and objects if they are others than those of the archive, in the background."""
        self._packages.keep()
        self._repository.keep(repository, git, default_branch)

    def store_build_cache(self, thread_id: str, copy: CopyCache) -> None:
        self._builds.keep(thread_id, copy)

    def finish(self) -> None:
        """Waits until what is being stored is stored."""
        for part in (self._packages, self._repository, self._builds):
            part.finish()


class NoWarmStart:
    """Where workers share a disk, there is nothing to keep for the next one."""

    def start_restore(self) -> None:
        """Nothing to restore."""

    def wait_for_packages(self) -> None:
        """Nothing to wait for."""

    def restore_objects(self, repository: Path, git: Git) -> tuple[str, ...] | None:  # noqa: ARG002
        return None

    def start_build_cache_restore(self, thread_id: str, folder: Path) -> None:
        """Nothing to restore."""

    def wait_for_build_cache(self, thread_id: str) -> None:
        """Nothing to wait for."""

    def keep(self, repository: Path, git: Git, default_branch: str) -> None:
        """The cache is still there for the next one."""

    def store_build_cache(self, thread_id: str, copy: CopyCache) -> None:
        """Its build directory is still there for the next one."""
