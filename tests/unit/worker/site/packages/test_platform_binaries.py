"""Platform binaries missing from a lock file of another platform."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from webordinary_worker.site.packages.manifests import Manifests, read_manifests
from webordinary_worker.site.packages.platform_binaries import missing_binaries, with_packages

OURS, OTHERS = "@rollup/rollup-linux-x64-gnu", ("@rollup/rollup-linux-x64-musl", "@rollup/rollup-darwin-arm64")
LOCK = "package-lock.json"


def manifests(folder: Path, lock: str = LOCK) -> Manifests:
    (folder / "package.json").write_text("{}")
    if lock:
        (folder / lock).write_text("{}")
    return read_manifests(folder, folder, "https://registry.example.org")


def put(folder: Path, path: str, **manifest: object) -> None:
    (folder / "node_modules" / path).mkdir(parents=True)
    (folder / "node_modules" / path / "package.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize("path", ["rollup", "@astrojs/rollup", "vite/node_modules/rollup"])
def test_binary_for_this_machine_that_is_not_installed_is_missing(tmp_path: Path, path: str) -> None:
    put(tmp_path, path, optionalDependencies=dict.fromkeys((OURS, *OTHERS), "4.1.0"))

    assert missing_binaries(tmp_path, manifests(tmp_path), "x86_64") == {OURS: "4.1.0"}


@pytest.mark.parametrize(
    "manifest",
    [
        '{"optionalDependencies":',
        '["optionalDependencies"]',
        '{"optionalDependencies": []}',
        f'{{"optionalDependencies": {{"{OURS}": 4}}}}',
        '{"optionalDependencies":' * 100_000,
    ],
    ids=["truncated", "list", "list of dependencies", "no version", "deep"],
)
def test_invalid_package_manifest_is_ignored(tmp_path: Path, manifest: str) -> None:
    put(tmp_path, "rollup")
    (tmp_path / "node_modules/rollup/package.json").write_text(manifest)

    assert missing_binaries(tmp_path, manifests(tmp_path), "x86_64") == {}


@pytest.mark.parametrize("path", [OURS, f"vite/node_modules/{OURS}", f"vite/node_modules/rollup/node_modules/{OURS}"])
def test_installed_binary_is_not_missing(tmp_path: Path, path: str) -> None:
    put(tmp_path, "vite/node_modules/rollup", optionalDependencies={OURS: "4.1.0"})
    put(tmp_path, path)

    assert missing_binaries(tmp_path, manifests(tmp_path), "x86_64") == {}


@pytest.mark.parametrize("lock", ["pnpm-lock.yaml", ""])
def test_only_npm_lock_files_are_checked(tmp_path: Path, lock: str) -> None:
    put(tmp_path, "rollup", optionalDependencies={OURS: "4.1.0"})

    assert missing_binaries(tmp_path, manifests(tmp_path, lock), "x86_64") == {}


def test_missing_binaries_are_added_to_the_manifest(tmp_path: Path) -> None:
    changed = with_packages(manifests(tmp_path), {OURS: "4.1.0"})

    assert json.loads(changed.files["package.json"]) == {"optionalDependencies": {OURS: "4.1.0"}}
    assert LOCK in changed.files
