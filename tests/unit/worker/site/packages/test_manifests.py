"""Manifest sanitizing and the choice of the package manager."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from webordinary.contract.outcomes import Failure
from webordinary_worker.failures import BuildFailedError
from webordinary_worker.site.packages.manifests import Manifests, read_manifests, safe_npmrc, use_registry

REGISTRY = "https://registry.example.org"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write(tmp_path, "package.json", {"name": "site"})
    return tmp_path


def write(tree: Path, name: str, content: object) -> None:
    path = tree / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


def read(tree: Path, site: str = ".") -> Manifests:
    return read_manifests(tree, tree / site, REGISTRY)


@pytest.mark.parametrize(
    ("files", "declared", "manager"),
    [
        ({"package-lock.json": "{}"}, "", "npm"),
        ({}, "", "npm"),
        ({"pnpm-lock.yaml": "lockfileVersion: '6.0'\n"}, "", "pnpm 8.15.9"),
        ({"pnpm-lock.yaml": "lockfileVersion: 5.4\n"}, "", "pnpm 8.15.9"),
        ({"pnpm-lock.yaml": "lockfileVersion: '9.0'\n"}, "", "pnpm 10.34.9"),
        ({"pnpm-lock.yaml": "lockfileVersion: '9.0'\n"}, "pnpm@9.1.0", "pnpm 9.15.9"),
        ({"pnpm-lock.yaml": "lockfileVersion: '9.0'\n"}, "pnpm@11.2.0+sha512.x", "pnpm 11.28.11"),
        ({"pnpm-lock.yaml": "lockfileVersion: '9.0'\n"}, "pnpm@12.0.0", "pnpm 11.28.11"),
        ({"yarn.lock": "# yarn lockfile v1\n"}, "", "yarn 1.22.22"),
        ({"yarn.lock": "__metadata:\n  version: 6\n"}, "", "yarn 3.8.7"),
        ({"yarn.lock": "__metadata:\n  version: 8\n"}, "yarn@4.0.0", "yarn 4.18.1"),
        ({"bun.lock": "{}"}, "", "bun 1.4.4"),
        ({"bun.lockb": "x"}, "", "bun 1.4.4"),
        ({"package-lock.json": "{}", "pnpm-lock.yaml": "lockfileVersion: '9.0'\n"}, "", "pnpm 10.34.9"),
        ({"package-lock.json": "{}", "pnpm-lock.yaml": "lockfileVersion: '9.0'\n"}, "npm@10.0.0", "npm"),
        ({"package-lock.json": "{}"}, "pnpm@9.0.0", "npm"),
        ({}, "pnpm@9.0.0", "pnpm 9.15.9"),
    ],
)
def test_manager_follows_lock_file_and_package_manager_field(
    tree: Path, files: dict[str, str], declared: str, manager: str
) -> None:
    write(tree, "package.json", {"packageManager": declared} if declared else {})
    for name, text in files.items():
        write(tree, name, text)

    chosen = read(tree).manager

    assert f"{chosen.name} {chosen.version}".strip() == manager


def test_settings_that_could_run_programs_are_removed(tree: Path) -> None:
    write(
        tree,
        "package.json",
        {
            "dependencies": {"astro": "5"},
            "scripts": {"preinstall": "evil"},
            "packageManager": "pnpm@10.0.0",
            "engines": {"node": "18"},
            "pnpm": {
                "overrides": {"a": "1"},
                "configDependencies": {"evil": "1"},
                "executionEnv": {"nodeVersion": "1"},
            },
        },
    )
    write(tree, "pnpm-lock.yaml", "lockfileVersion: '9.0'\n")
    write(tree, "pnpm-workspace.yaml", "packages: [apps/*]\nconfigDependencies: {evil: '1'}\nscriptShell: /evil\n")
    for name in (".pnpmfile.cjs", ".yarnrc.yml", ".yarnrc", "bunfig.toml"):
        write(tree, name, "evil")

    files = read(tree).files

    assert json.loads(files["package.json"]) == {"dependencies": {"astro": "5"}, "pnpm": {"overrides": {"a": "1"}}}
    assert files["pnpm-workspace.yaml"] == b"packages:\n- apps/*\n"
    assert set(files) == {"package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"}


def test_npmrc_keeps_only_harmless_settings() -> None:
    text = """
    ; how we install
    legacy-peer-deps=true
    public-hoist-pattern[]=*types*
    script-shell=/evil
    git=/evil
    registry=https://mirror.example.com
    @shop:registry=https://npm.shop.example
    @inner:registry=https://10.0.0.1/
    @plain:registry=http://npm.shop.example
    //npm.shop.example/:_authToken=${TOKEN}
    node-options=--require=/evil
    """

    kept, hosts = safe_npmrc(text)

    assert kept.splitlines() == [
        "legacy-peer-deps=true",
        "public-hoist-pattern[]=*types*",
        "@shop:registry=https://npm.shop.example",
    ]
    assert hosts == {"npm.shop.example"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            '"https://registry.yarnpkg.com/is-odd/-/is-odd-3.0.1.tgz#6510"',
            f'"{REGISTRY}/is-odd/-/is-odd-3.0.1.tgz#6510"',
        ),
        ('"https://m.example.com/npm/@a/b/-/b-1.0.0.tgz"', f'"{REGISTRY}/@a/b/-/b-1.0.0.tgz"'),
        ("{tarball: http://old.example/x/-/x-1.tgz, a: b}", f"{{tarball: {REGISTRY}/x/-/x-1.tgz, a: b}}"),
        ('"https://codeload.github.com/a/b/tar.gz/abc"', '"https://codeload.github.com/a/b/tar.gz/abc"'),
        ('"https://npm.shop.example/@shop/x/-/x-1.0.0.tgz"', '"https://npm.shop.example/@shop/x/-/x-1.0.0.tgz"'),
    ],
)
def test_lock_file_urls_point_to_our_registry(before: str, after: str) -> None:
    assert use_registry(before, REGISTRY, frozenset({"npm.shop.example"})) == after


def test_workspace_site_is_installed_at_the_lock_file(tree: Path) -> None:
    write(tree, "package-lock.json", "{}")
    write(tree, "apps/web/package.json", {"name": "web"})
    write(tree, "apps/web/node_modules/x/package.json", {"name": "x"})

    manifests = read(tree, "apps/web")

    assert manifests.root == tree
    assert manifests.members == ["apps/web"]


def test_workspace_site_without_lock_file_is_installed_at_the_root(tree: Path) -> None:
    write(tree, "package.json", {"workspaces": ["apps/*"]})
    write(tree, "apps/web/package.json", {"name": "web"})
    write(tree, "apps/package.json", {"name": "apps"})

    assert read(tree, "apps/web").root == tree


def test_site_with_own_lock_file_is_installed_there(tree: Path) -> None:
    write(tree, "package-lock.json", "{}")
    write(tree, "web/package.json", {"name": "web"})
    write(tree, "web/pnpm-lock.yaml", "lockfileVersion: '9.0'\n")

    assert (read(tree, "web").root, read(tree, "web").manager.name) == (tree / "web", "pnpm")


def test_patches_are_copied_but_not_symlinks(tree: Path) -> None:
    write(tree, "patches/astro.patch", "diff")
    (tree / "patches/evil.patch").symlink_to("/etc/passwd")

    assert [name for name in read(tree).files if name.endswith(".patch")] == ["patches/astro.patch"]


@pytest.mark.parametrize(
    ("name", "content", "failure"),
    [
        ("package.json", "{", Failure.NO_PACKAGE_FILES),
        ("package.json", {"dependencies": {"x": "exec:./run.js"}}, Failure.PACKAGES_NOT_INSTALLED),
        ("yarn.lock", '__metadata:\n  version: 8\n"x@exec:./run.js":\n', Failure.PACKAGES_NOT_INSTALLED),
    ],
)
def test_invalid_or_unsafe_manifests_are_rejected(tree: Path, name: str, content: object, failure: Failure) -> None:
    write(tree, name, content)

    with pytest.raises(BuildFailedError) as refused:
        read(tree)
    assert refused.value.failure == failure


@pytest.mark.parametrize(
    "more",
    [
        {"overrides": {"react": "https://evil.example/react.tgz"}},
        {"overrides": {"astro": {"react": "git+https://evil.example/react.git"}}},
        {"resolutions": {"react": "http://evil.example/react.tgz"}},
        {"pnpm": {"overrides": {"react": "https://evil.example/react.tgz"}}},
        {"dependencies": {"x": "http://169.254.170.2/x.tgz"}},
    ],
)
def test_url_in_place_of_a_package_is_refused(tmp_path: Path, more: dict[str, object]) -> None:
    (tmp_path / "package.json").write_text(json.dumps(more))

    with pytest.raises(BuildFailedError, match="is not"):
        read_manifests(tmp_path, tmp_path, "https://registry.npmjs.org")


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "169.254.170.2", "[::1]", "2130706433", "0x7f.1", "169%2e254.169.254", "a.internal"],
)
def test_lock_file_that_leads_to_this_machine_or_its_network_is_refused(tmp_path: Path, host: str) -> None:
    (tmp_path / "package.json").write_text("{}")
    resolved = {"node_modules/x": {"resolved": f"http://{host}/x.tgz"}}
    (tmp_path / "package-lock.json").write_text(json.dumps({"lockfileVersion": 3, "packages": resolved}))

    with pytest.raises(BuildFailedError, match="is not a public host"):
        read_manifests(tmp_path, tmp_path, "https://registry.npmjs.org")
