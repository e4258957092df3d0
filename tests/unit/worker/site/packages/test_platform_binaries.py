"""Programs for this kind of machine, where the lock file is from another kind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from webordinary_worker.site.packages.manifests import Manifests, manifests_of
from webordinary_worker.site.packages.platform_binaries import missing_binaries, with_packages

OURS, OTHERS = "@rollup/rollup-linux-x64-gnu", ("@rollup/rollup-linux-x64-musl", "@rollup/rollup-darwin-arm64")
LOCK = "package-lock.json"


def manifests(folder: Path, lock: str = LOCK) -> Manifests:
    (folder / "package.json").write_text("{}")
    if lock:
        (folder / lock).write_text("{}")
    return manifests_of(folder, folder, "https://registry.example.org")


def put(folder: Path, place: str, **manifest: object) -> None:
    (folder / "node_modules" / place).mkdir(parents=True)
    (folder / "node_modules" / place / "package.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize("place", ["rollup", "@astrojs/rollup", "vite/node_modules/rollup"])
def test_what_a_package_wants_for_this_machine_and_has_not_is_left_out(tmp_path: Path, place: str) -> None:
    put(tmp_path, place, optionalDependencies=dict.fromkeys((OURS, *OTHERS), "4.1.0"))

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
    ids=["cut off", "list", "list of them", "no version", "deep"],
)
def test_a_package_whose_manifest_is_none_leaves_nothing_out(tmp_path: Path, manifest: str) -> None:
    put(tmp_path, "rollup")
    (tmp_path / "node_modules/rollup/package.json").write_text(manifest)

    assert missing_binaries(tmp_path, manifests(tmp_path), "x86_64") == {}


@pytest.mark.parametrize("place", [OURS, f"vite/node_modules/{OURS}", f"vite/node_modules/rollup/node_modules/{OURS}"])
def test_what_is_there_is_not_left_out(tmp_path: Path, place: str) -> None:
    put(tmp_path, "vite/node_modules/rollup", optionalDependencies={OURS: "4.1.0"})
    put(tmp_path, place)

    assert missing_binaries(tmp_path, manifests(tmp_path), "x86_64") == {}


@pytest.mark.parametrize("lock", ["pnpm-lock.yaml", ""])
def test_only_a_lock_file_of_npm_leaves_something_out(tmp_path: Path, lock: str) -> None:
    put(tmp_path, "rollup", optionalDependencies={OURS: "4.1.0"})

    assert missing_binaries(tmp_path, manifests(tmp_path, lock), "x86_64") == {}


def test_it_is_asked_for_besides(tmp_path: Path) -> None:
    changed = with_packages(manifests(tmp_path), {OURS: "4.1.0"})

    assert json.loads(changed.files["package.json"]) == {"optionalDependencies": {OURS: "4.1.0"}}
    assert LOCK in changed.files
