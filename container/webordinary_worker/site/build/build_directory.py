"""The build directory of a thread: a copy of its tree with installed packages, kept between builds.

    <thread>/build/tree        copy of the tree with node_modules, owned by the site's user
    <thread>/build/home        home and temporary files of the site's user
    <thread>/build/tools       the build program (`runner`), owned by the worker
    <thread>/build/history     source of the copy's .git, owned by the worker
    <thread>/build/installed   id of the installed packages, owned by the worker

No process of the site's user may run while the worker uses it: all have ended or are suspended.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePosixPath

from webordinary_worker.confinement.processes import SYSTEM_PATH, Confinement
from webordinary_worker.confinement.safe_copy import Quota, SafeCopy, copy_for_user, make_folder, open_folder, remove
from webordinary_worker.git.build_history import History, write_empty
from webordinary_worker.proxies.egress_proxy import PRELOADED
from webordinary_worker.site.packages.hardlinks import PACKAGES, link_packages
from webordinary_worker.site.packages.installer import InstalledPackages
from webordinary_worker.site.packages.manifests import MANIFEST

BUILD_DIRECTORY = "build"
RUNNER = Path(__file__).with_name("runner")
# Programs of a site's scripts that are replaced by our runner.
WRAPPED_PROGRAMS = ("astro", "npm", "npx", "pnpm", "pnpx", "yarn", "bun", "bunx")
CONFIGURATION = re.compile(
    r"^(astro\.config\.\w+|\.env.*|.*\.(json|jsonc|mjs|cjs|js|ts|mts|cts|toml|yaml|yml|lock)|\.npmrc)$"
)
CACHE = (PACKAGES, ".astro")  # Astro's default
GIT_FOLDER = ".git"
# Drops --follow: it reads older file contents, which the copied history lacks.
GIT = """#!/bin/sh
for word; do
  shift
  [ "$word" = --follow ] || set -- "$@" "$word"
