"""Platform-specific packages that are missing from a lock file made on another platform.

npm omits them (https://github.com/npm/cli/issues/4828): a lock file made on a Mac may lack rollup, esbuild and sharp
for Linux, and a build here could not find them.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from webordinary_worker.site.packages.manifests import MANIFEST, Manifests, dependencies, read_installed

ARCHITECTURES = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}
OTHER_LIBRARY = "musl"
OPTIONAL = "optionalDependencies"


def missing_binaries(folder: Path, manifests: Manifests, machine: str = platform.machine()) -> dict[str, str]:
    """Packages that an npm install lacks on this machine, with the requested versions."""
    if manifests.manager.name != "npm" or manifests.lock is None:
        return {}
    target = f"linux-{ARCHITECTURES.get(machine, machine)}"
    found: dict[str, str] = {}
    for package, manifest in _installed(folder / "node_modules"):
        for name, version in dependencies(manifest, OPTIONAL).items():
            matches = target in name and OTHER_LIBRARY not in name
            if matches and not _is_found(name, package, folder):
                found[name] = version
    return found


def with_packages(manifests: Manifests, added: Mapping[str, str]) -> Manifests:
    """The manifests with additional packages."""
    manifest = json.loads(manifests.files[MANIFEST])
    manifest[OPTIONAL] = {**dependencies(manifest, OPTIONAL), **added}
    return manifests.with_files({**manifests.files, MANIFEST: json.dumps(manifest).encode()})


def _is_found(name: str, package: Path, folder: Path) -> bool:
    """Resolves like Node.js: in the package, then in every parent folder."""
    parents = (parent for parent in (package, *package.parents) if parent.is_relative_to(folder))
    return any((parent / "node_modules" / name).is_dir() for parent in parents)


def _installed(packages: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    for pattern in ("*", "@*/*", "*/node_modules/*"):
        for path in packages.glob(f"{pattern}/{MANIFEST}"):
            yield path.parent, read_installed(path, OPTIONAL.encode())  # parsing all takes 0.1 s
