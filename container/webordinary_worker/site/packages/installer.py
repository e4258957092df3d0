"""Installs a site's packages, once per project and lock file.

A manager runs as a separate user (see `manager_process`), so builds do not own the files. Afterwards the folder
belongs to the worker, and only the worker can enter it. A build gets read-only hard links to the installed files.
"""

from __future__ import annotations

import hashlib
import platform
import re
import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from webordinary.contract.errors import WebordinaryError
from webordinary.contract.outcomes import Failure
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.processes import SYSTEM_PATH, Confinement, Launcher
from webordinary_worker.failures import JobFailedError
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.site.log_excerpt import excerpt_of
from webordinary_worker.site.packages.hardlinks import PACKAGES
from webordinary_worker.site.packages.manager_process import RECORD, ManagerProcess, move_into_place
from webordinary_worker.site.packages.manifests import Manifests, read_manifests
from webordinary_worker.site.packages.platform_binaries import missing_binaries, with_packages
from webordinary_worker.site.packages.script_substitutes import (
    patch_command,
    patch_environment,
    replacements,
    with_replacements,
)

NODE_SECONDS = 30
PATCH_SECONDS = 60
BLOCKED_HOSTS = "not connected: "
_GIT = re.compile(
    r"EALLOWGIT|EALLOWPROGRAM git|approvedGitRepositories|\"git\" is not installed"
    r"|git\S* (?:executable )?not found|(?:spawn|exec) git ENOENT|InstallFailed cloning"
)
# Versions that no registry serves. They are added to the manager's error, which rarely names the package.
_NOT_IN_REGISTRY = re.compile(
    r"^(git[+@:]|github:|gitlab:|bitbucket:|gist:|workspace:|[\w.-]+/[\w.-]+(#|$)|\S+\.git(#|$))"
)


class NodeError(WebordinaryError):
    """The worker's Node.js does not run."""

    def __init__(self, folder: Path, output: str) -> None:
        super().__init__(f"node in {folder} does not run: {output.strip()[-500:]}")


class InstallRecord(BaseModel):
    """What was installed. `places` are the folders with packages, relative to the folder of the lock file."""

    model_config = ConfigDict(frozen=True)

    manager: str
    version: str
    lock: str | None
    stale: bool
    places: tuple[str, ...]
    adjustments: tuple[str, ...] = ()  # packages installed in addition or in another version, and why


@dataclass(frozen=True)
class InstalledPackages:
    """Installed packages in the cache, and the folder of the tree that they belong to."""

    folder: Path
    root: Path
    record: InstallRecord
    program: Path | None = None  # a manager that the site's scripts may also run


