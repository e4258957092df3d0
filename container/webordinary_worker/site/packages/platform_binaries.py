"""Packages that hold a program for one kind of machine, and that a lock file from another kind of machine leaves out.

npm forgets them (https://github.com/npm/cli/issues/4828): a lock file that was made on a Mac may have no rollup, no
esbuild and no sharp for Linux, and a build here would say that it cannot find them.
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
    """What an installation by npm lacks for this machine, with the versions that its packages ask for."""
    if manifests.manager.name != "npm" or manifests.lock is None:
        return {}
    here = f"linux-{ARCHITECTURES.get(machine, machine)}"
    found: dict[str, str] = {}
    for package, manifest in _installed(folder / "node_modules"):
        for name, version in dependencies(manifest, OPTIONAL).items():
            is_ours = here in name and OTHER_LIBRARY not in name
            if is_ours and not _is_found(name, package, folder):
                found[name] = version
    return found


def with_packages(manifests: Manifests, wanted: Mapping[str, str]) -> Manifests:
    """Manifests that ask for some packages more."""
    manifest = json.loads(manifests.files[MANIFEST])
    manifest[OPTIONAL] = {**dependencies(manifest, OPTIONAL), **wanted}
    return manifests.with_files({**manifests.files, MANIFEST: json.dumps(manifest).encode()})


def _is_found(name: str, package: Path, folder: Path) -> bool:
    """As Node.js looks for it: in the package, and in every folder around."""
    around = (place for place in (package, *package.parents) if place.is_relative_to(folder))
    return any((place / "node_modules" / name).is_dir() for place in around)


def _installed(packages: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    for pattern in ("*", "@*/*", "*/node_modules/*"):
        for path in packages.glob(f"{pattern}/{MANIFEST}"):
            yield path.parent, read_installed(path, OPTIONAL.encode())  # all of them would take a tenth of a second