done
GIT_CONFIG_NOSYSTEM=1 exec {git} "$@"
"""
_KEPT_BETWEEN_BUILDS = (PACKAGES, ".astro", GIT_FOLDER)
_IMPORT = re.compile(r"""(?:from|import|require)\s*\(?\s*["'](\.{1,2}/[^"'\n]+|@/[^"'\n]+|~/[^"'\n]+)["']""")
_SUFFIXES = ("", ".ts", ".mts", ".js", ".mjs", ".cjs", ".json", "/index.ts", "/index.js", "/index.mjs")
_CALLS_GIT = re.compile(rb"[\"'`]git[\"'` ]")
MAX_CONFIGURATION_BYTES = 2 * 1024 * 1024
MAX_IMPORTS = 200


class BuildDirectory:
    def __init__(self, folder: Path, confinement: Confinement) -> None:
        self.folder = folder
        self.tree = folder / "tree"
        self.home = folder / "home"
        self._confinement = confinement
        self._installed_id = folder / "installed"

    @property
    def runner(self) -> Path:
        return self.folder / "tools" / "main.mjs"

    @property
    def dev_server(self) -> Path:
        return self.folder / "tools" / "dev_server.mjs"

    @property
    def egress(self) -> Path:
        """The module that connects Node.js programs of a build to the egress proxy."""
        return self.folder / "tools" / "egress.mjs"

    @property
    def programs(self) -> Path:
        """Programs that precede the system's in the search path."""
        return self.folder / "tools" / "programs"

    def prepare(self, tree: Path, installed: InstalledPackages, *, fresh: bool, history: History | None = None) -> None:
        """Updates the copy from the tree, with packages and history. A fresh copy has no files of earlier builds."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o711)
        if fresh or not self.tree.is_dir() or self.tree.is_symlink():
            self._installed_id.unlink(missing_ok=True)
            self._remove_home()
            copy_for_user(tree, self.tree, self._confinement.uid)
        else:
            SafeCopy(target_uid=self._confinement.uid, skip=_is_kept).run(tree, self.tree)
        make_folder(self.home, self._confinement.uid)
        self._write_tools()
        self._link_manager(installed.program)
        self._install_packages(tree, installed)
        self._write_history(history)

    def restore_cache(self, site: PurePosixPath, kept: Path) -> bool:
        """Moves the kept cache of earlier builds into the copy. Returns whether there was one."""
        if not kept.is_dir():
            return False
        SafeCopy(target_uid=self._confinement.uid, with_links=False).run_below(kept, self.tree, (*site.parts, *CACHE))
        shutil.rmtree(kept, ignore_errors=True)
        return True

    def copy_cache(self, site: PurePosixPath, target: Path, quota: Quota) -> None:
        """Copies the build cache without following links. Raises OSError if there is none."""
        copying = SafeCopy(quota, source_uid=self._confinement.uid, with_links=False)
        with ExitStack() as stack:
            folder = stack.enter_context(open_folder(self.tree))
            for part in (*site.parts, *CACHE):
                folder = stack.enter_context(open_folder(part, folder))
            copying.run_from(folder, target)

    def move_out(self, parts: Sequence[str], target: Path) -> None:
        """Moves a folder out of the copy without following links. Raises OSError if it is not a folder."""
        *parents, name = parts
        with ExitStack() as stack, open_folder(target.parent) as target_parent:
            folder = stack.enter_context(open_folder(self.tree))
            for part in parents:
                folder = stack.enter_context(open_folder(part, folder))
            stack.enter_context(open_folder(name, folder))  # fails for a link
            os.rename(name, target.name, src_dir_fd=folder, dst_dir_fd=target_parent)

    def _remove_home(self) -> None:
        """Node.js would find modules in the home of an earlier build. An unreadable folder can still be renamed."""
        if not self.home.exists() and not self.home.is_symlink():
            return
        old = Path(tempfile.mkdtemp(prefix="old-home-", dir=self.folder))
        self.home.rename(old / "home")
        shutil.rmtree(old, ignore_errors=True)

    def _write_history(self, history: History | None) -> None:
        folder = self.folder / "history"
        if history is None:
            write_empty(folder)
        else:
            history.write(folder)
        SafeCopy(target_uid=self._confinement.uid).run_below(folder, self.tree, [GIT_FOLDER])

    def _install_packages(self, tree: Path, installed: InstalledPackages) -> None:
        if self._installed_id.is_file() and self._installed_id.read_text() == installed.folder.name:
            return
        self._installed_id.unlink(missing_ok=True)
        root = PurePosixPath(installed.root.relative_to(tree).as_posix())
        staging = self.folder / "linking"
        for relative in installed.record.places:
            shutil.rmtree(staging, ignore_errors=True)
            staging.mkdir(mode=0o700)
            link_packages(installed.folder / relative, staging)
            self._confinement.give_folder(staging / PACKAGES)
            self._move_packages(staging / PACKAGES, (root / relative).parts)
        shutil.rmtree(staging, ignore_errors=True)
        self._installed_id.write_text(installed.folder.name)

    def _link_manager(self, program: Path | None) -> None:
        if program is None or (target := self.programs / program.name).exists():
            return
        try:
            os.link(program, target)
        except OSError:  # another disk
            shutil.copy2(program, target)

    def _move_packages(self, packages: Path, parts: Iterable[str]) -> None:
        with ExitStack() as stack, open_folder(packages.parent) as source:
            folder = stack.enter_context(open_folder(self.tree))
            for part in parts:
                folder = stack.enter_context(open_folder(part, folder))
            remove(PACKAGES, folder)
            os.rename(packages.name, PACKAGES, src_dir_fd=source, dst_dir_fd=folder)

    def _write_tools(self) -> None:
        tools = self.folder / "tools"
        if tools.is_dir():
            return
        staging = self.folder / "tools-staging"
        shutil.rmtree(staging, ignore_errors=True)
        shutil.copytree(RUNNER, staging, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy2(PRELOADED, staging)
        (staging / "bin").mkdir()
        for name in WRAPPED_PROGRAMS:
            program = staging / "bin" / name
            program.write_text(
                f'#!/bin/sh\nexec node --import="{tools}/egress.mjs" "{tools}/main.mjs" --as {name} "$@"\n'
            )
            program.chmod(0o755)
        (staging / "programs").mkdir()
        if (git := shutil.which("git", path=SYSTEM_PATH)) is not None:
            (staging / "programs" / "git").write_text(GIT.format(git=git))
            (staging / "programs" / "git").chmod(0o755)
        staging.chmod(0o755)
        staging.rename(tools)


def configuration_digest(tree: Path, site: Path, *more: str, commit: str = "") -> str:
    """Digest of everything a build process reads only once: configuration, its imports and `more`.

    The commit counts only if the configuration calls git.
    """
    digest = hashlib.sha256("\0".join(more).encode())
    for path in sorted({*_configuration(tree), *_configuration(site), *_imports_of_configuration(tree, site)}):
        content = path.read_bytes()[:MAX_CONFIGURATION_BYTES]
        digest.update(f"\0{path.relative_to(tree)}\0{len(content)}\0".encode() + content)
        if path.name != MANIFEST and _CALLS_GIT.search(content):
            digest.update(commit.encode())
    return digest.hexdigest()


def _configuration(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if CONFIGURATION.match(path.name) and _is_plain(path)]


def _imports_of_configuration(tree: Path, site: Path) -> set[Path]:
    """Files of the site that its configuration imports, also transitively."""
    found: set[Path] = set()
    pending = [path for path in _configuration(site) if path.name.startswith("astro.config.")]
    while pending and len(found) < MAX_IMPORTS:
        path = pending.pop()
        for name in _IMPORT.findall(path.read_text(errors="replace")[:MAX_CONFIGURATION_BYTES]):
            start = path.parent / name if name.startswith(".") else site / "src" / name[2:]
            imported = next((file for suffix in _SUFFIXES if _is_plain(file := Path(f"{start}{suffix}"))), None)
            if imported is None:
                continue
            imported = Path(os.path.normpath(imported))
            if imported not in found and imported.is_relative_to(tree):
                found.add(imported)
                pending.append(imported)
    return found


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _is_kept(name: str) -> bool:
    return name in _KEPT_BETWEEN_BUILDS
