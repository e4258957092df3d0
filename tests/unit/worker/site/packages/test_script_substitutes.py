"""Substitutes for install scripts: newer sharp, and patches applied by git."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
import yaml

from tests.support.small_astro import SmallAstro, script
from tests.unit.worker.site.build.test_builder import failure_of
from webordinary.contract.outcomes import Failure
from webordinary_worker.failures import JobFailedError
from webordinary_worker.site.packages.installer import InstalledPackages, PackageInstaller
from webordinary_worker.site.packages.manifests import Manifests, read_manifests
from webordinary_worker.site.packages.script_substitutes import Replacement, replacements, with_replacements

SHARP = Replacement("sharp", "0.32.6", "0.33.5")
PATCH = """--- a/{path}
+++ b/{path}
@@ -1 +1 @@
-plain
+patched
"""
LINK = """diff --git a/node_modules/link b/node_modules/link
new file mode 120000
--- /dev/null
+++ b/node_modules/link
@@ -0,0 +1 @@
+{target}
\\ No newline at end of file
"""
NEW_FILE = """diff --git a/node_modules/link/file b/node_modules/link/file
new file mode 100644
--- /dev/null
+++ b/node_modules/link/file
@@ -0,0 +1 @@
+evil
"""


def manifests(tree: Path, manager: str = "npm", **manifest: object) -> Manifests:
    (tree / "package.json").write_text(json.dumps({"packageManager": f"{manager}@99", **manifest}))
    return read_manifests(tree, tree, "https://registry.example.org")


def put(folder: Path, version: str, path: str = "node_modules/sharp") -> None:
    (folder / path).mkdir(parents=True)
    (folder / path / "package.json").write_text(json.dumps({"version": version}))


@pytest.mark.parametrize(
    "path",
    [
        "node_modules/sharp",
        "node_modules/astro/node_modules/sharp",
        "node_modules/.pnpm/sharp@0.32.6/node_modules/sharp",
    ],
)
def test_sharp_that_downloads_its_binary_is_replaced(tmp_path: Path, path: str) -> None:
    put(tmp_path, "0.32.6", path)

    assert replacements(tmp_path, manifests(tmp_path)) == [SHARP]


@pytest.mark.parametrize("version", ["0.33.0", "0.34.5", "1.0.0"])
def test_sharp_that_ships_its_binary_is_kept(tmp_path: Path, version: str) -> None:
    put(tmp_path, version)

    assert replacements(tmp_path, manifests(tmp_path)) == []


def test_replaced_version_is_set_for_every_manager(tmp_path: Path) -> None:
    given = manifests(tmp_path, dependencies={"sharp": "^0.32.0", "astro": "3.6.5"}, overrides={"vite": "4.5.0"})

    changed = json.loads(with_replacements(given, [SHARP]).files["package.json"])

    assert changed["dependencies"] == {"sharp": "0.33.5", "astro": "3.6.5"}
    assert changed["overrides"] == {"vite": "4.5.0", "sharp": "0.33.5"}
    assert changed["resolutions"] == changed["pnpm"]["overrides"] == {"sharp": "0.33.5"}


def test_replaced_version_is_set_in_pnpm_workspace_file(tmp_path: Path) -> None:
    (tmp_path / "pnpm-workspace.yaml").write_text("packages: [web]\noverrides: {vite: 4.5.0}\n")

    changed = with_replacements(manifests(tmp_path, "pnpm"), [SHARP]).files["pnpm-workspace.yaml"]

    assert yaml.safe_load(changed) == {"packages": ["web"], "overrides": {"vite": "4.5.0", "sharp": "0.33.5"}}


@pytest.fixture
def patching(bench: SmallAstro) -> SmallAstro:
    """An install of one package, for a site that patches its packages in a script."""
    install_package = "mkdir -p node_modules/words && echo plain > node_modules/words/index.js"
    script(bench.npm, f"#!/bin/sh\nPATH=/usr/bin:/bin\n{install_package}\n")
    (bench.tree / "package.json").write_text(json.dumps({"scripts": {"postinstall": "husky && patch-package"}}))
    return bench


def install(bench: SmallAstro, path: str) -> InstalledPackages:
    patch = bench.tree / "patches/words+1.0.0.patch"
    patch.parent.mkdir()
    patch.write_text(PATCH.format(path=path))
    return PackageInstaller(bench.settings(), bench.confinement, "bakery").install(
        bench.tree, bench.tree, bench.cancellation
    )


def test_packages_are_patched(patching: SmallAstro) -> None:
    installed = install(patching, "node_modules/words/index.js")

    assert (installed.folder / "node_modules/words/index.js").read_text() == "patched\n"


def test_patch_that_does_not_apply_is_named(patching: SmallAstro) -> None:
    failed = failure_of(lambda: install(patching, "node_modules/words/other.js"))

    assert failed.failure == Failure.PACKAGES_NOT_INSTALLED
    assert failed.detail.startswith("patches/words+1.0.0.patch does not apply: ")


@pytest.mark.parametrize("path", ["../outside", "package.json", "node_modules/../../outside"])
def test_patch_changes_only_packages(patching: SmallAstro, path: str) -> None:
    outside = patching.folder / "cache/bakery/outside"
    outside.parent.mkdir(parents=True)
    outside.write_text("plain\n")
    with suppress(JobFailedError):  # rejected or ignored
        installed = install(patching, path)
        assert (installed.folder / "package.json").read_text() == "{}"

    assert outside.read_text() == "plain\n"


def test_patch_does_not_follow_symlink_of_another_patch(patching: SmallAstro) -> None:
    outside = patching.folder / "outside"
    outside.mkdir()
    (patching.tree / "patches").mkdir()
    (patching.tree / "patches/a.patch").write_text(LINK.format(target=outside))
    (patching.tree / "patches/b.patch").write_text(NEW_FILE)
    installer = PackageInstaller(patching.settings(), patching.confinement, "bakery")

    failed = failure_of(lambda: installer.install(patching.tree, patching.tree, patching.cancellation))

    assert failed.detail.startswith("patches/b.patch does not apply")
    assert list(outside.iterdir()) == []


def test_patches_and_archives_are_found_in_named_folders(tmp_path: Path) -> None:
    for name in ("patches/scope/a.patch", "config/b.patch", "vendor/words.tgz", "other/c.patch"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "patches/link.patch").symlink_to("/etc/passwd")

    seen = manifests(
        tmp_path,
        dependencies={"words": "file:vendor/words.tgz", "gone": "file:../outside.tgz"},
        patchedDependencies={"b@1.0.0": "config/b.patch"},
        scripts={"postinstall": "patch-package --patch-dir other"},
    )

    assert sorted(seen.files) == [
        "config/b.patch",
        "other/c.patch",
        "package.json",
        "patches/scope/a.patch",
        "vendor/words.tgz",
    ]
