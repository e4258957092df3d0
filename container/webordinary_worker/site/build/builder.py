"""Builds a site with its own build script, confined. The repository's code runs here.

A build works in a copy of the tree (see `build_directory`), so its changes cannot be committed, and has no network.
After a build, its process stays suspended for the next build of the same thread. The process is replaced when a file
changes that it reads only once. A clean build uses no files and no process of earlier builds.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import threading
import weakref
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath

from webordinary.contract.outcomes import Failure
from webordinary.contract.values import contract
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.leftover_files import remove_files_of
from webordinary_worker.confinement.processes import Confinement, search_path
from webordinary_worker.confinement.safe_copy import Quota
from webordinary_worker.failures import BuildFailedError, LinkLeavesTreeError
from webordinary_worker.git.build_history import History
from webordinary_worker.proxies.egress_proxy import EgressProxy, open_egress_proxy
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.site.build.build_directory import BUILD_DIRECTORY, BuildDirectory, configuration_digest
from webordinary_worker.site.build.build_process import BuildProcess
from webordinary_worker.site.build.build_report import BuildReport
from webordinary_worker.site.build.dev_server import DevServer, DevServerError, available_memory
from webordinary_worker.site.build.output import collect_output
from webordinary_worker.site.build.secret_values import require_no_secrets, without_secrets
from webordinary_worker.site.log_excerpt import excerpt_of, without_noise
from webordinary_worker.site.options import SiteOptions
from webordinary_worker.site.packages.hardlinks import PACKAGES
from webordinary_worker.site.packages.installer import InstalledPackages, InstallRecord, PackageInstaller

# Errors of Node.js on a failed DNS lookup or connection.
_NETWORK_ERROR = re.compile(r"\b(EAI_AGAIN|ENOTFOUND|getaddrinfo|fetch failed|(connect|socket|bind|listen) EACCES)\b")
CERTIFICATES = "NODE_EXTRA_CA_CERTS"
BLOCKED_HOSTS = "blocked hosts: "  # starts the detail of a build that needs the network
_LOOKED_UP_HOST = re.compile(r"\b(?:EAI_AGAIN|ENOTFOUND) ([\w.-]+\.[A-Za-z]{2,})")


@dataclass(frozen=True)
class BuiltSite:
    folder: Path
    pages: int
    prefix: str
    report: BuildReport
    installation: InstallRecord
    packages: str = ""  # id of the installed packages
    refused_hosts: tuple[str, ...] = ()  # blocked, but the build succeeded


class SiteBuilder:
    def __init__(
        self,
        settings: WorkerSettings,
        confinement: Confinement,
        project_id: str,
        options: SiteOptions | None = None,
    ) -> None:
        self._settings = settings
        self._confinement = confinement
        self._options = options or SiteOptions()
        self._installer = PackageInstaller(settings, confinement, project_id)
        self._installing = threading.Lock()
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="build")
        self._process: BuildProcess | None = None
        self._valid_for: tuple[Path, str] | None = None
        self._remove_temporary: weakref.finalize[..., SiteBuilder] | None = None

    def build(
        self,
        tree: Path,
        scratch: Path,
        cancellation: CancellationToken,
        *,
        clean: bool = False,
        history: History | None = None,
        cache: Path | None = None,
    ) -> BuiltSite:
        """Builds into a new folder below `scratch`. Raises BuildFailedError with the build's error.

        The build directory is a sibling of `scratch`. All builds run one at a time in a single background thread,
        because a process ends with the thread that started it. `cache` is the cache of earlier builds of the same
        mail thread; a clean build ignores it.
        """
        build = partial(self._build, clean=clean, history=history, cache=cache)
        return self._executor.submit(build, tree, scratch, cancellation).result()

    def copy_cache(self, build_directory: Path, target: Path, quota: Quota) -> None:
        """Copies the build cache of a thread while no build runs."""

        def copy() -> None:
            BuildDirectory(build_directory, self._confinement).copy_cache(self._site_parts(), target, quota)

        self._executor.submit(copy).result()

    def _build(
        self,
        tree: Path,
        scratch: Path,
        cancellation: CancellationToken,
        *,
        clean: bool,
        history: History | None,
        cache: Path | None,
    ) -> BuiltSite:
        cancellation.check()
        site = self._site_folder(tree)
        installed = self.install(tree, cancellation)
        build_directory = BuildDirectory(scratch.with_name(BUILD_DIRECTORY), self._confinement)
        environment = self._environment(build_directory)
        commit = "" if history is None else history.commit
        inputs = (installed.folder.name, repr(sorted(environment.items())))
        digest = configuration_digest(tree, tree / site, *inputs, commit=commit)
        reused = self._keep_process_if_valid((build_directory.folder, digest), clean=clean)
        if clean and self._confinement.uid is not None:
            remove_files_of(self._confinement.uid)
        scratch.mkdir(parents=True, exist_ok=True, mode=0o711)
        build_directory.prepare(tree, installed, fresh=clean, history=history)
        if cache is not None and not clean:
            reused = build_directory.restore_cache(site, cache) or reused
        with open_egress_proxy(self._options.hosts, self._settings.network_environment) as proxy:
            request = json.dumps({"proxy": str(proxy.path)})
            try:
                report = self._run(build_directory, site, request, environment, cancellation, proxy)
            except BuildFailedError:
                if not reused:
                    raise
                # The reused process or cache may be broken, not the site.
                build_directory.prepare(tree, installed, fresh=True, history=history)
                report = self._run(build_directory, site, request, environment, cancellation, proxy)
        self._valid_for = (build_directory.folder, digest)
        output = collect_output(build_directory, site, report, scratch, self._confinement.uid)
        largest = self._settings.limits.file_bytes
        require_no_secrets(output.folder, output.files, self._options.secrets, largest, self._confinement.uid)
        if clean:
            self.end()
        return BuiltSite(
            output.folder,
            output.pages,
            output.prefix,
            report,
            installed.record,
            installed.folder.name,
            tuple(proxy.refused),
        )

    def install(self, tree: Path, cancellation: CancellationToken) -> InstalledPackages:
        """Installs the packages of a tree, as a build does."""
        check_links(tree)
        with self._installing:
            return self._installer.install(tree, tree / self._site_folder(tree), cancellation)

    def start_dev_server(
        self, tree: Path, folder: Path, host: str, confinement: Confinement, cancellation: CancellationToken
    ) -> DevServer:
        """Starts the site's development server in a separate build directory. Raises DevServerError if it cannot."""
        memory = self._settings.limits.live_memory_bytes
        if available_memory() < memory:
            raise DevServerError("not enough memory")
        site = self._site_folder(tree)
        installed = self.install(tree, cancellation)
        bounded = replace(confinement, limits=confinement.limits.model_copy(update={"memory_bytes": memory}))
        build_directory = BuildDirectory(folder, bounded)
        build_directory.prepare(tree, installed, fresh=False)
        cancellation.check()
        folder = build_directory.tree / site
        # With a lower priority than the worker's other processes.
        node: list[str | Path] = ["nice", "-n", "10", self._settings.node_folder / "node"]
        return DevServer(
            bounded,
            [
                *node,
                build_directory.dev_server,
                folder,
                build_directory.tree,
                contract()["live_previews"]["changes_path"],
            ],
            host=host,
            tree=build_directory.tree,
            folder=folder,
            environment={**self._environment(build_directory), "NODE_ENV": "development"},
            hosts=self._options.hosts,
            network=self._settings.network_environment,
        )

    def end(self) -> None:
        """Ends the suspended build process, if any."""
        process, self._process, self._valid_for = self._process, None, None
        if process is not None:
            process.end()
        if self._remove_temporary is not None:
            self._remove_temporary()
            self._remove_temporary = None

    def _keep_process_if_valid(self, needed_for: tuple[Path, str], *, clean: bool) -> bool:
        """Ends the suspended process unless it can be reused. Returns whether it is reused."""
        if self._process is None:
            return False
        if clean or self._valid_for != needed_for or not self._process.is_reusable:
            self.end()
            return False
        return True

    def _run(
        self,
        build_directory: BuildDirectory,
        site: PurePosixPath,
        request: str,
        environment: Mapping[str, str],
        cancellation: CancellationToken,
        proxy: EgressProxy,
    ) -> BuildReport:
        folder = build_directory.tree / site
        if self._process is None:
            command = [self._settings.node_folder / "node", build_directory.runner, folder, build_directory.tree]
            # Short: programs create sockets there, whose paths are limited to about 100 characters.
            temporary = Path(tempfile.mkdtemp(prefix="build-"))
            # Also if the worker ends while the process is suspended.
            self._remove_temporary = weakref.finalize(self, shutil.rmtree, temporary, ignore_errors=True)
            self._confinement.give_folder(temporary)
            process_environment = {**environment, "TMPDIR": str(temporary)}
            self._process = BuildProcess(self._confinement, command, folder, process_environment)
        process, report = self._process, None
        try:
            report = process.build(request, self._settings.build_seconds, cancellation)
        finally:
            if report is None or not report.ok:
                self.end()
        cancellation.check()
        if process.timed_out:
            raise BuildFailedError(Failure.BUILD_TIMED_OUT)
        if report is None or not report.ok:
            error = _build_error(report, process.log(), build_directory.tree, proxy)
            raise BuildFailedError(error.failure, without_secrets(error.detail, self._options.secrets))
        return report

    def _site_folder(self, tree: Path) -> PurePosixPath:
        folder = self._site_parts()
        if folder.is_absolute() or ".." in folder.parts or not (tree / folder).is_dir():
            raise BuildFailedError(Failure.NO_PACKAGE_FILES, str(folder))
        return folder

    def _site_parts(self) -> PurePosixPath:
        return PurePosixPath(self._options.folder.strip("/") or ".")

    def _environment(self, build_directory: BuildDirectory) -> dict[str, str]:
        network = self._settings.network_environment
        return {
            "CI": "true",
            # The machine's CA bundle; connections go through the egress proxy.
            **{name: network[name] for name in (CERTIFICATES,) if name in network},
            **self._options.environment,
            "PATH": search_path(self._settings.node_folder, build_directory.programs),
            "HOME": str(build_directory.home),
            "TMPDIR": str(build_directory.home),
            "NODE_OPTIONS": f"--import={build_directory.egress}",
            "NODE_ENV": "production",
            "ASTRO_TELEMETRY_DISABLED": "1",
            "NO_COLOR": "1",
        }


