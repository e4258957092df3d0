"""The site builder: confinement, build scripts, failures and caches."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.support.cancelling import cancel_once_there
from tests.support.small_astro import SmallAstro
from webordinary.contract.outcomes import Failure
from webordinary.protocol.worker.run import CancelReason, JobCancelledError
from webordinary_worker.failures import BuildFailedError, JobFailedError, LinkLeavesTreeError
from webordinary_worker.site.build.builder import SiteBuilder
from webordinary_worker.site.options import SiteOptions

ENVIRONMENT = """
import { writeFileSync } from "node:fs";
export default ({ outDir }) => writeFileSync(new URL("index.html", outDir), JSON.stringify(process.env));
"""
NEVER_ENDS = "export default () => new Promise(() => setInterval(() => {}, 1000));"


def failure_of(build: Callable[[], object]) -> JobFailedError:
    with pytest.raises(JobFailedError) as failed:
        build()
    return failed.value


def throwing(error: str) -> str:
    return f"export default () => {{ throw {error}; }};"


def test_each_build_has_a_new_folder(bench: SmallAstro, builder: SiteBuilder) -> None:
    first = bench.build(builder=builder).folder
    second = bench.build(builder=builder).folder

    assert (first / "index.html").read_text() == "hello"
    assert first != second
    assert bench.folder / "scratch" in first.parents


def test_build_sees_neither_network_settings_nor_worker_secrets(
    bench: SmallAstro, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    tree = bench.new_tree("curious", behaviour_mjs=ENVIRONMENT)

    environment = (bench.build(tree).folder / "index.html").read_text()

    assert "secret" not in environment
    assert "proxy" not in environment
    assert '"NODE_ENV":"production"' in environment


def test_project_environment_cannot_override_the_workers(bench: SmallAstro) -> None:
    tree = bench.new_tree("curious", behaviour_mjs=ENVIRONMENT)
    options = SiteOptions(environment={"PUBLIC_SHOP": "open", "HOME": "/root", "PATH": "/evil"})
    builder = bench.builder(options=options)

    environment = (bench.build(tree, builder).folder / "index.html").read_text()
    builder.end()

    assert '"PUBLIC_SHOP":"open"' in environment
    assert "/evil" not in environment
    assert '"HOME":"/root"' not in environment


def test_failed_build_names_relative_file_and_line(bench: SmallAstro) -> None:
    location = "{ file: process.cwd() + '/src/page.astro', line: 3, column: 7 }"
    error = f"Object.assign(new Error('Unexpected }}'), {{ loc: {location} }})"
    failed = failure_of(lambda: bench.build(bench.new_tree("broken", behaviour_mjs=throwing(error))))

    assert isinstance(failed, BuildFailedError)
    assert (failed.failure, failed.detail) == (Failure.BUILD_FAILED, "Unexpected }\nsrc/page.astro:3:7")


def test_failed_script_step_is_reported_with_its_output(bench: SmallAstro) -> None:
    tree = bench.new_tree("stepping", {"build": "astro build && echo 'error: no index' && exit 3"})

    failed = failure_of(lambda: bench.build(tree))

    assert (failed.failure, failed.detail) == (Failure.BUILD_FAILED, "error: no index")


def test_build_script_runs_its_steps_and_skips_checks(bench: SmallAstro) -> None:
    scripts = {
        "prebuild": "echo before > before.txt",
        "build": "astro check && eslint . && npm run pages",
        "pages": "astro build",
        "postbuild": "cp before.txt dist/ && echo found > dist/search.json",
    }

    built = bench.build(bench.new_tree("own", scripts))

    assert (built.folder / "before.txt").read_text() == "before\n"
    assert (built.folder / "search.json").read_text() == "found\n"
    assert built.report.skipped == ("astro check", "eslint .")


def test_script_calling_astro_in_a_shell_is_supported(bench: SmallAstro) -> None:
    tree = bench.new_tree(
        "odd",
        {"build": "SHOP=1 astro build; npm run check; echo done"},
        settings_mjs="export default {outDir: 'out/site'}",
    )

    built = bench.build(tree)

    assert (built.folder / "index.html").read_text() == "hello"
    assert built.report.astro == "9.9.9"


OLD_ASTRO = """
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
const source = readFileSync("page.txt", "utf8");
if (process.argv[2] !== "build") process.exit(0);
if (source === "broken") {
  console.error("error   Unexpected token in src/pages/index.astro:3");
  process.exit(1);
}
mkdirSync("dist", { recursive: true });
writeFileSync("dist/index.html", source);
"""


@pytest.mark.parametrize("call", ["npx pagefind --site dist", "npx -y pagefind@1.3.0", "bunx pagefind"])
def test_program_that_npx_would_download_is_named_with_a_hint(bench: SmallAstro, call: str) -> None:
    tree = bench.new_tree("searching", {"build": f"astro build && {call}"})

    failed = failure_of(lambda: bench.build(tree))

    assert failed.failure == Failure.BUILD_FAILED
    assert "pagefind is not installed, and a build cannot download it" in failed.detail
    assert "Add pagefind to devDependencies" in failed.detail


def test_astro_without_api_is_called_by_command(bench: SmallAstro, builder: SiteBuilder) -> None:
    (bench.folder / "astro/package.json").write_text('{"name": "astro", "version": "2.1.3", "type": "module"}')
    (bench.folder / "astro/astro.js").write_text(OLD_ASTRO)

    built = bench.build(builder=builder)

    assert (built.report.astro, (built.folder / "index.html").read_text()) == ("2.1.3", "hello")
    (bench.tree / "page.txt").write_text("broken")
    failed = failure_of(lambda: bench.build(builder=builder))
    assert (failed.failure, "src/pages/index.astro:3" in failed.detail) == (Failure.BUILD_FAILED, True)


def test_build_is_killed_after_its_timeout(bench: SmallAstro) -> None:
    tree = bench.new_tree("slow", behaviour_mjs=NEVER_ENDS)
    bench.build()  # installs the packages, so that only the build is timed

    failed = failure_of(lambda: bench.build(tree, bench.builder(build_seconds=1)))

    assert failed.failure == Failure.BUILD_TIMED_OUT


def test_cancelled_build_is_killed_and_not_a_failure(bench: SmallAstro) -> None:
    building = bench.folder / "building"
    note = f"import {{ writeFileSync }} from 'node:fs';\nwriteFileSync('{building}', '');\n"
    tree = bench.new_tree("slow", behaviour_mjs=note + NEVER_ENDS)
    cancel_once_there(building, bench.cancellation, CancelReason.SHUTDOWN)

    with pytest.raises(JobCancelledError):
        bench.build(tree)

    assert building.exists()


@pytest.mark.parametrize("message", ["getaddrinfo EAI_AGAIN fonts.example.com", "fetch failed", "connect EACCES"])
def test_build_needing_the_network_has_its_own_failure_code(bench: SmallAstro, message: str) -> None:
    tree = bench.new_tree("online", behaviour_mjs=throwing(f"new Error('{message}')"))

    failed = failure_of(lambda: bench.build(tree))

    assert isinstance(failed, BuildFailedError)  # the agent may have caused it and can fix it
    assert failed.failure == Failure.NETWORK_REFUSED
    assert message in failed.detail.splitlines()


def test_failed_listen_of_vite_is_not_a_network_failure(bench: SmallAstro) -> None:
    logs = "console.error('WebSocket server error:\\nError: listen EACCES: permission denied 0.0.0.0:24678');"
    tree = bench.new_tree("listening", behaviour_mjs=f"export default () => {{ {logs} nothing.here(); }};")

    failed = failure_of(lambda: bench.build(tree))

    assert failed.failure == Failure.BUILD_FAILED
    assert failed.detail.startswith("[ReferenceError] nothing is not defined\nbehaviour.mjs:1:")


def test_error_of_an_unawaited_promise_is_reported(bench: SmallAstro) -> None:
    unawaited = "Promise.reject(Object.assign(new Error('No picture'), { name: 'MissingSharp', hint: 'Install it.' }));"
    tree = bench.new_tree(
        "unawaited", behaviour_mjs=f"export default () => {{ {unawaited} return new Promise(() => {{}}); }};"
    )

    detail = failure_of(lambda: bench.build(tree)).detail.splitlines()

    assert (detail[0], detail[-1]) == ("[MissingSharp] No picture", "Install it.")


def test_postinstall_steps_run_except_developer_tools(bench: SmallAstro) -> None:
    scripts = {
        "postinstall": "patch-package && node -p process.env.npm_package_version > page.txt",
        "prepare": "husky && echo more > more.txt",
        "build": "astro build && ls > dist/files.txt",
    }
    tree = bench.new_tree("prepared", scripts)
    (tree / "package.json").write_text(json.dumps({"version": "1.2.3", "scripts": scripts}))

    built = bench.build(tree)

    assert (built.folder / "index.html").read_text() == "1.2.3\n"
    assert "more.txt" in (built.folder / "files.txt").read_text()
    assert built.report.failed_setup == ()


def test_failed_postinstall_step_is_reported_if_the_build_fails(bench: SmallAstro) -> None:
    tree = bench.new_tree("failed_setup", {"postinstall": "make-words"})
    assert bench.build(tree).report.failed_setup == ("make-words",)

    (tree / "behaviour.mjs").write_text(throwing("new Error('no words')"))
    detail = failure_of(lambda: bench.build(tree)).detail

    assert detail.startswith("no words")
    assert detail.endswith("an earlier postinstall step failed: make-words")


def test_build_works_in_a_copy_and_does_not_change_the_tree(bench: SmallAstro) -> None:
    greedy = {"build": "astro build && rm -r page.txt package-lock.json .git && mkdir .git && echo evil > new.txt"}
    tree = bench.new_tree("greedy", greedy)

    assert (bench.build(tree).folder / "index.html").read_text() == "hello"
    assert {path.name for path in tree.iterdir()} == {"package.json", "package-lock.json", "page.txt"}


def test_files_left_by_a_build_are_removed_before_the_next(bench: SmallAstro, builder: SiteBuilder) -> None:
    tree = bench.new_tree("leaving", {"build": "astro build && ls > dist/seen.txt && echo x > left.txt && rm page.txt"})
    bench.build(tree, builder)

    assert "left.txt" not in (bench.build(tree, builder).folder / "seen.txt").read_text()


def test_cache_in_node_modules_is_kept_except_for_clean_builds(bench: SmallAstro, builder: SiteBuilder) -> None:
    tree = bench.new_tree(
        "caching", {"build": "astro build && echo x >> node_modules/.cache && cp node_modules/.cache dist/c"}
    )
    bench.build(tree, builder)

    assert (bench.build(tree, builder).folder / "c").read_text() == "x\nx\n"
    assert (bench.build(tree, builder, clean=True).folder / "c").read_text() == "x\n"


@pytest.mark.parametrize("link", ["public/secret.txt", "src/folder"])
def test_link_leaving_the_tree_is_rejected_before_the_install(bench: SmallAstro, link: str) -> None:
    (bench.tree / link).parent.mkdir()
    (bench.tree / link).symlink_to("/etc")

    failed = failure_of(bench.build)

    assert isinstance(failed, LinkLeavesTreeError)
    assert (failed.failure, failed.detail) == (Failure.LINK_LEAVES_SITE, link)
    assert bench.installs() == 0


def test_links_inside_the_tree_and_in_packages_are_allowed(bench: SmallAstro) -> None:
    (bench.tree / "same.txt").symlink_to("page.txt")
    (bench.tree / "node_modules").mkdir()
    (bench.tree / "node_modules/linked").symlink_to("/usr")

    assert bench.build().pages == 1


def test_site_in_a_subfolder_is_built(bench: SmallAstro) -> None:
    repository = bench.folder / "repository"
    repository.mkdir()
    bench.new_tree("repository/web")
    builder = bench.builder(options=SiteOptions(folder="web"))

    built = bench.build(repository, builder)
    builder.end()

    assert (built.folder / "index.html").read_text() == "hello"


@pytest.mark.parametrize("folder", ["missing", "../tree", "/etc"])
def test_folder_outside_the_repository_is_rejected(bench: SmallAstro, folder: str) -> None:
    builder = bench.builder(options=SiteOptions(folder=folder))

    assert failure_of(lambda: bench.build(builder=builder)).failure == Failure.NO_PACKAGE_FILES
