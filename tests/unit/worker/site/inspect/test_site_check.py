"""A site is looked at before it is onboarded: what is in its repository, what comes of it, what to set."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.small_astro import SmallAstro
from webordinary_worker.site.inspect.check_report import SiteReport
from webordinary_worker.site.inspect.crawler import crawl, served_file
from webordinary_worker.site.inspect.site_check import CheckSettings, inspect_site
from webordinary_worker.site.options import SiteOptions

PAGES = """
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
export default ({ outDir }) => {
  mkdirSync(new URL("menu", outDir));
  writeFileSync(new URL("index.html", outDir), `<h1>${readFileSync("src/home.md", "utf8").trim()}</h1>
    <a href="/menu">Menu</a> <a href="/gone/">Gone</a> <script src="https://cdn.example.com/x.js"></script>`);
  writeFileSync(new URL("menu/index.html", outDir), "<p>Country loaf and seeded rye</p><a href='../'>Home</a>");
};
"""
# It wants to know when its text was changed.
DATED = """
import { execSync } from "node:child_process";
import { writeFileSync } from "node:fs";
export default ({ outDir }) => {
  const said = execSync("git log -1 --format=%s -- src/home.md", { encoding: "utf8" }).trim();
  if (said !== "The site") throw new Error(`never changed: ${said}`);
  writeFileSync(new URL("index.html", outDir), "<h1>Bread that takes its time</h1>");
};
"""


@pytest.fixture
def site(bench: SmallAstro) -> Path:
    tree = bench.new_tree("shop", behaviour_mjs=PAGES)
    (tree / "src").mkdir()
    (tree / "src/home.md").write_text("Bread that takes its time\n")
    return tree


def look(bench: SmallAstro, repository: str | Path, options: SiteOptions | None = None) -> SiteReport:
    settings = CheckSettings(bench.folder / "check", bench.folder / "cache", bench.node.parent, build_seconds=30)
    return inspect_site(str(repository), settings, options, confinement=bench.confinement)


def test_a_site_that_works_is_told_with_its_pages_texts_links_and_an_edit(bench: SmallAstro, site: Path) -> None:
    report = look(bench, site)

    assert report.works
    assert (report.pages, report.astro, report.manager) == (2, "9.9.9", "npm")
    assert report.broken_links == ["index.html: /gone/"]
    assert report.remote_hosts == ["cdn.example.com"]
    assert {place.kind: place.share for place in report.texts} == {"Markdown": 0.5, "elsewhere": 0.5}
    assert report.edit is not None
    assert (report.edit.file, report.edit.is_visible) == ("src/home.md", True)
    assert (site / "src/home.md").read_text() == "Bread that takes its time\n"
    assert "works" in report.text().splitlines()[0]
    assert json.loads(report.model_dump_json())["pages"] == 2


def test_words_of_plain_html_are_found(bench: SmallAstro, site: Path) -> None:
    (site / "src/menu.html").write_text("<p>Country loaf and <b>seeded</b> rye</p>\n")

    report = look(bench, site)

    assert {place.kind: place.share for place in report.texts} == {"Markdown": 0.5, "HTML": 0.5}
    assert "src/menu.html" in report.text_files


def make_repository(site: Path) -> None:
    person = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "core.hooksPath=/dev/null"]
    for command in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "-m", "The site"]):
        subprocess.run(["git", *person, *command], cwd=site, check=True)


def test_a_repository_is_cloned(bench: SmallAstro, site: Path) -> None:
    make_repository(site)

    assert look(bench, site / ".git").works


@pytest.mark.parametrize("place", [".", ".git"])
def test_a_build_that_asks_git_sees_the_history_of_the_folder_or_repository(
    bench: SmallAstro, site: Path, place: str
) -> None:
    (site / "behaviour.mjs").write_text(DATED)
    make_repository(site)

    assert look(bench, site / place).works


def test_a_folder_without_a_history_is_answered_with_nothing(bench: SmallAstro, site: Path) -> None:
    (site / "behaviour.mjs").write_text(DATED)

    (problem,) = look(bench, site).problems
    assert "never changed" in problem.detail


def test_a_site_in_the_only_folder_that_has_one_is_found_and_to_be_set(bench: SmallAstro) -> None:
    (bench.folder / "mono").mkdir()
    tree = bench.new_tree("mono/web")
    (tree / "package.json").write_text('{"name": "web", "dependencies": {"astro": "9"}}')

    report = look(bench, bench.folder / "mono")

    assert report.works
    assert report.entry() == {"folder": "web"}
    assert "webordinary projects change museum --set folder=web\n" in report.text("projects change museum")


def test_what_a_repository_keeps_elsewhere_is_said(bench: SmallAstro, site: Path) -> None:
    (site / ".gitmodules").write_text('[submodule "words"]\n  path = words\n  url = https://example.com/words\n')
    (site / ".gitattributes").write_text("*.jpg filter=lfs\n")
    (site / "photo.jpg").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n")

    report = look(bench, site)

    assert (report.submodules, report.lfs_files) == (["words: it is not there"], ["photo.jpg"])


def test_a_site_that_does_not_build_is_told_with_the_host_that_it_wants(bench: SmallAstro, site: Path) -> None:
    (site / "behaviour.mjs").write_text("export default () => fetch('https://prices.example.com/');")

    report = look(bench, site)

    assert not report.works
    assert report.problems[0].code == "network_refused"
    assert report.entry() == {"build_hosts": ["prices.example.com"]}
    assert "may ask for more hosts" in report.text()


def test_hosts_that_are_set_already_stay_in_what_is_to_be_set(bench: SmallAstro, site: Path) -> None:
    (site / "behaviour.mjs").write_text("export default () => fetch('https://prices.example.com/');")

    report = look(bench, site, SiteOptions(hosts=("words.example.com",)))

    assert """--set 'build_hosts=["words.example.com", "prices.example.com"]'""" in report.text()


def test_a_repository_with_several_sites_is_not_guessed_at(bench: SmallAstro) -> None:
    (bench.folder / "mono").mkdir()
    for name in ("shop", "docs"):
        tree = bench.new_tree(f"mono/{name}")
        (tree / "package.json").write_text('{"dependencies": {"astro": "9"}}')

    report = look(bench, bench.folder / "mono")

    assert [problem.code for problem in report.problems] == ["several_sites"]
    assert "set folder to one of: docs, shop" in report.text()
    assert bench.installs() == 0


def test_every_problem_is_said_in_words(bench: SmallAstro, site: Path) -> None:
    (site / "behaviour.mjs").write_text("export default () => { throw new Error('no bread'); };")

    lines = look(bench, site).text().splitlines()

    assert lines[1] == "  problem      its own build fails (build_failed)"
    assert lines[2].strip() == "no bread"


def test_values_that_the_source_reads_and_nobody_sets_are_told(bench: SmallAstro, site: Path) -> None:
    (site / "src/shop.ts").write_text("export const shop = [import.meta.env.PUBLIC_SHOP, process.env.CMS_TOKEN];\n")
    (site / "src/page.astro").write_text("{import.meta.env.BASE_URL}{import.meta.env.GIVEN}{import.meta.env.KEPT}")
    (site / ".env").write_text("KEPT=1\n")
    (site / "behaviour.mjs").write_text("export default () => { throw new Error('CMS_TOKEN is not set'); };")

    report = look(bench, site, SiteOptions(environment={"GIVEN": "1"}))

    assert report.missing_variables == ["CMS_TOKEN", "PUBLIC_SHOP"]
    assert report.entry() == {"build_environment": {"GIVEN": "1", "CMS_TOKEN": "…"}}
    assert """--set 'build_environment={"GIVEN": "1", "CMS_TOKEN": "…"}'""" in report.text()


def test_a_link_that_is_broken_on_many_pages_is_told_once() -> None:
    links = [f"page-{number}/index.html: /gone.pdf" for number in range(3)] + [
        f"a.html: /{number}" for number in range(12)
    ]

    told = SiteReport(repository="x", broken_links=links).text()

    assert told.count("/gone.pdf") == 1
    assert "/gone.pdf on page-0/index.html and 2 more" in told
    assert "3 more broken links" in told


def test_a_repository_that_cannot_be_cloned_is_told(bench: SmallAstro) -> None:
    assert look(bench, bench.folder / "nowhere").problems[0].code == "clone"
    assert "no such folder" in look(bench, bench.folder / "nowhere").problems[0].detail


@pytest.mark.parametrize(
    ("address", "file"),
    [
        ("/", "index.html"),
        ("/menu", "menu/index.html"),
        ("/menu/", "menu/index.html"),
        ("/about", "about.html"),
        ("/caf%C3%A9.png", "café.png"),
        ("/nothing", None),
    ],
)
def test_an_address_is_answered_as_a_host_would(address: str, file: str | None) -> None:
    files = frozenset({"index.html", "menu/index.html", "about.html", "café.png"})

    assert served_file(address, files) == file


def test_links_that_are_no_pages_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        '<a href="mailto:a@b.c">m</a><a href="#top">t</a><a href="tel:1">c</a><a href="?page=2">p</a><a href="">e</a>'
    )

    assert crawl(tmp_path).broken == []
