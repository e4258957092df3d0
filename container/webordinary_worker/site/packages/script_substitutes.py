"""What scripts of an install would have done, without running any.

sharp fetched its program with a script until 0.33, which has it as a package of its own: that version takes the place
of older ones. And what `patch-package` would change in packages, git changes, which follows no link and leaves their
folder for no patch.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from webordinary_worker.site.packages.managers import Manager
from webordinary_worker.site.packages.manifests import DEPENDENCIES, MANIFEST, WORKSPACE, Manifests, read_installed

# The first version that brings its program as a package, and the one that is installed for those before.
WITHOUT_PROGRAM = {"sharp": ((0, 33), "0.33.5")}
OVERRIDES = ("overrides", "resolutions")  # of npm and bun, and of yarn
FIRST_PNPM_WITH_SETTINGS_IN_WORKSPACE = 10
_VERSION = re.compile(r"(\d+)\.(\d+)")


@dataclass(frozen=True)
class Replacement:
    name: str
    installed: str
    wanted: str

    def told(self) -> str:
        return f"{self.name} {self.wanted} in place of {self.installed}, which fetches its program with a script"


def replacements(folder: Path, manifests: Manifests) -> list[Replacement]:
    """The packages of an installation that cannot work, because a script would have fetched their program."""
    found = {}
    for name, (first, wanted) in WITHOUT_PROGRAM.items():
        for path in _installed(name, folder, manifests):
            version = str(read_installed(path).get("version"))
            number = _VERSION.match(version)
            if number and (int(number[1]), int(number[2])) < first:
                found[name] = Replacement(name, version, wanted)
    return list(found.values())


def with_replacements(manifests: Manifests, wanted: list[Replacement]) -> Manifests:
    """Manifests that ask for other versions of some packages, wherever those are wanted, and for the rest as before."""
    versions = {one.name: one.wanted for one in wanted}
    files = {
        name: _overridden(content, versions, is_root=name == MANIFEST) if name.endswith(MANIFEST) else content
        for name, content in manifests.files.items()
    }
    if _has_settings_in_workspace(manifests.manager):
        workspace = yaml.safe_load(files.get(WORKSPACE, b"")) or {}
        workspace["overrides"] = {**workspace.get("overrides", {}), **versions}
        files[WORKSPACE] = yaml.safe_dump(workspace, sort_keys=False, allow_unicode=True).encode()
    return manifests.with_files(files)


def patch_command(git: str, patch: str) -> list[str]:
    return [git, "apply", "--whitespace=nowarn", "--include=node_modules/*", patch]


def patch_environment(folder: Path) -> dict[str, str]:
    """Without a repository around, whose own paths the patch would be taken for."""
    return {"GIT_CEILING_DIRECTORIES": str(folder.parent), "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent"}


def _installed(name: str, folder: Path, manifests: Manifests) -> Iterator[Path]:
    for place in ("", *manifests.members):
        packages = folder / place / "node_modules"
        for pattern in ("", "*/node_modules/", "@*/*/node_modules/", f".pnpm/{name}@*/node_modules/"):
            yield from packages.glob(f"{pattern}{name}/{MANIFEST}")


def _overridden(content: bytes, versions: Mapping[str, str], *, is_root: bool) -> bytes:
    manifest = json.loads(content)
    for kind in DEPENDENCIES:
        wanted = manifest.get(kind) or {}
        wanted.update({name: version for name, version in versions.items() if name in wanted})
    if is_root:
        for kind in OVERRIDES:
            manifest[kind] = {**(manifest.get(kind) or {}), **versions}
        pnpm = manifest.get("pnpm") or {}
        manifest["pnpm"] = {**pnpm, "overrides": {**(pnpm.get("overrides") or {}), **versions}}
    return json.dumps(manifest).encode()


def _has_settings_in_workspace(manager: Manager) -> bool:
    major = int(manager.version.partition(".")[0] or 0)
    return manager.name == "pnpm" and major >= FIRST_PNPM_WITH_SETTINGS_IN_WORKSPACE
