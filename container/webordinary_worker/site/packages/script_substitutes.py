"""Replaces the effect of install scripts without running them.

Before 0.33, sharp downloads its binary in a script; later versions ship it as a package, so older ones are replaced.
Patches of `patch-package` are applied by git, which follows no symlink and writes nothing outside the folder.
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

# The first version that ships its binary as a package, and the version installed instead of older ones.
BUNDLED_SINCE = {"sharp": ((0, 33), "0.33.5")}
OVERRIDES = ("overrides", "resolutions")  # npm and bun; yarn
PNPM_WORKSPACE_SETTINGS_SINCE = 10
_VERSION = re.compile(r"(\d+)\.(\d+)")


@dataclass(frozen=True)
class Replacement:
    name: str
    installed: str
    substitute: str

    def describe(self) -> str:
        return f"{self.name} {self.substitute} instead of {self.installed}, which downloads its binary in a script"


def replacements(folder: Path, manifests: Manifests) -> list[Replacement]:
    """Installed packages that cannot work, because a script would have downloaded their binary."""
    found = {}
    for name, (first, substitute) in BUNDLED_SINCE.items():
        for path in _installed(name, folder, manifests):
            version = str(read_installed(path).get("version"))
            number = _VERSION.match(version)
            if number and (int(number[1]), int(number[2])) < first:
                found[name] = Replacement(name, version, substitute)
    return list(found.values())


def with_replacements(manifests: Manifests, chosen: list[Replacement]) -> Manifests:
    """The manifests with replaced package versions, also for transitive dependencies."""
    versions = {one.name: one.substitute for one in chosen}
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
    """Hides a surrounding repository: git would resolve the paths of a patch against its root."""
    return {"GIT_CEILING_DIRECTORIES": str(folder.parent), "GIT_CONFIG_NOSYSTEM": "1", "HOME": "/nonexistent"}


def _installed(name: str, folder: Path, manifests: Manifests) -> Iterator[Path]:
    for member in ("", *manifests.members):
        packages = folder / member / "node_modules"
        for pattern in ("", "*/node_modules/", "@*/*/node_modules/", f".pnpm/{name}@*/node_modules/"):
            yield from packages.glob(f"{pattern}{name}/{MANIFEST}")


def _overridden(content: bytes, versions: Mapping[str, str], *, is_root: bool) -> bytes:
    manifest = json.loads(content)
    for kind in DEPENDENCIES:
        declared = manifest.get(kind) or {}
        declared.update({name: version for name, version in versions.items() if name in declared})
    if is_root:
        for kind in OVERRIDES:
            manifest[kind] = {**(manifest.get(kind) or {}), **versions}
        pnpm = manifest.get("pnpm") or {}
        manifest["pnpm"] = {**pnpm, "overrides": {**(pnpm.get("overrides") or {}), **versions}}
    return json.dumps(manifest).encode()


def _has_settings_in_workspace(manager: Manager) -> bool:
    major = int(manager.version.partition(".")[0] or 0)
    return manager.name == "pnpm" and major >= PNPM_WORKSPACE_SETTINGS_SINCE
