"""Sites are built confined, aside and in time; packages are installed once and never by a site's own code.

node, npm and astro are small scripts here: what npm installs as astro is the text of package.json.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from webordinary.platform.messages import Failure
from webordinary.protocol.worker.run import CancelReason, JobCancelledError
from webordinary_worker.astro import NodeError, SiteBuilder
from webordinary_worker.cancellation import CancellationToken
from webordinary_worker.failures import BuildFailedError, JobFailedError, LinkLeavesTreeError
from webordinary_worker.processes import Confinement
from webordinary_worker.settings import WorkerSettings

NPM = """#!/bin/sh
echo "$@" >> {log}
env > {log}.env
ls -A | tr '\\n' ' ' >> {log}
mkdir -p node_modules/.bin
cp package.json node_modules/.bin/astro
chmod +x node_modules/.bin/astro
"""
ASTRO = '#!/bin/sh\necho "$@" > "$3/arguments"\nenv > "$3/environment"\ncp page.txt "$3/index.html"\n'


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


class Bench:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "npm.log"
        self.node = script(folder / "bin/node", "#!/bin/sh\necho v24.0.0\n")
        self.npm = script(folder / "bin/npm", NPM.format(log=self.log))
        self.tree = self.new_tree("tree")
        self.cancellation = CancellationToken()

    def new_tree(self, name: str, astro: str = ASTRO, lock: str = "lock") -> Path:
        tree = self.folder / name
        script(tree / "package.json", astro)
        (tree / "package-lock.json").write_text(lock)
        (tree / "page.txt").write_text("hello")
        return tree

    def builder(self, project: str = "bakery", seconds: float = 20) -> SiteBuilder:
        settings = WorkerSettings(
            account="123456789012",
            container_id="worker-1",
            place="place-0001",
            launch_id="launch1",
            workspace=self.folder,
            cache=self.folder / "cache",
            node_folder=self.node.parent,
            build_seconds=seconds,
            network_environment={"HTTPS_PROXY": "http://proxy.example.com"},
            model_environment={"ANTHROPIC_API_KEY": "secret"},
        )
        return SiteBuilder(settings, Confinement("test"), project)

    def build(self, tree: Path | None = None, builder: SiteBuilder | None = None) -> Path:
        scratch = self.folder / "scratch"
        return (builder or self.builder()).build(tree or self.tree, scratch, self.cancellation)

    def installs(self) -> int:
        return self.log.read_text().count("ci ") if self.log.exists() else 0


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def failure_of(build: Callable[[], object]) -> JobFailedError:
    with pytest.raises(JobFailedError) as failed:
        build()
    return failed.value


def test_a_site_is_built_for_the_root_of_a_host_into_a_fresh_folder(bench: Bench) -> None:
    first, second = bench.build(), bench.build()

    assert (first / "index.html").read_text() == "hello"
    assert (first / "arguments").read_text() == f"build --outDir {first}\n"
    assert first != second
    assert bench.folder / "scratch" in first.parents


def test_a_build_sees_neither_the_network_nor_a_secret(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")

    environment = (bench.build() / "environment").read_text()

    assert "secret" not in environment
    assert "proxy" not in environment
    assert "NODE_ENV=production" in environment


def test_a_build_that_fails_says_why_without_the_place_of_the_tree(bench: Bench) -> None:
    tree = bench.new_tree("broken", astro="#!/bin/sh\necho starting\necho error in $PWD/src/page.astro:3\nexit 1\n")

    failed = failure_of(lambda: bench.build(tree))

    assert isinstance(failed, BuildFailedError)
    assert (failed.failure, failed.detail) == (Failure.BUILD_FAILED, "error in src/page.astro:3")


def test_a_build_that_does_not_end_is_ended(bench: Bench) -> None:
    tree = bench.new_tree("slow", astro="#!/bin/sh\nsleep 60\n")
    bench.builder()._install(tree, bench.cancellation)  # so that only the build counts

    started = time.monotonic()
    failed = failure_of(lambda: bench.build(tree, bench.builder(seconds=0.5)))

    assert failed.failure == Failure.BUILD_TIMED_OUT
    assert time.monotonic() - started < 15


def test_a_build_that_is_cancelled_is_ended_and_not_taken_for_broken(bench: Bench) -> None:
    tree = bench.new_tree("slow", astro="#!/bin/sh\nsleep 60\n")
    threading.Timer(0.5, bench.cancellation.cancel, (CancelReason.SHUTDOWN,)).start()

    started = time.monotonic()
    with pytest.raises(JobCancelledError):
        bench.build(tree)
    assert time.monotonic() - started < 15


@pytest.mark.parametrize("missing", ["package.json", "package-lock.json"])
def test_a_repository_without_its_package_files_is_not_built(bench: Bench, missing: str) -> None:
    (bench.tree / missing).unlink()

    assert failure_of(bench.build).failure == Failure.NO_PACKAGE_FILES
    assert bench.installs() == 0


def test_packages_are_installed_once_per_lockfile(bench: Bench) -> None:
    bench.build()
    bench.build(bench.new_tree("same"))
    assert bench.installs() == 1

    bench.build(bench.new_tree("other", lock="another lock"))
    assert bench.installs() == 2


def test_packages_are_not_shared_between_projects(bench: Bench) -> None:
    bench.build()
    bench.build(builder=bench.builder("garden"))

    assert bench.installs() == 2


def test_packages_are_installed_anew_for_another_node(bench: Bench) -> None:
    bench.build()
    script(bench.node, "#!/bin/sh\necho v25.0.0\n")
    bench.build()

    assert bench.installs() == 2


def test_npm_runs_no_scripts_and_sees_only_the_package_files(bench: Bench) -> None:
    (bench.tree / ".npmrc").write_text("script-shell=/evil")

    bench.build()

    options, _, seen = bench.log.read_text().partition("\n")
    assert {"--ignore-scripts", "--allow-git=none", "--git=/bin/false", "--userconfig=/nonexistent"} <= set(
        options.split()
    )
    assert seen.split() == ["package-lock.json", "package.json"]
    assert "HTTPS_PROXY=http://proxy.example.com" in Path(f"{bench.log}.env").read_text()
    assert "secret" not in Path(f"{bench.log}.env").read_text()


def test_npm_is_taken_as_node_ships_it_where_it_can_be(bench: Bench) -> None:
    cli = script(bench.folder / "lib/node_modules/npm/bin/npm-cli.js", "")
    script(bench.node, f'#!/bin/sh\n[ "$1" = --version ] && echo v24 && exit\nshift\nexec {bench.npm} "$@"\n')

    bench.build()

    assert cli.is_file()
    assert bench.installs() == 1


def test_packages_that_cannot_be_installed_are_no_fault_of_the_change(bench: Bench) -> None:
    script(bench.npm, "#!/bin/sh\nmkdir node_modules\necho npm error 404\nexit 1\n")

    failed = failure_of(bench.build)

    assert not isinstance(failed, BuildFailedError)  # no repair would help
    assert (failed.failure, failed.detail) == (Failure.PACKAGES_NOT_INSTALLED, "npm error 404")
    assert list((bench.folder / "cache/bakery").iterdir()) == []


def test_a_dependency_on_a_git_repository_has_a_failure_of_its_own(bench: Bench) -> None:
    script(bench.npm, "#!/bin/sh\necho npm error code EALLOWGIT\nexit 1\n")

    assert failure_of(bench.build).failure == Failure.GIT_DEPENDENCY


@pytest.mark.parametrize(
    "said", ["getaddrinfo EAI_AGAIN fonts.example.com", "TypeError: fetch failed", "connect EACCES"]
)
def test_a_build_that_wants_the_network_has_a_failure_of_its_own(bench: Bench, said: str) -> None:
    tree = bench.new_tree("online", astro=f"#!/bin/sh\necho '[ERROR] {said}'\nexit 1\n")

    failed = failure_of(lambda: bench.build(tree))

    assert isinstance(failed, BuildFailedError)  # the agent may have brought it in, and can take it out again
    assert (failed.failure, failed.detail) == (Failure.NETWORK_REFUSED, f"[ERROR] {said}")


def test_a_build_works_in_a_copy_and_changes_nothing_in_the_tree(bench: Bench) -> None:
    greedy = ASTRO + "rm page.txt; mkdir .git; echo evil > new.txt; rm package-lock.json\n"
    tree = bench.new_tree("greedy", astro=greedy)

    built = bench.build(tree)

    assert (built / "index.html").read_text() == "hello"
    assert {path.name for path in tree.iterdir()} == {"package.json", "package-lock.json", "page.txt"}


def test_packages_wait_for_the_next_build_beside_the_scratch_folder(bench: Bench) -> None:
    tree = bench.new_tree("caching", astro=ASTRO + "echo x >> node_modules/.cache; cp node_modules/.cache $3\n")
    bench.build(tree)

    assert (bench.build(tree) / ".cache").read_text() == "x\nx\n"


def test_an_installation_that_is_cancelled_is_not_kept(bench: Bench) -> None:
    script(bench.npm, "#!/bin/sh\nmkdir node_modules\nsleep 60\n")
    threading.Timer(0.5, bench.cancellation.cancel, (CancelReason.LOST,)).start()

    with pytest.raises(JobCancelledError):
        bench.build()
    assert list((bench.folder / "cache/bakery").iterdir()) == []


def test_packages_that_another_worker_installed_meanwhile_are_used(bench: Bench) -> None:
    script(bench.npm, bench.npm.read_text() + f"cp -r . {bench.folder}/theirs\n")
    bench.build()
    (installed,) = (bench.folder / "cache/bakery").iterdir()
    staging = bench.folder / "cache/bakery/installing-x"
    (staging / "node_modules").mkdir(parents=True)

    SiteBuilder._publish(staging, installed)

    assert (installed / "node_modules/.bin/astro").is_file()


def test_a_place_that_is_taken_by_something_else_is_an_error(tmp_path: Path) -> None:
    staging, installed = tmp_path / "staging", tmp_path / "installed"
    staging.mkdir()
    (installed / "something else").mkdir(parents=True)

    with pytest.raises(OSError, match="not empty"):
        SiteBuilder._publish(staging, installed)


def test_a_node_that_does_not_run_is_named(bench: Bench) -> None:
    script(bench.node, "#!/bin/sh\necho no such library\nexit 127\n")

    with pytest.raises(NodeError, match="no such library"):
        bench.build()


@pytest.mark.parametrize("link", ["public/secret.txt", "src/folder"])
def test_a_link_that_leaves_the_tree_is_refused_before_anything_runs(bench: Bench, link: str) -> None:
    (bench.tree / link).parent.mkdir()
    (bench.tree / link).symlink_to("/etc")

    failed = failure_of(bench.build)

    assert isinstance(failed, LinkLeavesTreeError)
    assert (failed.failure, failed.detail) == (Failure.LINK_LEAVES_SITE, link)
    assert bench.installs() == 0


def test_links_inside_the_tree_and_inside_packages_are_fine(bench: Bench) -> None:
    (bench.tree / "same.txt").symlink_to("page.txt")
    (bench.tree / "node_modules").mkdir()
    (bench.tree / "node_modules/linked").symlink_to("/usr")

    assert bench.build()
