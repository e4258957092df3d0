"""A repository's objects, kept for the pair's next worker: a clone then fetches only what came since.

Not the repository is kept, which has a configuration, hooks and references that git would follow, but one pack of all
its objects and a list of commits. The next worker makes a repository of its own. Git indexes the pack anew, confined,
and so gives every object the name that its content has. The list is only told to the remote as known, and what is on a
branch is for the remote to say: an object that it does not name is never looked at, and one that the pack lacks is
fetched like all contents that a clone has left out. Where that fails nevertheless, the clone is made without the pack.
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
from webordinary_worker.warm_start.tar_store import DamagedArchiveError, Storage, Storing, without_risk

PACK, TIPS = "objects.pack", "tips"
COMMIT = re.compile(r"[0-9a-f]{40}")
TIPS_KEPT = 50
INDEX_SECONDS = 60
# A clone of so little is as quick as an archive; and so much, or a quarter, may come from the remote each time.
LITTLE_BYTES = 256 * 1024
GROWTH = 1.25


class RepositoryArchive:
    def __init__(self, storage: Storage, cache: Path) -> None:
        self._packed = storage.packed("repository")
        self._git = storage.confinement.with_worker_user().with_own_marker()
        self._largest = storage.limits.file_bytes  # a program that is confined writes no larger one
        self._cache = cache
        self._restoring: threading.Thread | None = None
        self._restored: Path | None = None
        self._archived_bytes = 0
        self._storing = Storing("objects")

    def begin(self) -> None:
        self._restoring = threading.Thread(target=self._restore, name="objects", daemon=True)
        self._restoring.start()

    def bring(self, repository: Path, git: Git) -> tuple[str, ...] | None:
        """Brings the objects to a repository that has no remote yet. Returns commits that it has now, if it has any."""
        if self._restoring is not None:
            self._restoring.join()
        restored, self._restored = self._restored, None
        if restored is None:
            return None
        known: list[str] = []

        def bring() -> None:
            tips = _read_tips(restored / TIPS)
            for file in sorted(restored.glob("pack-*"), key=lambda path: path.suffix == ".idx"):  # the index last
                shutil.move(file, repository / "objects" / "pack" / file.name)
            # Without a remote, what is missing is not asked for.
            known.extend(git("rev-list", "--no-walk", "--ignore-missing", *tips).split())

        try:
            without_risk("The bringing of objects", bring)
        finally:
            shutil.rmtree(restored, ignore_errors=True)
        return tuple(known)

    def keep(self, repository: Path, git: Git, default_branch: str) -> None:
        """Stores the objects if there are many more than those of the archive, in the background."""
        size = sum(path.lstat().st_size for path in (repository / "objects").rglob("*") if path.is_file())
        enough = LITTLE_BYTES + self._archived_bytes * GROWTH
        if enough < size <= self._largest:
            self._storing.begin(lambda: self._keep(git, default_branch, size))

    def finish(self) -> None:
        self._storing.finish()

    def _restore(self) -> None:
        self._cache.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix="objects-", dir=self._cache))
        try:
            without_risk("The restoring of objects", lambda: self._restore_to(staging))
        finally:
            if self._restored is None:
                shutil.rmtree(staging, ignore_errors=True)

    def _restore_to(self, staging: Path) -> None:
        begun = time.monotonic()
        self._packed.restore(staging)
        if {path.name for path in staging.iterdir()} != {PACK, TIPS} or any(
            path.is_dir() for path in staging.iterdir()
        ):
            raise DamagedArchiveError("something in it is neither a pack nor its list")
        size = (staging / PACK).stat().st_size
        indexed = self._git.run(
            ["git", "index-pack", "--promisor=origin", PACK],
            folder=staging,
            environment={"HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "GIT_DIR": str(staging / "none")},
            seconds=INDEX_SECONDS,
        )
        name = COMMIT.search(indexed.output)
        if indexed.code != 0 or name is None:
            raise DamagedArchiveError(f"its objects are not what they should be: {indexed.output.strip()[-200:]}")
        for ending in (".pack", ".promisor", ".idx"):
            (staging / PACK).with_suffix(ending).rename(staging / f"pack-{name.group()}{ending}")
        self._archived_bytes = size
        self._restored = staging
        seconds = round(time.monotonic() - begun, 3)
        telemetry.logger().info("objects restored", extra={"seconds": seconds, "bytes": size})

    def _keep(self, git: Git, default_branch: str, size: int) -> None:
        with tempfile.TemporaryDirectory(prefix="keeping-", dir=self._cache) as place:
            folder = Path(place)
            _pack(git, folder, default_branch)
            self._packed.store(folder, (PACK, TIPS), self._cache)
        self._archived_bytes = size


def _pack(git: Git, folder: Path, default_branch: str) -> None:
    """One pack of everything that is there, whatever packs it lies in."""
    wanted = folder / "objects"
    wanted.write_text(git("cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname)"))
    git("pack-objects", "--quiet", str(folder / "made"), given=wanted)
    [made] = folder.glob("made-*.pack")
    made.rename(folder / PACK)
    form = "--format=%(objectname)"
    main = git("for-each-ref", form, f"refs/remotes/origin/{default_branch}")
    others = git("for-each-ref", form, "--sort=-committerdate", f"--count={TIPS_KEPT}", "refs/remotes/origin")
    (folder / TIPS).write_text(main + others)


def _read_tips(file: Path) -> list[str]:
    with file.open("rb") as content:
        named = content.read((TIPS_KEPT + 1) * len(f"{'0' * 40}\n")).decode(errors="replace").split()
    if not named or not all(COMMIT.fullmatch(name) for name in named):
        raise DamagedArchiveError("its list names something else than commits")
    return [*dict.fromkeys(named)]
