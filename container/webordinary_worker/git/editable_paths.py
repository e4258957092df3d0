"""Which files of a repository an agent may change: the content and the design of the site.

Everything else decides which code runs, what is installed or what other systems do with the repository: manifests, lock
files, configuration, CI, deployment, dotfiles. An operator may add paths with the project's setting `agent_paths`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from webordinary_worker.confinement.safe_copy import is_git_folder, plain_name

FOLDERS = frozenset(("src", "public", "content"))
MANIFEST = "package.json"
# Colours and fonts of a site. They run in the confined build only, as the files in `src` do.
DESIGN = re.compile(r"^(tailwind|uno|unocss)\.config\.[cm]?[jt]s$")
# Instructions to agents, and files that package managers read in any folder.
PROTECTED = frozenset(
    (
        MANIFEST,
        "package.json5",
        "package.yaml",
        "package-lock.json",
        "npm-shrinkwrap.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "pnpm-workspace.yaml",
        "bun.lock",
        "bun.lockb",
        "bunfig.toml",
        "node_modules",
        "agents.md",
        "agents.override.md",
        "claude.md",
        "claude.local.md",
        "gemini.md",
    )
)


def is_protected(name: str) -> bool:
    """Whether a name is protected, or could become such a name or a path on another machine."""
    return name.startswith(".") or plain_name(name) in PROTECTED or "\\" in name or not name.isprintable()


@dataclass(frozen=True)
class EditablePaths:
    """Paths are relative to `tree`. `site` is the folder of the site, `added` are the project's `agent_paths`."""

    tree: Path
    site: str = ""
    added: tuple[str, ...] = ()
    _packages: dict[str, bool] = field(default_factory=dict, compare=False, repr=False)

    def allow(self, path: str) -> bool:
        parts = path.split("/")
        if any(is_git_folder(part) for part in parts):
            return False
        if any(self._is_below(path, entry.strip("/")) for entry in self.added):
            return True
        if any(map(is_protected, parts)):
            return False
        folder, _, name = path.rpartition("/")
        if folder == self.site.strip("/") and DESIGN.match(name):
            return True
        return any(
            part in FOLDERS and self._is_package("/".join(parts[:number])) for number, part in enumerate(parts[:-1])
        )

    def _is_below(self, path: str, entry: str) -> bool:
        """Whether `entry` is the path itself, or a folder of it without a protected name in between."""
        return path == entry or (
            path.startswith(f"{entry}/") and not any(map(is_protected, path.removeprefix(f"{entry}/").split("/")))
        )

    def _is_package(self, folder: str) -> bool:
        """Whether a folder is the repository's root, the site's, or that of a package in the repository."""
        if folder in ("", self.site.strip("/")):
            return True
        if folder not in self._packages:
            self._packages[folder] = (self.tree / folder / MANIFEST).is_file()
        return self._packages[folder]