def check_links(tree: Path) -> None:
    """Raises LinkLeavesTreeError for a symlink to a path outside the tree."""
    root = tree.resolve()
    for parent, folders, files in os.walk(tree):
        if Path(parent) == tree and PACKAGES in folders:
            folders.remove(PACKAGES)
        for name in (*folders, *files):
            path = Path(parent) / name
            if path.is_symlink() and not path.resolve().is_relative_to(root):
                raise LinkLeavesTreeError(path.relative_to(tree))


def _build_error(report: BuildReport | None, log: str, tree: Path, proxy: EgressProxy) -> BuildFailedError:
    detail = report.error.describe(tree) if report is not None and report.error is not None else excerpt_of(log, tree)
    if report is not None and report.failed_setup:
        detail += f"\nan earlier postinstall step failed: {'; '.join(report.failed_setup)}"
    output = "\n".join((detail, *without_noise(log)))
    hosts = ", ".join((*proxy.refused, *proxy.unreachable)) or ", ".join(dict.fromkeys(_LOOKED_UP_HOST.findall(output)))
    if not hosts and not _NETWORK_ERROR.search(output):
        return BuildFailedError(Failure.BUILD_FAILED, detail)
    return BuildFailedError(Failure.NETWORK_REFUSED, f"{BLOCKED_HOSTS}{hosts}\n{detail}" if hosts else detail)
