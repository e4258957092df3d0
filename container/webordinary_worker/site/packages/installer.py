"""Installs a site's packages, once per project and lock file.

A manager runs as the worker's user, without its capabilities, so that the user of the builds does not own the files.
That is safe because a manager runs no code of the project (see `managers` and `manifests`). Downloads are cached per
project, npm's content-addressed for all projects. A build gets read-only hard links to the installed files.
"""

from __future__ import annotations

import hashlib
import platform
import re
import shutil
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from webordinary.contract.errors import WebordinaryError
from webordinary.contract.outcomes import Failure
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.processes import SYSTEM_PATH, Confinement, Launcher, ProcessResult
from webordinary_worker.failures import JobFailedError
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.site.log_excerpt import excerpt_of
from webordinary_worker.site.packages.hardlinks import PACKAGES
from webordinary_worker.site.packages.managers import DEFAULT_REGISTRY, NPM, Manager, ManagerTool
from webordinary_worker.site.packages.manifests import Manifests, read_manifests
from webordinary_worker.site.packages.platform_binaries import missing_binaries, with_packages
from webordinary_worker.site.packages.script_substitutes import (
    patch_command,
    patch_environment,
    replacements,
    with_replacements,
)

RECORD = "installed.json"
NODE_SECONDS = 30
PATCH_SECONDS = 60
BLOCK_PROGRAMS = Path(__file__).with_name("block_programs.cjs")
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
        self._confinement = confinement.with_worker_user()
        self._cache = settings.cache / project_id

    def install(self, tree: Path, site: Path, cancellation: CancellationToken) -> InstalledPackages:
        """Installs the packages of a site, or takes them from the cache."""
        manifests = read_manifests(tree, site, self._registry)
        folder = self._cache / self._digest(manifests)
        record = _read_record(folder)
        if record is None:
            record = self._install_into(folder, manifests, cancellation)
        tool = manifests.manager.tool
        program = Path(self._program(manifests.manager, cancellation)[0]) if tool and not tool.needs_node else None
        return InstalledPackages(folder, manifests.root, record, program)

    def _install_into(self, folder: Path, manifests: Manifests, cancellation: CancellationToken) -> InstallRecord:
        program = self._program(manifests.manager, cancellation)
        self._cache.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix="installing-", dir=self._cache))
        try:
            stale = self._run_attempts(program, staging, manifests, cancellation)
            adjustments = self._adjust(program, staging, manifests, cancellation)
            self._apply_patches(staging, manifests, cancellation)
            (staging / PACKAGES).mkdir(exist_ok=True)  # a site may have no packages
            record = InstallRecord(
                manager=manifests.manager.name,
                version=manifests.manager.version,
                lock=manifests.lock,
                stale=stale,
                places=tuple(_package_folders(staging, manifests)),
                adjustments=adjustments,
            )
            (staging / RECORD).write_text(record.model_dump_json())
            staging.chmod(0o755)
            move_into_place(staging, folder)
            return record
        finally:
            shutil.rmtree(staging, ignore_errors=True)

    def _run_attempts(
        self,
        program: list[str],
        staging: Path,
        manifests: Manifests,
        cancellation: CancellationToken,
        first_attempt: int = 0,
    ) -> bool:
        """Tries the manager's attempts in order. Returns whether the lock file is missing or out of date."""
        manager = manifests.manager
        attempts = manager.attempts[first_attempt if manifests.lock else 1 :]
        for number, attempt in enumerate(attempts):
            _empty(staging)
            manifests.write(staging)
            options = manager.options(attempt, self._registry)
            finished = self._run([*program, *options], staging, manager, cancellation)
            if finished.code == 0:
                return manifests.lock is None or number > 0
            last = number == len(attempts) - 1
            if last or finished.timed_out or not manager.out_of_date.search(finished.output):
                break
        failure = Failure.GIT_DEPENDENCY if _GIT.search(finished.output) else Failure.PACKAGES_NOT_INSTALLED
        details = [excerpt_of(finished.output, staging), *manifests.dependencies_like(_NOT_IN_REGISTRY)]
        raise JobFailedError(failure, "\n".join(filter(None, details)))

    def _adjust(
        self, program: list[str], staging: Path, manifests: Manifests, cancellation: CancellationToken
    ) -> tuple[str, ...]:
        """Installs again with replaced or added packages if some cannot work here. Describes the adjustments."""
        replaced, missing = replacements(staging, manifests), missing_binaries(staging, manifests)
        if replaced or missing:
            adjusted = with_packages(with_replacements(manifests, replaced), missing)
            self._run_attempts(program, staging, adjusted, cancellation, first_attempt=1)
        added = [f"{name} {version}, which is missing from {manifests.lock}" for name, version in missing.items()]
        return (*(one.describe() for one in replaced), *added)

    def _apply_patches(self, staging: Path, manifests: Manifests, cancellation: CancellationToken) -> None:
        git = shutil.which("git", path=SYSTEM_PATH)
        for patch in manifests.patches:
            if git is None:
                raise JobFailedError(Failure.PACKAGES_NOT_INSTALLED, f"{patch} cannot be applied: git is not installed")
            finished = self._confinement.run(
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

    def _run(
        self, command: list[str], folder: Path, manager: Manager, cancellation: CancellationToken
    ) -> ProcessResult:
        finished = self._confinement.run(
            command,
            folder=folder,
            environment={**self._environment(manager), **self._settings.network_environment},
            cancellation=cancellation,
            seconds=self._settings.build_seconds,
        )
        cancellation.check()
        return finished

    def _program(self, manager: Manager, cancellation: CancellationToken) -> list[str]:
        if manager.tool is None:
            return self._npm()
        folder = self._settings.cache / "tools" / manager.tool.folder
        if not (folder / RECORD).is_file():
            self._fetch(manager.tool, folder, cancellation)
        program = folder / PACKAGES / manager.tool.package / manager.tool.program
        return [*self._node(), str(program)] if manager.tool.needs_node else [str(program)]

    def _fetch(self, tool: ManagerTool, folder: Path, cancellation: CancellationToken) -> None:
        folder.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix="fetching-", dir=folder.parent))
        try:
            for name, text in _manifests_of_tool(tool).items():
                (staging / name).write_text(text)
            options = NPM.options(NPM.attempts[0], self._registry)
            finished = self._run([*self._npm(), *options, "--force"], staging, NPM, cancellation)
            program = staging / PACKAGES / tool.package / tool.program
            if finished.code != 0 or not program.is_file():
                raise JobFailedError(Failure.PACKAGES_NOT_INSTALLED, excerpt_of(finished.output, staging))
            program.chmod(0o755)
            (staging / RECORD).write_text("{}")
            move_into_place(staging, folder)
        finally:
            shutil.rmtree(staging, ignore_errors=True)

    def _node(self) -> list[str]:
        return [str(self._settings.node_folder / "node"), "--require", str(BLOCK_PROGRAMS)]

    def _npm(self) -> list[str]:
        """npm as Node.js ships it: some distributions place a launcher next to `node` that cannot be moved."""
        script = self._settings.node_folder.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        return [*self._node(), str(script)] if script.is_file() else [str(self._settings.node_folder / "npm")]

    @property
    def _registry(self) -> str:
        return self._settings.network_environment.get("NPM_CONFIG_REGISTRY") or DEFAULT_REGISTRY

    def _environment(self, manager: Manager) -> dict[str, str]:
        home = self._home(manager)
        return {
            "PATH": str(self._node_only_path()),
            "HOME": str(home),
            "TMPDIR": str(home),
            "XDG_CACHE_HOME": str(home / "cache"),
            "XDG_DATA_HOME": str(home / "data"),
            "XDG_CONFIG_HOME": str(home / "configuration"),
            "npm_config_store_dir": str(home / "store"),
            "pnpm_config_store_dir": str(home / "store"),
            "YARN_GLOBAL_FOLDER": str(home / "yarn"),
            "YARN_CACHE_FOLDER": str(home / "yarn-cache"),
            "YARN_NPM_REGISTRY_SERVER": self._registry,
            "BUN_INSTALL_CACHE_DIR": str(home / "bun"),
            "NO_COLOR": "1",
            **manager.environment,
        }

    def _home(self, manager: Manager) -> Path:
        """The download cache of a manager. No code of a project can write to it."""
        home = self._settings.cache / "npm" if manager is NPM else self._cache / "downloads"
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        return home

    def _node_only_path(self) -> Path:
        """A search path with only Node.js, so that no manager finds git."""
        folder = self._settings.cache / "tools" / "path"
        folder.mkdir(parents=True, exist_ok=True)
        node = folder / "node"
        if not node.is_symlink() or node.readlink() != self._settings.node_folder / "node":
            # Atomic: other workers sharing the cache may do the same, or be reading the link.
            with tempfile.TemporaryDirectory(prefix="path-", dir=folder.parent) as temporary:
                link = Path(temporary) / "node"
                link.symlink_to(self._settings.node_folder / "node")
                link.replace(node)
        return folder

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


def move_into_place(staging: Path, folder: Path) -> None:
    try:
        staging.rename(folder)
    except OSError:
        # Another worker sharing the cache was faster; the same lock file gives the same packages.
        if not (folder / RECORD).is_file():
            raise


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


def _manifests_of_tool(tool: ManagerTool) -> dict[str, str]:
    """A manifest and a lock file with the tool's hash, which npm verifies."""
    dependency = f'"{tool.package}": "{tool.version}"'
    locked = f'"version": "{tool.version}", "integrity": "{tool.integrity}"'
    return {
        "package.json": f'{{"private": true, "dependencies": {{{dependency}}}}}',
        "package-lock.json": (
            f'{{"lockfileVersion": 3, "requires": true, "packages": {{"": {{"dependencies": {{{dependency}}}}}, '
            f'"{PACKAGES}/{tool.package}": {{{locked}}}}}}}'
        ),
    }
