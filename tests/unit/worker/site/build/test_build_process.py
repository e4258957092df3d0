"""Reuse of a build process."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.small_astro import SmallAstro
from webordinary_worker.confinement.leftover_files import LeftoverFilesError
from webordinary_worker.failures import BuildFailedError
from webordinary_worker.site.build.build_process import MAX_BUILDS
from webordinary_worker.site.build.builder import SiteBuilder

# The page shows the number of builds of its process and the page's source.
COUNTING = """
import { readFileSync, writeFileSync } from "node:fs";
export default ({ outDir, config }) => {
  const source = readFileSync("page.txt", "utf8");
  if (source === "broken") throw new Error("it is broken");
  if (source === "once broken" && globalThis.builds > 1) throw new Error("stale");
  if (source === "exits") process.exit(0);
  writeFileSync(new URL("index.html", outDir), `${globalThis.builds} ${source}`);
};
"""


@pytest.fixture
def tree(bench: SmallAstro) -> Path:
    return bench.new_tree("counting", behaviour_mjs=COUNTING)


def page(bench: SmallAstro, tree: Path, builder: SiteBuilder, **given: bool) -> str:
    return (bench.build(tree, builder, **given).folder / "index.html").read_text()


def test_second_build_reuses_the_process_and_sees_the_change(
    bench: SmallAstro, tree: Path, builder: SiteBuilder
) -> None:
    assert page(bench, tree, builder) == "1 hello"
    (tree / "page.txt").write_text("changed")
    assert page(bench, tree, builder) == "2 changed"


@pytest.mark.parametrize(
    "file", ["astro.config.mjs", ".env", "package.json", "package-lock.json", "src/shop.ts", "src/deep.ts"]
)
def test_changed_configuration_starts_a_new_process(
    bench: SmallAstro, tree: Path, builder: SiteBuilder, file: str
) -> None:
    (tree / "src").mkdir()
    (tree / "astro.config.mjs").write_text("import { open } from './src/shop';\nexport default {};\n")
    (tree / "src/shop.ts").write_text("export { open } from '../src/deep.ts';\n")
    (tree / "src/deep.ts").write_text("export const open = true;\n")
    (tree / ".env").write_text("SHOP=open\n")
    assert page(bench, tree, builder) == "1 hello"

    (tree / file).write_text((tree / file).read_text() + "\n")

    assert page(bench, tree, builder) == "1 hello"


def test_clean_build_and_the_next_start_new_processes(bench: SmallAstro, tree: Path, builder: SiteBuilder) -> None:
    page(bench, tree, builder)

    assert page(bench, tree, builder, clean=True) == "1 hello"
    assert page(bench, tree, builder) == "1 hello"


def test_process_is_replaced_after_its_maximum_of_builds(
    bench: SmallAstro, tree: Path, builder: SiteBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MAX_BUILDS == 20
    monkeypatch.setattr("webordinary_worker.site.build.build_process.MAX_BUILDS", 2)

    assert [page(bench, tree, builder)[0] for _ in range(4)] == ["1", "2", "1", "2"]


def test_build_failing_in_a_reused_process_is_retried_in_a_new_one(
    bench: SmallAstro, tree: Path, builder: SiteBuilder
) -> None:
    page(bench, tree, builder)
    (tree / "page.txt").write_text("once broken")

    assert page(bench, tree, builder) == "1 once broken"


@pytest.mark.parametrize("broken", ["broken", "exits"])
def test_build_after_a_failed_build_succeeds(bench: SmallAstro, tree: Path, builder: SiteBuilder, broken: str) -> None:
    page(bench, tree, builder)
    (tree / "page.txt").write_text(broken)
    with pytest.raises(BuildFailedError):
        bench.build(tree, builder)
    (tree / "page.txt").write_text("fixed")

    assert page(bench, tree, builder) == "1 fixed"


def test_process_is_not_shared_between_threads(bench: SmallAstro, tree: Path, builder: SiteBuilder) -> None:
    page(bench, tree, builder)
    elsewhere = bench.folder / "other" / "scratch"
    elsewhere.parent.mkdir()

    other = builder.build(tree, elsewhere, bench.cancellation)

    assert (other.folder / "index.html").read_text() == "1 hello"


def test_temporary_folder_is_short_enough_for_sockets_and_removed(bench: SmallAstro, builder: SiteBuilder) -> None:
    tree = bench.new_tree(
        "sockets",
        behaviour_mjs="""
import { writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
export default async ({ outDir }) => {
  const server = net.createServer();
  await new Promise((done, failed) => server.once("error", failed).listen(`${tmpdir()}/${"x".repeat(50)}`, done));
  server.close();
  writeFileSync(new URL("index.html", outDir), tmpdir());
};
""",
    )

    folder = Path(page(bench, tree, builder))
    assert folder.is_dir()
    builder.end()
    assert not folder.exists()


def test_clean_build_has_a_clean_home(bench: SmallAstro, tree: Path, builder: SiteBuilder, tmp_path: Path) -> None:
    page(bench, tree, builder)
    modules = next(tmp_path.rglob("build/home")) / ".node_modules"
    modules.mkdir()
    (modules / "evil.js").write_text("")
    modules.chmod(0)

    page(bench, tree, builder, clean=True)

    assert not modules.exists()


def test_clean_build_does_not_start_while_files_of_earlier_builds_are_left(
    bench: SmallAstro, tree: Path, builder: SiteBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(uid: int) -> None:
        raise LeftoverFilesError(uid)

    monkeypatch.setattr("webordinary_worker.site.build.builder.remove_files_of", fail)
    monkeypatch.setattr(builder, "_confinement", replace(builder._confinement, uid=10003))

    with pytest.raises(LeftoverFilesError):
        page(bench, tree, builder, clean=True)
