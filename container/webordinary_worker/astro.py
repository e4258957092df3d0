"""Builds the site. The repository's own code runs here, so it runs confined and aside.

A build works in a fresh copy of the tree, so that nothing it does there can be committed, and into a fresh folder
beside it, because a failed build may leave half a site.

Dependencies are installed once per project and lockfile, without running their scripts, into the worker's cache; the
copy gets hard links to them, whose files no build can write. The cache is not shared between projects: a project's code
must not be able to leave something behind for another's.

npm runs as the worker's user, without its capabilities: what it writes must not belong to the user whose builds use it.
That is safe because nothing of the project runs in it: no scripts, no git (which would let a dependency name a program
as git), and no configuration but ours. The folder that it works in has nothing but the two package files.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from webordinary.platform.errors import WebordinaryError
from webordinary.platform.messages import Failure
from webordinary_worker.cancellation import CancellationToken
from webordinary_worker.failures import BuildFailedError, JobFailedError, LinkLeavesTreeError
from webordinary_worker.folder_copies import hand_over, make_folder, opened, remove
from webordinary_worker.processes import Confinement, Finished, Launcher, path_behind
from webordinary_worker.settings import WorkerSettings

MANIFESTS = ("package.json", "package-lock.json")
PACKAGES = "node_modules"
NPM_OPTIONS = (
    "--ignore-scripts",
    "--allow-git=none",
    "--git=/bin/false",
    "--script-shell=/bin/false",
    "--userconfig=/nonexistent",  # not the same file twice: npm refuses that
    "--globalconfig=/dev/null",
    "--install-links=false",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
)
NODE_SECONDS = 30
EXCERPT_LINES = 12
EXCERPT_CHARACTERS = 1500
# What Node.js says when it cannot look up a name or open a socket.
_WANTED_NETWORK = re.compile(r"\b(EAI_AGAIN|ENOTFOUND|getaddrinfo|fetch failed|(connect|socket|bind|listen) EACCES)\b")
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_NOISE = re.compile(r"^\s*(at |\d\d:\d\d:\d\d (?!.*(error|ERROR))|$)")


class NodeError(WebordinaryError):
    """The worker's own Node.js does not run."""

    def __init__(self, folder: Path, output: str) -> None:
        super().__init__(f"node in {folder} does not run: {output.strip()[-500:]}")


