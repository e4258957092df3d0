"""Runs package managers: as a separate user, without direct network access, with their own caches.

    <cache>/tools/<manager>            programs of managers, installed by the worker
    <cache>/tools/path                 a search path with only Node.js, so that no manager finds git
    <cache>/npm                        npm's download cache, content-addressed, for all projects
    <cache>/<project>/downloads        download cache of the other managers

A manager runs no code of the project (see `managers` and `manifests`). Its user owns what it writes while it runs, and
cannot enter what was installed before. Builds and agents cannot write to any of it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from webordinary.contract.outcomes import Failure
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.processes import Confinement, ProcessResult
from webordinary_worker.confinement.safe_copy import open_folder
from webordinary_worker.failures import JobFailedError
from webordinary_worker.proxies.egress_proxy import LOCAL_VARIABLE, PRELOADED, SOCKET_VARIABLE, Egress, serve_egress
from webordinary_worker.proxies.registry_proxy import registry_egress, serve_http
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.site.log_excerpt import excerpt_of
from webordinary_worker.site.packages.hardlinks import PACKAGES
from webordinary_worker.site.packages.managers import DEFAULT_REGISTRY, NPM, Manager, ManagerTool

RECORD = "installed.json"
BLOCK_PROGRAMS = Path(__file__).with_name("block_programs.cjs")
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


@dataclass(frozen=True)
class ManagerRun:
    """A finished manager, and the hosts that it could not connect to."""

    finished: ProcessResult
    blocked_hosts: tuple[str, ...]


class ManagerProcess:
    def __init__(self, settings: WorkerSettings, confinement: Confinement, project_cache: Path) -> None:
        self._settings = settings
        self._confinement = confinement.as_user(settings.install_uid)
        self._worker = confinement.with_worker_user()
        self._project_cache = project_cache

    @property
    def confinement(self) -> Confinement:
        return self._confinement

    @property
    def registry(self) -> str:
        return self._settings.network_environment.get("NPM_CONFIG_REGISTRY") or DEFAULT_REGISTRY

    @contextmanager
    def staging(self, parent: Path, prefix: str = "installing-") -> Iterator[Path]:
        """A folder of the manager's user."""
        self._open(self._settings.cache, parent)
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        try:
            self._confinement.give_folder(folder)
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def give_files(self, staging: Path) -> None:
        """Gives the manager's user what the worker has written to a staging folder. None of its processes may run."""
        uid = self._confinement.uid
        if uid is None:
            return
        for parent, folders, files in os.walk(staging):
            for name in (*folders, *files):
                os.chown(Path(parent, name), uid, uid, follow_symlinks=False)

    def reclaim(self, staging: Path) -> None:
        """Makes the worker the owner of a staging folder, which no other user can enter any more."""
        with open_folder(staging) as folder:
            os.fchown(folder, os.geteuid(), os.getegid())
            os.fchmod(folder, 0o700)

    def run(
        self, manager: Manager, attempt: tuple[str, ...], folder: Path, cancellation: CancellationToken
    ) -> ManagerRun:
        command = [*self._command(manager, cancellation), *manager.options(attempt, self.registry)]
        home = self._home(manager)
        return self._run(command, folder, manager, home, self._confinement, cancellation)

    def program(self, manager: Manager, cancellation: CancellationToken) -> Path | None:
        """The program of a manager that the site's scripts may also run."""
        has_program = manager.tool is not None and not manager.tool.needs_node
        return Path(self._command(manager, cancellation)[0]) if has_program else None

    def _run(
        self,
        command: list[str],
        folder: Path,
        manager: Manager,
        home: Path,
        confinement: Confinement,
        cancellation: CancellationToken,
    ) -> ManagerRun:
        egress = registry_egress(self.registry, self._settings.network_environment)
        has_network = manager.tool is not None and not manager.tool.needs_node
        with self._egress_environment(egress, confinement, has_network=has_network) as access:
            finished = confinement.run(
                command,
                folder=folder,
                environment={**self._environment(manager, home), **access},
                cancellation=cancellation,
                seconds=self._settings.build_seconds,
                network=has_network,
            )
        cancellation.check()
        return ManagerRun(finished, (*egress.refused, *egress.unreachable))

    @contextmanager
    def _egress_environment(
        self, egress: Egress, confinement: Confinement, *, has_network: bool
    ) -> Iterator[Mapping[str, str]]:
        network = self._settings.network_environment
        kept = {name: value for name, value in network.items() if name.upper() not in PROXIES}
        if has_network:
            with serve_http(egress) as proxy:
                yield {**kept, "HTTP_PROXY": proxy.url, "HTTPS_PROXY": proxy.url}
        else:
            with serve_egress(egress) as socket:
                confinement.give_folder(socket.path.parent)
                options = f"--import={PRELOADED}"
                yield {**kept, "NODE_OPTIONS": options, SOCKET_VARIABLE: str(socket.path), LOCAL_VARIABLE: "1"}

    def _command(self, manager: Manager, cancellation: CancellationToken) -> list[str]:
        if manager.tool is None:
            return self._npm()
        folder = self._settings.cache / "tools" / manager.tool.folder
        if not (folder / RECORD).is_file():
            self._fetch(manager.tool, folder, cancellation)
        program = folder / PACKAGES / manager.tool.package / manager.tool.program
        return [*self._node(), str(program)] if manager.tool.needs_node else [str(program)]

    def _fetch(self, tool: ManagerTool, folder: Path, cancellation: CancellationToken) -> None:
        """Installs a manager's program as the worker: no file of a repository plays a part in it."""
        self._open(self._settings.cache, folder.parent)
        staging = Path(tempfile.mkdtemp(prefix="fetching-", dir=folder.parent))
        try:
            for name, text in _manifests_of_tool(tool).items():
                (staging / name).write_text(text)
            command = [*self._npm(), *NPM.options(NPM.attempts[0], self.registry), "--force"]
            home = self._settings.cache / "tools" / "downloads"
            home.mkdir(exist_ok=True, mode=0o700)
            finished = self._run(command, staging, NPM, home, self._worker, cancellation).finished
            program = staging / PACKAGES / tool.package / tool.program
            if finished.code != 0 or not program.is_file():
                raise JobFailedError(Failure.PACKAGES_NOT_INSTALLED, excerpt_of(finished.output, staging))
            program.chmod(0o755)
            (staging / RECORD).write_text("{}")
            staging.chmod(0o755)
            move_into_place(staging, folder)
        finally:
            shutil.rmtree(staging, ignore_errors=True)

    def _node(self) -> list[str]:
        return [str(self._settings.node_folder / "node"), "--require", str(BLOCK_PROGRAMS)]

    def _npm(self) -> list[str]:
        """npm as Node.js ships it: some distributions place a launcher next to `node` that cannot be moved."""
        script = self._settings.node_folder.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        return [*self._node(), str(script)] if script.is_file() else [str(self._settings.node_folder / "npm")]

    def _environment(self, manager: Manager, home: Path) -> dict[str, str]:
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
            "YARN_NPM_REGISTRY_SERVER": self.registry,
            "BUN_INSTALL_CACHE_DIR": str(home / "bun"),
            "NO_COLOR": "1",
            **manager.environment,
        }

    def _home(self, manager: Manager) -> Path:
        """The download cache of a manager, of its user. Another user's is never taken over."""
        suffix = "" if self._confinement.uid is None else f"-{self._confinement.uid}"
        home = self._settings.cache / f"npm{suffix}" if manager is NPM else self._project_cache / f"downloads{suffix}"
        if not home.is_dir():
            self._open(self._settings.cache, home.parent)
            home.mkdir(exist_ok=True, mode=0o700)
            self._confinement.give_folder(home)
        return home

    def _open(self, *folders: Path) -> None:
        """Creates folders that the manager's user can pass through, and not list."""
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True)
            if self._confinement.uid is not None:
                folder.chmod(0o711)

    def _node_only_path(self) -> Path:
        folder = self._settings.cache / "tools" / "path"
        self._open(self._settings.cache, folder.parent)
        folder.mkdir(exist_ok=True)
        node = folder / "node"
        if not node.is_symlink() or node.readlink() != self._settings.node_folder / "node":
            # Atomic: other workers sharing the cache may do the same, or be reading the link.
            with tempfile.TemporaryDirectory(prefix="path-", dir=folder.parent) as temporary:
                link = Path(temporary) / "node"
                link.symlink_to(self._settings.node_folder / "node")
                link.replace(node)
        return folder


def move_into_place(staging: Path, folder: Path) -> None:
    try:
        staging.rename(folder)
    except OSError:
        # Another worker sharing the cache was faster; the same lock file gives the same packages.
        if not (folder / RECORD).is_file():
            raise


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
