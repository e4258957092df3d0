"""Where a thread's site is built: a copy of its tree with its packages in it, kept from build to build.

    <thread>/build/tree        the site user's copy of the tree, with node_modules
    <thread>/build_directory/home        its home and temporary files
    <thread>/build_directory/tools       the program that builds (`runner`), the worker's
    <thread>/build_directory/history     what the copy's .git is made from, the worker's
    <thread>/build_directory/installed   which packages the copy has, the worker's

Nothing of the site's user may run while this is used: it has ended, or it is stopped.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePosixPath

from webordinary_worker.confinement.processes import SYSTEM_PATH, Confinement
from webordinary_worker.confinement.safe_copy import Quota, SafeCopy, copy_for_user, make_folder, open_folder, remove
from webordinary_worker.git.build_history import History, write_empty
from webordinary_worker.site.packages.hardlinks import PACKAGES, link_packages
from webordinary_worker.site.packages.installer import InstalledPackages
from webordinary_worker.site.packages.manifests import MANIFEST

BUILD_DIRECTORY = "build"
RUNNER = Path(__file__).with_name("runner")
# What a site's scripts call, and is answered by our own program.
STAND_INS = ("astro", "npm", "npx", "pnpm", "pnpx", "yarn", "bun", "bunx")
CONFIGURATION = re.compile(
    r"^(astro\.config\.\w+|\.env.*|.*\.(json|jsonc|mjs|cjs|js|ts|mts|cts|toml|yaml|yml|lock)|\.npmrc)$"
)
CACHE = (PACKAGES, ".astro")  # Astro's own, unless a site has put it elsewhere
GIT_FOLDER = ".git"
# The contents of older versions are not there, and git would read them to follow a file to the name it had before.
GIT = """#!/bin/sh
for word; do
  shift
  [ "$word" = --follow ] || set -- "$@" "$word"
