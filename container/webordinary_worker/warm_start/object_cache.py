"""A repository's objects, stored for the pair's next worker: its clone then fetches only newer commits.

Stored are one pack of all objects and a list of commits, not the repository: git would follow its configuration, hooks
and references. The next worker creates its own repository. A confined git indexes the pack, so every object is
addressed by its content. The list of commits is only used to negotiate with the remote, and the remote says what is on
a branch: objects that it does not name are never used, and objects missing from the pack are fetched like all contents
that a partial clone leaves out. If that fails, the repository is cloned without the pack.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import threading
import time
from pathlib import Path

from webordinary.aws import telemetry
from webordinary_worker.git.command import Git
from webordinary_worker.warm_start.tar_store import BackgroundStore, DamagedArchiveError, TarStore, best_effort

PACK, TIPS = "objects.pack", "tips"
COMMIT = re.compile(r"[0-9a-f]{40}")
MAX_TIPS = 50
INDEX_SECONDS = 60
# Repositories up to this size are cloned as fast as restored. Larger ones are stored again when they grow by a quarter.
MIN_BYTES = 256 * 1024
GROWTH = 1.25


class StoredObjects:
    def __init__(self, store: TarStore, cache: Path) -> None:
        self._archive = store.archive("repository")
        self._git = store.confinement.with_worker_user().with_own_marker()
        self._max_bytes = store.limits.file_bytes  # a confined program cannot write a larger file
        self._cache = cache
        self._restoring: threading.Thread | None = None
        self._restored: Path | None = None
        self._stored_bytes = 0
        self._background = BackgroundStore("objects", store.start)

    def start_restore(self) -> None:
        self._restoring = threading.Thread(target=self._restore, name="objects", daemon=True)
        self._restoring.start()

    def move_into(self, repository: Path, git: Git) -> tuple[str, ...] | None:
        """Moves the restored objects into a repository that has no remote yet. Returns commits that it has now."""
        if self._restoring is not None:
            self._restoring.join()
        restored, self._restored = self._restored, None
        if restored is None:
            return None
        known: list[str] = []

        def move() -> None:
            tips = _read_tips(restored / TIPS)
            for file in sorted(restored.glob("pack-*"), key=lambda path: path.suffix == ".idx"):  # the index last
                shutil.move(file, repository / "objects" / "pack" / file.name)
            # Without a remote, git does not fetch missing commits here.
            known.extend(git("rev-list", "--no-walk", "--ignore-missing", *tips).split())

        try:
            best_effort("Moving restored objects", move)
        finally:
            shutil.rmtree(restored, ignore_errors=True)
        return tuple(known)

    def store(self, repository: Path, git: Git, default_branch: str) -> None:
        """Stores the objects in the background, if there are many more than the stored ones."""
        size = sum(path.lstat().st_size for path in (repository / "objects").rglob("*") if path.is_file())
        enough = MIN_BYTES + self._stored_bytes * GROWTH
        if enough < size <= self._max_bytes:
            self._background.store(lambda: self._store(git, default_branch, size))

    def _restore(self) -> None:
        self._cache.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix="objects-", dir=self._cache))
        try:
            best_effort("Restoring objects", lambda: self._restore_to(staging))
        finally:
            if self._restored is None:
                shutil.rmtree(staging, ignore_errors=True)

    def _restore_to(self, staging: Path) -> None:
        started = time.monotonic()
        self._archive.restore(staging)
        if {path.name for path in staging.iterdir()} != {PACK, TIPS} or any(
            path.is_dir() for path in staging.iterdir()
        ):
            raise DamagedArchiveError("it holds something else than a pack and its list")
        size = (staging / PACK).stat().st_size
        indexed = self._git.run(
            ["git", "index-pack", "--promisor=origin", PACK],
            folder=staging,
            environment={"HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "GIT_DIR": str(staging / "none")},
            seconds=INDEX_SECONDS,
        )
        name = COMMIT.search(indexed.output)
        if indexed.code != 0 or name is None:
            raise DamagedArchiveError(f"its objects are invalid: {indexed.output.strip()[-200:]}")
        for ending in (".pack", ".promisor", ".idx"):
            (staging / PACK).with_suffix(ending).rename(staging / f"pack-{name.group()}{ending}")
        self._stored_bytes = size
        self._restored = staging
        seconds = round(time.monotonic() - started, 3)
        telemetry.logger().info("objects restored", extra={"seconds": seconds, "bytes": size})

    def _store(self, git: Git, default_branch: str, size: int) -> None:
        with tempfile.TemporaryDirectory(prefix="storing-", dir=self._cache) as temporary:
            folder = Path(temporary)
            _pack(git, folder, default_branch)
            self._archive.store(folder, (PACK, TIPS), self._cache)
        self._stored_bytes = size


def _pack(git: Git, folder: Path, default_branch: str) -> None:
    """Writes one pack of all objects, and the list of commits."""
    names = folder / "objects"
    names.write_text(git("cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname)"))
    git("pack-objects", "--quiet", str(folder / "new"), stdin_file=names)
    [pack] = folder.glob("new-*.pack")
    pack.rename(folder / PACK)
    form = "--format=%(objectname)"
    main = git("for-each-ref", form, f"refs/remotes/origin/{default_branch}")
    others = git("for-each-ref", form, "--sort=-committerdate", f"--count={MAX_TIPS}", "refs/remotes/origin")
    (folder / TIPS).write_text(main + others)


def _read_tips(file: Path) -> list[str]:
    with file.open("rb") as content:
        named = content.read((MAX_TIPS + 1) * len(f"{'0' * 40}\n")).decode(errors="replace").split()
    if not named or not all(COMMIT.fullmatch(name) for name in named):
        raise DamagedArchiveError("its list holds something else than commit ids")
    return [*dict.fromkeys(named)]
