"""Builds a site as its developer would, confined. The repository's own code runs here.

A build works in a copy of the tree (see `build_directory`), so that nothing it does there can be committed, and runs the
site's own build script in a process without a network. A process that has built once waits, stopped, for the next build
of the same thread; it is given up as soon as something changes that it has read once. A clean build has nothing of
earlier ones.
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
from webordinary_worker.confinement.processes import Confinement, search_path
from webordinary_worker.confinement.safe_copy import Quota
from webordinary_worker.failures import BuildFailedError, LinkLeavesTreeError
from webordinary_worker.git.build_history import History
from webordinary_worker.proxies.egress_proxy import EgressProxy, egress_proxy
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.site.build.build_directory import BUILD_DIRECTORY, BuildDirectory, configuration_digest
from webordinary_worker.site.build.build_process import BuildProcess
from webordinary_worker.site.build.build_report import BuildReport
from webordinary_worker.site.build.dev_server import DevServer, DevServerError, available_memory
from webordinary_worker.site.build.output import publish
from webordinary_worker.site.log_excerpt import excerpt_of, without_noise
from webordinary_worker.site.options import SiteOptions
from webordinary_worker.site.packages.hardlinks import PACKAGES
from webordinary_worker.site.packages.installer import InstalledPackages, InstallRecord, PackageInstaller

# What Node.js says when it cannot look up a name or open a socket.
_WANTED_NETWORK = re.compile(r"\b(EAI_AGAIN|ENOTFOUND|getaddrinfo|fetch failed|(connect|socket|bind|listen) EACCES)\b")
CERTIFICATES = "NODE_EXTRA_CA_CERTS"
_WANTED_HOST = re.compile(r"\b(?:EAI_AGAIN|ENOTFOUND) ([\w.-]+\.[A-Za-z]{2,})")


@dataclass(frozen=True)
class BuiltSite:
    folder: Path
    pages: int
    prefix: str
    facts: BuildReport
    installation: InstallRecord
    packages: str = ""  # the id of all that was installed
    refused_hosts: tuple[str, ...] = ()  # that the build has asked for, and did without


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
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="build")
        self._process: BuildProcess | None = None
        self._good_for: tuple[Path, str] | None = None
        self._remove_temporary: weakref.finalize[..., SiteBuilder] | None = None

    def build(
        self,
        tree: Path,
        scratch: Path,
        cancellation: CancellationToken,
        *,
        clean: bool = False,
        history: History | None = None,
        kept: Path | None = None,
    ) -> BuiltSite:
        """The built site, in a fresh folder below `scratch`. Raises BuildFailedError with what the build said.

        What may be used again lies beside `scratch`. Builds wait for each other, whoever asks for them: all of them are
        done by one thread, because a process ends with the thread that has started it. `kept` is the cache of earlier
        builds of the same thread, if there is one; a clean build does without.
        """
        build = partial(self._build, clean=clean, history=history, kept=kept)
        return self._thread.submit(build, tree, scratch, cancellation).result()

    def copy_cache(self, build_directory: Path, target: Path, quota: Quota) -> None:
        """Copies what the builds of a thread have left in their cache. No build runs meanwhile."""

        def copy() -> None:
            BuildDirectory(build_directory, self._confinement).copy_cache(self._site_parts(), target, quota)

        self._thread.submit(copy).result()

    def _build(
        self,
        tree: Path,
        scratch: Path,
        cancellation: CancellationToken,
        *,
        clean: bool,
        history: History | None,
        kept: Path | None,
    ) -> BuiltSite:
        cancellation.check()
        site = self._site_folder(tree)
        installed = self.install(tree, cancellation)
        build_directory = BuildDirectory(scratch.with_name(BUILD_DIRECTORY), self._confinement)
        environment = self._environment(build_directory)
        commit = "" if history is None else history.commit
        more = (installed.folder.name, repr(sorted(environment.items())))
        digest = configuration_digest(tree, tree / site, *more, commit=commit)
        used = self._give_up_unless((build_directory.folder, digest), clean=clean)
        scratch.mkdir(parents=True, exist_ok=True, mode=0o711)
        build_directory.prepare(tree, installed, fresh=clean, history=history)
        if kept is not None and not clean:
            used = build_directory.bring_cache(site, kept) or used
        with egress_proxy(self._options.hosts, self._settings.network_environment) as door:
            request = json.dumps({"door": str(door.path)})
            try:
                facts = self._run(build_directory, site, request, environment, cancellation, door)
            except BuildFailedError:
                if not used:
                    raise
                # It may be the process or the cache that is broken and not the site.
                build_directory.prepare(tree, installed, fresh=True, history=history)
                facts = self._run(build_directory, site, request, environment, cancellation, door)
        self._good_for = (build_directory.folder, digest)
        published = publish(build_directory, site, facts, scratch, self._confinement.uid)
        if clean:
            self.end()
        return BuiltSite(
            published.folder,
            published.pages,
            published.prefix,
            facts,
            installed.record,
            installed.folder.name,
            tuple(door.refused),
        )

    def install(self, tree: Path, cancellation: CancellationToken) -> InstalledPackages:
        """The packages of a tree, which a build would install as well."""
        refuse_links_that_leave(tree)
        with self._installing:
            return self._installer.install(tree, tree / self._site_folder(tree), cancellation)

    def start_dev_server(
        self, tree: Path, folder: Path, host: str, confinement: Confinement, cancellation: CancellationToken
    ) -> DevServer:
        """Starts the site's own server in a build_directory of its own. Raises DevServerError where there is no room."""
        needed = self._settings.limits.live_memory_bytes
        if available_memory() < needed:
            raise DevServerError("there is not enough memory")
        site = self._site_folder(tree)
        installed = self.install(tree, cancellation)
        bounded = replace(confinement, limits=confinement.limits.model_copy(update={"memory_bytes": needed}))
        build_directory = BuildDirectory(folder, bounded)
        build_directory.prepare(tree, installed, fresh=False)
        cancellation.check()
        folder = build_directory.tree / site
        # Behind everything else that this worker does.
        node: list[str | Path] = ["nice", "-n", "10", self._settings.node_folder / "node"]
        return DevServer(
            bounded,
            [*node, build_directory.live, folder, build_directory.tree, contract()["live_previews"]["changes_path"]],
            host=host,
            tree=build_directory.tree,
            folder=folder,
            environment={**self._environment(build_directory), "NODE_ENV": "development"},
            hosts=self._options.hosts,
            network=self._settings.network_environment,
        )

    def end(self) -> None:
        """Ends the process that waits, if there is one."""
        process, self._process, self._good_for = self._process, None, None
        if process is not None:
            process.end()
        if self._remove_temporary is not None:
            self._remove_temporary()
            self._remove_temporary = None

    def _give_up_unless(self, good_for: tuple[Path, str], *, clean: bool) -> bool:
        """Whether the process that waits will be used again."""
        if self._process is None:
            return False
        if clean or self._good_for != good_for or not self._process.may_be_asked_again:
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
        door: EgressProxy,
    ) -> BuildReport:
        folder = build_directory.tree / site
        if self._process is None:
            command = [self._settings.node_folder / "node", build_directory.runner, folder, build_directory.tree]
            # Short, because programs put sockets there, whose addresses have room for about a hundred characters.
            temporary = Path(tempfile.mkdtemp(prefix="build-"))
            # Also when the worker ends while the process waits for the next build.
            self._remove_temporary = weakref.finalize(self, shutil.rmtree, temporary, ignore_errors=True)
            self._confinement.give_folder(temporary)
            given = {**environment, "TMPDIR": str(temporary)}
            self._process = BuildProcess(self._confinement, command, folder, given)
        process, facts = self._process, None
        try:
            facts = process.build(request, self._settings.build_seconds, cancellation)
        finally:
            if facts is None or not facts.ok:
                self.end()
        cancellation.check()
        if process.timed_out:
            raise BuildFailedError(Failure.BUILD_TIMED_OUT)
        if facts is None or not facts.ok:
            raise _failed(facts, process.log(), build_directory.tree, door)
        return facts

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
            # What this machine's network needs besides to be believed; the way itself is the door's to know.
            **{name: network[name] for name in (CERTIFICATES,) if name in network},
            **self._options.environment,
            "PATH": search_path(self._settings.node_folder, build_directory.programs),
            "HOME": str(build_directory.home),
            "TMPDIR": str(build_directory.home),
            "NODE_OPTIONS": f"--import={build_directory.network}",
            "NODE_ENV": "production",
            "ASTRO_TELEMETRY_DISABLED": "1",
            "NO_COLOR": "1",
        }


def refuse_links_that_leave(tree: Path) -> None:
    root = tree.resolve()
    for parent, folders, files in os.walk(tree):
        if Path(parent) == tree and PACKAGES in folders:
            folders.remove(PACKAGES)
        for name in (*folders, *files):
            path = Path(parent) / name
            if path.is_symlink() and not path.resolve().is_relative_to(root):
                raise LinkLeavesTreeError(path.relative_to(tree))


def _failed(facts: BuildReport | None, log: str, tree: Path, door: EgressProxy) -> BuildFailedError:
    told = facts.error.told(tree) if facts is not None and facts.error is not None else excerpt_of(log, tree)
    if facts is not None and facts.failed_setup:
        told += f"\nbefore it, a step after the install had failed: {'; '.join(facts.failed_setup)}"
    said = "\n".join((told, *without_noise(log)))
    wanted = ", ".join((*door.refused, *door.unreachable)) or ", ".join(dict.fromkeys(_WANTED_HOST.findall(said)))
    if not wanted and not _WANTED_NETWORK.search(said):
        return BuildFailedError(Failure.BUILD_FAILED, told)
    return BuildFailedError(Failure.NETWORK_REFUSED, f"wanted: {wanted}\n{told}" if wanted else told)