class SiteBuilder:
    def __init__(self, settings: WorkerSettings, confinement: Confinement, project_id: str) -> None:
        self._settings = settings
        self._confinement = confinement
        self._cache = settings.cache / project_id

    def build(self, tree: Path, scratch: Path, cancellation: CancellationToken) -> Path:
        """The built site, in a fresh folder below `scratch`. Raises BuildFailedError with what the build said.

        The site's packages stay beside `scratch` for the next build of the same tree.
        """
        refuse_links_that_leave(tree)
        installed = self._install(tree, cancellation)
        scratch.mkdir(parents=True, exist_ok=True, mode=0o711)
        packages = scratch.with_name("packages")
        packages.mkdir(exist_ok=True, mode=0o700)
        copy = scratch / "tree"
        hand_over(tree, copy, self._confinement.uid)
        link_packages(installed, packages)
        with _moved(packages / PACKAGES, copy / PACKAGES):
            self._confinement.give(copy / PACKAGES)
            return self._build(copy, scratch, cancellation)

    def _build(self, copy: Path, scratch: Path, cancellation: CancellationToken) -> Path:
        output = Path(tempfile.mkdtemp(prefix="site-", dir=scratch))
        self._confinement.give(output)
        finished = self._confinement.run(
            [copy / PACKAGES / ".bin" / "astro", "build", "--outDir", output],
            folder=copy,
            environment=self._environment(self._build_home(scratch)),
            cancellation=cancellation,
            seconds=self._settings.build_seconds,
            network=False,
        )
        cancellation.check()
        if finished.timed_out:
            raise BuildFailedError(Failure.BUILD_TIMED_OUT)
        if finished.code != 0:
            failure = Failure.NETWORK_REFUSED if _WANTED_NETWORK.search(finished.output) else Failure.BUILD_FAILED
            raise BuildFailedError(failure, excerpt_of(finished.output, copy))
        return output

    def _install(self, tree: Path, cancellation: CancellationToken) -> Path:
        """Where the packages of a tree's lockfile are installed."""
        if not all((tree / name).is_file() for name in MANIFESTS):
            raise BuildFailedError(Failure.NO_PACKAGE_FILES)
        installed = self._cache / self._digest(tree)
        if not (installed / PACKAGES).is_dir():
            self._install_into(installed, tree, cancellation)
        return installed

    def _install_into(self, installed: Path, tree: Path, cancellation: CancellationToken) -> None:
        self._cache.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix="installing-", dir=self._cache))
        try:
            # Only these two: an .npmrc of the repository could make npm run programs.
            for name in MANIFESTS:
                shutil.copyfile(tree / name, staging / name)
            finished = self._npm_ci(staging, cancellation)
            cancellation.check()
            if finished.code != 0:
                refused_git = "EALLOWGIT" in finished.output
                failure = Failure.GIT_DEPENDENCY if refused_git else Failure.PACKAGES_NOT_INSTALLED
                raise JobFailedError(failure, excerpt_of(finished.output, staging))
            staging.chmod(0o755)
            self._publish(staging, installed)
        finally:
            shutil.rmtree(staging, ignore_errors=True)

    def _npm_ci(self, folder: Path, cancellation: CancellationToken) -> Finished:
        return self._confinement.with_worker_user().run(
            [*self._npm(), "ci", *NPM_OPTIONS],
            folder=folder,
            environment={**self._environment(self._npm_home()), **self._settings.network_environment},
            cancellation=cancellation,
            seconds=self._settings.build_seconds,
        )

    @staticmethod
    def _publish(staging: Path, installed: Path) -> None:
        try:
            staging.rename(installed)
        except OSError:
            # Another worker that shares the cache was quicker; the same lockfile gave it the same packages.
            if not (installed / PACKAGES).is_dir():
                raise

    def _npm(self) -> list[str]:
        """npm the way Node ships it: some distributions put only a launcher beside `node` that cannot be moved."""
        node = self._settings.node_folder / "node"
        script = self._settings.node_folder.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        return [str(node), str(script)] if script.is_file() else [str(self._settings.node_folder / "npm")]

    def _npm_home(self) -> Path:
        """Where npm keeps what it downloaded, by content. No project's code can change it."""
        home = self._settings.cache / "npm"
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        return home

    def _build_home(self, scratch: Path) -> Path:
        home = scratch / "home"
        make_folder(home, self._confinement.uid)
        return home

    def _environment(self, home: Path) -> dict[str, str]:
        return {
            "PATH": path_behind(self._settings.node_folder),
            "HOME": str(home),
            "TMPDIR": str(home),
            "NODE_ENV": "production",
            "ASTRO_TELEMETRY_DISABLED": "1",
            "NO_COLOR": "1",
        }

    @cached_property
    def _node_version(self) -> str:
        folder = self._settings.node_folder
        finished = Launcher().run([folder / "node", "--version"], folder=folder, environment={}, seconds=NODE_SECONDS)
        if finished.code != 0:
            raise NodeError(folder, finished.output)
        return finished.output.strip()

    def _digest(self, tree: Path) -> str:
        digest = hashlib.sha256(f"{platform.system()} {platform.machine()} {self._node_version}".encode())
        for name in MANIFESTS:
            digest.update((tree / name).read_bytes())
        return digest.hexdigest()[:32]


def refuse_links_that_leave(tree: Path) -> None:
    root = tree.resolve()
    for parent, folders, files in os.walk(tree):
        if Path(parent) == tree and PACKAGES in folders:
            folders.remove(PACKAGES)
        for name in (*folders, *files):
            path = Path(parent) / name
            if path.is_symlink() and not path.resolve().is_relative_to(root):
                raise LinkLeavesTreeError(path.relative_to(tree))


def link_packages(installed: Path, folder: Path) -> None:
    """Hard links of the installed packages, once per lockfile; copies where the disk cannot link."""
    target, mark = folder / PACKAGES, folder / "installed"
    if target.is_dir() and not target.is_symlink() and mark.is_file() and mark.read_text() == installed.name:
        return
    if target.is_symlink():
        target.unlink()
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(installed / PACKAGES, target, symlinks=True, copy_function=_link)
    mark.write_text(installed.name)


@contextmanager
def _moved(source: Path, target: Path) -> Iterator[None]:
    """A folder that is elsewhere for a while. Whatever is in the way of it is removed."""
    with opened(target.parent) as folder:
        remove(target.name, folder)
    source.rename(target)
    try:
        yield
    finally:
        target.rename(source)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)


def excerpt_of(output: str, tree: Path) -> str:
    """The lines that tell what is wrong: the error with its file and line, no stack, no progress. None may be left."""
    text = _COLOURS.sub("", output).replace(f"{tree}/", "").replace(str(tree), ".")
    lines = [line.rstrip() for line in text.splitlines() if not _NOISE.match(line)]
    starts = [number for number, line in enumerate(lines) if re.search(r"error", line, re.IGNORECASE)]
    useful = lines[starts[0] :] if starts else lines[-EXCERPT_LINES:]
    return "\n".join(useful[:EXCERPT_LINES])[:EXCERPT_CHARACTERS]