done
GIT_CONFIG_NOSYSTEM=1 exec {git} "$@"
"""
_KEPT_BETWEEN_BUILDS = (PACKAGES, ".astro", GIT_FOLDER)
_IMPORT = re.compile(r"""(?:from|import|require)\s*\(?\s*["'](\.{1,2}/[^"'\n]+|@/[^"'\n]+|~/[^"'\n]+)["']""")
_ENDINGS = ("", ".ts", ".mts", ".js", ".mjs", ".cjs", ".json", "/index.ts", "/index.js", "/index.mjs")
_ASKS_GIT = re.compile(rb"[\"'`]git[\"'` ]")
LARGEST_CONFIGURATION = 2 * 1024 * 1024
MOST_IMPORTS = 200


class BuildDirectory:
    def __init__(self, folder: Path, confinement: Confinement) -> None:
        self.folder = folder
        self.tree = folder / "tree"
        self.home = folder / "home"
        self._confinement = confinement
        self._mark = folder / "installed"

    @property
    def runner(self) -> Path:
        return self.folder / "tools" / "main.mjs"

    @property
    def live(self) -> Path:
        """What shows the site instead of building it."""
        return self.folder / "tools" / "dev_server.mjs"

    @property
    def network(self) -> Path:
        """What programs of a build load to find the door."""
        return self.folder / "tools" / "egress.mjs"

    @property
    def programs(self) -> Path:
        """What comes before the system's programs of the same name, wherever it is called."""
        return self.folder / "tools" / "programs"

    def prepare(self, tree: Path, installed: InstalledPackages, *, fresh: bool, history: History | None = None) -> None:
        """Makes the copy what the tree is, with its packages and its history. A fresh one has nothing of earlier
        builds."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o711)
        if fresh or not self.tree.is_dir() or self.tree.is_symlink():
            self._mark.unlink(missing_ok=True)
            copy_for_user(tree, self.tree, self._confinement.uid)
        else:
            SafeCopy(target_uid=self._confinement.uid, skip=_is_kept).run(tree, self.tree)
        make_folder(self.home, self._confinement.uid)
        self._write_tools()
        self._bring_program(installed.program)
        self._bring_packages(tree, installed)
        self._bring_history(history)

    def bring_cache(self, site: PurePosixPath, kept: Path) -> bool:
        """Brings what earlier builds have left in a cache, if these are the first here. Whether there was any."""
        if not kept.is_dir():
            return False
        SafeCopy(target_uid=self._confinement.uid, with_links=False).run_below(kept, self.tree, (*site.parts, *CACHE))
        shutil.rmtree(kept, ignore_errors=True)
        return True

    def copy_cache(self, site: PurePosixPath, target: Path, quota: Quota) -> None:
        """Copies what builds have left in their cache, without following a link. OSError if there is none."""
        copying = SafeCopy(quota, source_uid=self._confinement.uid, with_links=False)
        with ExitStack() as stack:
            folder = stack.enter_context(open_folder(self.tree))
            for part in (*site.parts, *CACHE):
                folder = stack.enter_context(open_folder(part, folder))
            copying.run_from(folder, target)

    def take(self, parts: Sequence[str], target: Path) -> None:
        """Moves a folder of the copy to another place, without following a link. OSError if it is none."""
        *parents, name = parts
        with ExitStack() as stack, open_folder(target.parent) as there:
            folder = stack.enter_context(open_folder(self.tree))
            for part in parents:
                folder = stack.enter_context(open_folder(part, folder))
            stack.enter_context(open_folder(name, folder))  # a folder, and no link to one
            os.rename(name, target.name, src_dir_fd=folder, dst_dir_fd=there)

    def _bring_history(self, history: History | None) -> None:
        folder = self.folder / "history"
        if history is None:
            write_empty(folder)
        else:
            history.write(folder)
        SafeCopy(target_uid=self._confinement.uid).run_below(folder, self.tree, [GIT_FOLDER])

    def _bring_packages(self, tree: Path, installed: InstalledPackages) -> None:
        if self._mark.is_file() and self._mark.read_text() == installed.folder.name:
            return
        self._mark.unlink(missing_ok=True)
        root = PurePosixPath(installed.root.relative_to(tree).as_posix())
        staging = self.folder / "linking"
        for place in installed.record.places:
            shutil.rmtree(staging, ignore_errors=True)
            staging.mkdir(mode=0o700)
            link_packages(installed.folder / place, staging)
            self._confinement.give_folder(staging / PACKAGES)
            self._put(staging / PACKAGES, (root / place).parts)
        shutil.rmtree(staging, ignore_errors=True)
        self._mark.write_text(installed.folder.name)

    def _bring_program(self, program: Path | None) -> None:
        if program is None or (target := self.programs / program.name).exists():
            return
        try:
            os.link(program, target)
        except OSError:  # another disk
            shutil.copy2(program, target)

    def _put(self, packages: Path, parts: Iterable[str]) -> None:
        with ExitStack() as stack, open_folder(packages.parent) as here:
            folder = stack.enter_context(open_folder(self.tree))
            for part in parts:
                folder = stack.enter_context(open_folder(part, folder))
            remove(PACKAGES, folder)
            os.rename(packages.name, PACKAGES, src_dir_fd=here, dst_dir_fd=folder)

    def _write_tools(self) -> None:
        tools = self.folder / "tools"
        if tools.is_dir():
            return
        staging = self.folder / "tools-being-made"
        shutil.rmtree(staging, ignore_errors=True)
        shutil.copytree(RUNNER, staging, ignore=shutil.ignore_patterns("__pycache__"))
        (staging / "bin").mkdir()
        for name in STAND_INS:
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
    """Changes whenever something changes that a process reads once: configuration, what it imports, and `more`. The
    commit is read by some."""
    digest = hashlib.sha256("\0".join(more).encode())
    for path in sorted({*_configuration(tree), *_configuration(site), *_imports_of_configuration(tree, site)}):
        content = path.read_bytes()[:LARGEST_CONFIGURATION]
        digest.update(f"\0{path.relative_to(tree)}\0{len(content)}\0".encode() + content)
        if path.name != MANIFEST and _ASKS_GIT.search(content):
            digest.update(commit.encode())
    return digest.hexdigest()


def _configuration(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if CONFIGURATION.match(path.name) and _is_plain(path)]


def _imports_of_configuration(tree: Path, site: Path) -> set[Path]:
    """The site's own files that its configuration imports, however far."""
    found: set[Path] = set()
    waiting = [path for path in _configuration(site) if path.name.startswith("astro.config.")]
    while waiting and len(found) < MOST_IMPORTS:
        path = waiting.pop()
        for wanted in _IMPORT.findall(path.read_text(errors="replace")[:LARGEST_CONFIGURATION]):
            start = path.parent / wanted if wanted.startswith(".") else site / "src" / wanted[2:]
            imported = next((file for ending in _ENDINGS if _is_plain(file := Path(f"{start}{ending}"))), None)
            if imported is None:
                continue
            imported = Path(os.path.normpath(imported))
            if imported not in found and imported.is_relative_to(tree):
                found.add(imported)
                waiting.append(imported)
    return found


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _is_kept(name: str) -> bool:
    return name in _KEPT_BETWEEN_BUILDS
