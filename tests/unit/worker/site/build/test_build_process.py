"""A process that has built a site builds it again, until something changes that it has read once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.small_astro import SmallAstro
from webordinary_worker.failures import BuildFailedError
from webordinary_worker.site.build.build_process import MOST_BUILDS
from webordinary_worker.site.build.builder import SiteBuilder

# The page tells how many builds its process has made, and what the page's source says.
COUNTING = """
import { readFileSync, writeFileSync } from "node:fs";
export default ({ outDir, config }) => {
  const said = readFileSync("page.txt", "utf8");
  if (said === "broken") throw new Error("it is broken");
  if (said === "once broken" && globalThis.builds > 1) throw new Error("stale");
  if (said === "leaves") process.exit(0);
  writeFileSync(new URL("index.html", outDir), `${globalThis.builds} ${said}`);
};
"""


@pytest.fixture
def tree(bench: SmallAstro) -> Path:
    return bench.new_tree("counting", behaviour_mjs=COUNTING)


def page(bench: SmallAstro, tree: Path, builder: SiteBuilder, **given: bool) -> str:
    return (bench.build(tree, builder, **given).folder / "index.html").read_text()


def test_the_second_build_is_made_by_the_process_of_the_first_and_sees_the_change(
    bench: SmallAstro, tree: Path, builder: SiteBuilder
) -> None:
    assert page(bench, tree, builder) == "1 hello"
    (tree / "page.txt").write_text("changed")
    assert page(bench, tree, builder) == "2 changed"


@pytest.mark.parametrize(
    "file", ["astro.config.mjs", ".env", "package.json", "package-lock.json", "src/shop.ts", "src/deep.ts"]
)
def test_a_new_process_builds_when_what_was_read_once_has_changed(
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


def test_a_clean_build_has_a_process_of_its_own_and_so_has_the_next(
    bench: SmallAstro, tree: Path, builder: SiteBuilder
) -> None:
    page(bench, tree, builder)

    assert page(bench, tree, builder, clean=True) == "1 hello"
    assert page(bench, tree, builder) == "1 hello"


def test_a_process_does_not_build_for_ever(
    bench: SmallAstro, tree: Path, builder: SiteBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MOST_BUILDS == 20
    monkeypatch.setattr("webordinary_worker.site.build.build_process.MOST_BUILDS", 2)

    assert [page(bench, tree, builder)[0] for _ in range(4)] == ["1", "2", "1", "2"]


def test_a_build_that_fails_only_in_a_used_process_is_made_by_a_new_one(
    bench: SmallAstro, tree: Path, builder: SiteBuilder
) -> None:
    page(bench, tree, builder)
    (tree / "page.txt").write_text("once broken")

    assert page(bench, tree, builder) == "1 once broken"


@pytest.mark.parametrize("broken", ["broken", "leaves"])
def test_after_a_build_that_failed_the_next_is_right(
    bench: SmallAstro, tree: Path, builder: SiteBuilder, broken: str
) -> None:
    page(bench, tree, builder)
    (tree / "page.txt").write_text(broken)
    with pytest.raises(BuildFailedError):
        bench.build(tree, builder)
    (tree / "page.txt").write_text("mended")

    assert page(bench, tree, builder) == "1 mended"


def test_a_process_never_builds_for_another_thread(bench: SmallAstro, tree: Path, builder: SiteBuilder) -> None:
    page(bench, tree, builder)
    elsewhere = bench.folder / "other" / "scratch"
    elsewhere.parent.mkdir()

    other = builder.build(tree, elsewhere, bench.cancellation)

    assert (other.folder / "index.html").read_text() == "1 hello"


def test_programs_of_a_build_have_room_for_a_socket_and_leave_nothing(bench: SmallAstro, builder: SiteBuilder) -> None:
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
