"""The package installer, with a small script as npm; `make test-sites` runs the real managers."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.cancelling import cancel_once_there
from tests.support.small_astro import SmallAstro, script
from tests.unit.worker.site.build.test_builder import failure_of
from webordinary.contract.outcomes import Failure
from webordinary.protocol.worker.run import CancelReason, JobCancelledError
from webordinary_worker.failures import BuildFailedError
from webordinary_worker.site.packages.hardlinks import link_packages
from webordinary_worker.site.packages.installer import NodeError, PackageInstaller
from webordinary_worker.site.packages.manager_process import move_into_place


def install(bench: SmallAstro, tree: Path | None = None, project: str = "bakery") -> object:
    tree = tree or bench.tree
    return PackageInstaller(bench.settings(), bench.confinement, project).install(tree, tree, bench.cancellation)


def cached(bench: SmallAstro) -> list[str]:
    return [path.name for path in (bench.folder / "cache/bakery").iterdir() if path.name != "downloads"]


def test_repository_without_package_json_is_not_built(bench: SmallAstro) -> None:
    (bench.tree / "package.json").unlink()

    assert failure_of(bench.build).failure == Failure.NO_PACKAGE_FILES
    assert bench.installs() == 0


def test_packages_are_installed_once_per_lock_file(bench: SmallAstro) -> None:
    install(bench)
    install(bench, bench.new_tree("same"))
    assert bench.installs() == 1

    install(bench, bench.new_tree("other", lock='{"other": 1}'))
    assert bench.installs() == 2


def test_packages_are_not_shared_between_projects(bench: SmallAstro) -> None:
    install(bench)
    install(bench, project="garden")

    assert bench.installs() == 2


def test_packages_are_reinstalled_for_another_node_version(bench: SmallAstro) -> None:
    install(bench)
    bench.node.unlink()
    script(bench.node, "#!/bin/sh\necho v25.0.0\n")
    install(bench)

    assert bench.installs() == 2


def test_npm_runs_no_scripts_and_sees_only_manifests(bench: SmallAstro) -> None:
    (bench.tree / ".npmrc").write_text("script-shell=/evil\n")

    install(bench)

    options, _, seen = bench.log.read_text().partition("\n")
    assert {"--ignore-scripts", "--allow-git=none", "--git=/bin/false", "--include=dev"} <= set(options.split())
    assert seen.split() == ["package-lock.json", "package.json"]
    environment = Path(f"{bench.log}.env").read_text()
    assert "HTTPS_PROXY" not in environment  # it could be a way to local addresses
    assert "secret" not in environment


def test_managers_find_no_program_except_node(bench: SmallAstro) -> None:
    script(bench.npm, f"#!/bin/sh\nfor folder in $PATH; do echo $folder/* > {bench.log}.path; done\n")
    install(bench)

    assert Path(f"{bench.log}.path").read_text().split() == [str(bench.folder / "cache/tools/path/node")]


def test_npm_cli_of_node_is_preferred_and_cannot_start_programs(bench: SmallAstro) -> None:
    log = bench.folder / "cli.log"
    script(
        bench.folder / "lib/node_modules/npm/bin/npm-cli.js",
        f"""
        const fs = require("node:fs");
        let started = "";
        try {{ require("node:child_process").spawnSync("git"); }} catch (error) {{ started = error.code; }}
        fs.writeFileSync({str(log)!r}, started);
        """,
    )

    install(bench)

    assert log.read_text() == "EALLOWPROGRAM"


def test_failed_install_is_not_a_build_failure(bench: SmallAstro) -> None:
    script(bench.npm, "#!/bin/sh\n/bin/mkdir node_modules\necho npm error 404\nexit 1\n")

    failed = failure_of(bench.build)

    assert not isinstance(failed, BuildFailedError)  # no repair would help
    assert (failed.failure, failed.detail) == (Failure.PACKAGES_NOT_INSTALLED, "npm error 404")
    assert cached(bench) == []


@pytest.mark.parametrize("output", ["npm error code EALLOWGIT", "EALLOWPROGRAM git is not allowed"])
def test_git_dependency_has_its_own_failure_code(bench: SmallAstro, output: str) -> None:
    script(bench.npm, f"#!/bin/sh\necho {output}\nexit 1\n")

    assert failure_of(bench.build).failure == Failure.GIT_DEPENDENCY


def test_outdated_lock_file_is_installed_and_reported(bench: SmallAstro) -> None:
    stale = 'if [ "$1" = ci ]; then echo npm error code EUSAGE; exit 1; fi\n'
    script(bench.npm, bench.npm.read_text().replace("mkdir", stale + "mkdir", 1))

    assert bench.build().installation.stale
    assert bench.build().installation.stale  # also from the cache
    assert bench.build(bench.new_tree("none", lock="{}")).installation.lock is not None


def test_missing_lock_file_is_installed_and_reported(bench: SmallAstro) -> None:
    (bench.tree / "package-lock.json").unlink()

    installation = bench.build().installation

    assert (installation.lock, installation.stale) == (None, True)


def test_cancelled_install_is_not_cached(bench: SmallAstro) -> None:
    installing = bench.folder / "installing"
    script(bench.npm, f"#!/bin/sh\n/bin/mkdir node_modules\n> {installing}\n/bin/sleep 600\n")
    cancel_once_there(installing, bench.cancellation, CancelReason.LOST)

    with pytest.raises(JobCancelledError):
        bench.build()
    assert cached(bench) == []


def test_packages_installed_concurrently_by_another_worker_are_used(bench: SmallAstro) -> None:
    install(bench)
    (name,) = cached(bench)
    installed, staging = bench.folder / "cache/bakery" / name, bench.folder / "cache/bakery/installing-x"
    (staging / "node_modules").mkdir(parents=True)

    move_into_place(staging, installed)

    assert (installed / "node_modules/astro/index.mjs").is_file()


def test_moving_onto_a_foreign_folder_fails(tmp_path: Path) -> None:
    staging, installed = tmp_path / "staging", tmp_path / "installed"
    staging.mkdir()
    (installed / "something else").mkdir(parents=True)

    with pytest.raises(OSError, match="not empty"):
        move_into_place(staging, installed)


def test_broken_node_raises_its_output(bench: SmallAstro) -> None:
    bench.node.unlink()
    script(bench.node, "#!/bin/sh\necho no such library\nexit 127\n")

    with pytest.raises(NodeError, match="no such library"):
        bench.build()


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    installed = tmp_path / "installed-1"
    (installed / "node_modules").mkdir(parents=True)
    (installed / "node_modules/module.js").write_text("code")
    return installed


def no_links(*_: object, **__: object) -> None:
    raise OSError("links are unsupported")


def test_linked_packages_are_hard_links(installed: Path, tmp_path: Path) -> None:
    link_packages(installed, tmp_path)

    assert (tmp_path / "node_modules/module.js").samefile(installed / "node_modules/module.js")


@pytest.mark.parametrize("can_link", [True, False])
def test_folders_programs_and_symlinks_of_packages_are_kept(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, can_link: bool
) -> None:
    program = installed / "node_modules/tool/bin/run.js"
    program.parent.mkdir(parents=True)
    program.write_text("run")
    program.chmod(0o755)
    (installed / "node_modules/.bin").mkdir()
    (installed / "node_modules/.bin/run").symlink_to("../tool/bin/run.js")
    if not can_link:
        monkeypatch.setattr(os, "link", no_links)

    link_packages(installed, tmp_path)

    linked = tmp_path / "node_modules/.bin/run"
    assert (str(linked.readlink()), linked.read_text()) == ("../tool/bin/run.js", "run")
    assert os.access(linked, os.X_OK)
    assert (tmp_path / "node_modules/tool").stat().st_mode & 0o777 == 0o755


def test_symlink_at_node_modules_is_replaced_not_followed(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/keep").write_text("me")
    (tmp_path / "node_modules").symlink_to(tmp_path / "elsewhere")

    link_packages(installed, tmp_path)

    assert not (tmp_path / "node_modules").is_symlink()
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["keep"]


def test_packages_are_copied_if_links_are_unsupported(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", no_links)
    link_packages(installed, tmp_path)

    assert (tmp_path / "node_modules/module.js").read_text() == "code"