class PackageInstaller:
    def __init__(self, settings: WorkerSettings, confinement: Confinement, project_id: str) -> None:
        self._settings = settings
        self._cache = settings.cache / project_id
        self._managers = ManagerProcess(settings, confinement, self._cache)

    def install(self, tree: Path, site: Path, cancellation: CancellationToken) -> InstalledPackages:
        """Installs the packages of a site, or takes them from the cache."""
        manifests = read_manifests(tree, site, self._managers.registry)
        folder = self._cache / self._digest(manifests)
        record = _read_record(folder)
        if record is None:
            record = self._install_into(folder, manifests, cancellation)
        program = self._managers.program(manifests.manager, cancellation)
        return InstalledPackages(folder, manifests.root, record, program)

    def _install_into(self, folder: Path, manifests: Manifests, cancellation: CancellationToken) -> InstallRecord:
        with self._managers.staging(self._cache) as staging:
            stale = self._run_attempts(staging, manifests, cancellation)
            adjustments = self._adjust(staging, manifests, cancellation)
            self._apply_patches(staging, manifests, cancellation)
            self._managers.reclaim(staging)
            (staging / PACKAGES).mkdir(exist_ok=True)  # a site may have no packages
            record = InstallRecord(
                manager=manifests.manager.name,
                version=manifests.manager.version,
                lock=manifests.lock,
                stale=stale,
                places=tuple(_package_folders(staging, manifests)),
                adjustments=adjustments,
            )
            (staging / RECORD).unlink(missing_ok=True)
            (staging / RECORD).write_text(record.model_dump_json())
            move_into_place(staging, folder)
            return record

    def _run_attempts(
        self, staging: Path, manifests: Manifests, cancellation: CancellationToken, first_attempt: int = 0
    ) -> bool:
        """Tries the manager's attempts in order. Returns whether the lock file is missing or out of date."""
        manager = manifests.manager
        attempts = manager.attempts[first_attempt if manifests.lock else 1 :]
        for number, attempt in enumerate(attempts):
            _empty(staging)
            manifests.write(staging)
            self._managers.give_files(staging)
            run = self._managers.run(manager, attempt, staging, cancellation)
            finished = run.finished
            if finished.code == 0:
                return manifests.lock is None or number > 0
            last = number == len(attempts) - 1
            if last or finished.timed_out or not manager.out_of_date.search(finished.output):
                break
        failure = Failure.GIT_DEPENDENCY if _GIT.search(finished.output) else Failure.PACKAGES_NOT_INSTALLED
        blocked = f"{BLOCKED_HOSTS}{', '.join(run.blocked_hosts)}" if run.blocked_hosts else ""
        details = [excerpt_of(finished.output, staging), blocked, *manifests.dependencies_like(_NOT_IN_REGISTRY)]
        raise JobFailedError(failure, "\n".join(filter(None, details)))

    def _adjust(self, staging: Path, manifests: Manifests, cancellation: CancellationToken) -> tuple[str, ...]:
        """Installs again with replaced or added packages if some cannot work here. Describes the adjustments."""
        replaced, missing = replacements(staging, manifests), missing_binaries(staging, manifests)
        if replaced or missing:
            adjusted = with_packages(with_replacements(manifests, replaced), missing)
            self._run_attempts(staging, adjusted, cancellation, first_attempt=1)
        added = [f"{name} {version}, which is missing from {manifests.lock}" for name, version in missing.items()]
        return (*(one.describe() for one in replaced), *added)

    def _apply_patches(self, staging: Path, manifests: Manifests, cancellation: CancellationToken) -> None:
        git = shutil.which("git", path=SYSTEM_PATH)
        for patch in manifests.patches:
            if git is None:
                raise JobFailedError(Failure.PACKAGES_NOT_INSTALLED, f"{patch} cannot be applied: git is not installed")
            finished = self._managers.confinement.run(
                patch_command(git, patch),
                folder=staging,
                environment=patch_environment(staging),
                cancellation=cancellation,
                seconds=PATCH_SECONDS,
                network=False,
            )
            cancellation.check()
            if finished.code != 0:
                raise JobFailedError(
                    Failure.PACKAGES_NOT_INSTALLED, f"{patch} does not apply: {finished.output.strip()}"
                )

    @cached_property
    def node_version(self) -> str:
        folder = self._settings.node_folder
        finished = Launcher().run([folder / "node", "--version"], folder=folder, environment={}, seconds=NODE_SECONDS)
        if finished.code != 0:
            raise NodeError(folder, finished.output)
        return finished.output.strip()

    def _digest(self, manifests: Manifests) -> str:
        manager = manifests.manager
        machine = f"{platform.system()} {platform.machine()} {self.node_version} {manager.name} {manager.version}"
        digest = hashlib.sha256(machine.encode())
        for name, content in sorted(manifests.files.items()):
            digest.update(f"\0{name}\0{len(content)}\0".encode() + content)
        return digest.hexdigest()[:32]


def _package_folders(staging: Path, manifests: Manifests) -> list[str]:
    return [folder for folder in ("", *manifests.members) if (staging / folder / PACKAGES).is_dir()]


def _empty(folder: Path) -> None:
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def _read_record(folder: Path) -> InstallRecord | None:
    try:
        return InstallRecord.model_validate_json((folder / RECORD).read_bytes())
    except (FileNotFoundError, ValidationError):
        return None
