"""The site check before onboarding."""

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
# Reads the date of its last change from git.
DATED = """
import { execSync } from "node:child_process";
import { writeFileSync } from "node:fs";
export default ({ outDir }) => {
  const subject = execSync("git log -1 --format=%s -- src/home.md", { encoding: "utf8" }).trim();
  if (subject !== "The site") throw new Error(`never changed: ${subject}`);
  writeFileSync(new URL("index.html", outDir), "<h1>Bread that takes its time</h1>");
};
"""


@pytest.fixture
def site(bench: SmallAstro) -> Path:
    tree = bench.new_tree("shop", behaviour_mjs=PAGES)
    (tree / "src").mkdir()
    (tree / "src/home.md").write_text("Bread that takes its time\n")
    return tree


def check(bench: SmallAstro, repository: str | Path, options: SiteOptions | None = None) -> SiteReport:
    settings = CheckSettings(bench.folder / "check", bench.folder / "cache", bench.node.parent, build_seconds=300)
    return inspect_site(str(repository), settings, options, confinement=bench.confinement)


def test_report_of_a_working_site(bench: SmallAstro, site: Path) -> None:
    report = check(bench, site)

    assert report.works
    assert (report.pages, report.astro, report.manager) == (2, "9.9.9", "npm")
    assert report.broken_links == ["index.html: /gone/"]
    assert report.remote_hosts == ["cdn.example.com"]
    assert {text.kind: text.share for text in report.texts} == {"Markdown": 0.5, "not found": 0.5}
    assert report.edit is not None
    assert (report.edit.file, report.edit.is_visible) == ("src/home.md", True)
    assert (site / "src/home.md").read_text() == "Bread that takes its time\n"
    assert "works" in report.text().splitlines()[0]
    assert json.loads(report.model_dump_json())["pages"] == 2


def test_texts_in_plain_html_are_found(bench: SmallAstro, site: Path) -> None:
    (site / "src/menu.html").write_text("<p>Country loaf and <b>seeded</b> rye</p>\n")

    report = check(bench, site)

    assert {text.kind: text.share for text in report.texts} == {"Markdown": 0.5, "HTML": 0.5}
    assert "src/menu.html" in report.text_files


def make_repository(site: Path) -> None:
    person = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "core.hooksPath=/dev/null"]
    for command in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "-m", "The site"]):
        subprocess.run(["git", *person, *command], cwd=site, check=True)


def test_repository_is_cloned(bench: SmallAstro, site: Path) -> None:
    make_repository(site)

    assert check(bench, site / ".git").works


@pytest.mark.parametrize("source", [".", ".git"])
def test_build_calling_git_sees_the_history(bench: SmallAstro, site: Path, source: str) -> None:
    (site / "behaviour.mjs").write_text(DATED)
    make_repository(site)

    assert check(bench, site / source).works


def test_folder_without_git_has_no_history(bench: SmallAstro, site: Path) -> None:
    (site / "behaviour.mjs").write_text(DATED)

    (problem,) = check(bench, site).problems
    assert "never changed" in problem.detail


def test_only_folder_with_a_site_is_found_and_suggested(bench: SmallAstro) -> None:
    (bench.folder / "mono").mkdir()
    tree = bench.new_tree("mono/web")
    (tree / "package.json").write_text('{"name": "web", "dependencies": {"astro": "9"}}')

    report = check(bench, bench.folder / "mono")

    assert report.works
    assert report.suggested_settings() == {"folder": "web"}
    assert "webordinary projects change museum --set folder=web\n" in report.text("projects change museum")


def test_missing_submodules_and_lfs_files_are_reported(bench: SmallAstro, site: Path) -> None:
    (site / ".gitmodules").write_text('[submodule "words"]\n  path = words\n  url = https://example.com/words\n')
    (site / ".gitattributes").write_text("*.jpg filter=lfs\n")
    (site / "photo.jpg").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n")

    report = check(bench, site)

    assert (report.submodules, report.lfs_files) == (["words: its folder is empty"], ["photo.jpg"])


def test_blocked_host_is_reported_and_suggested(bench: SmallAstro, site: Path) -> None:
    (site / "behaviour.mjs").write_text("export default () => fetch('https://prices.example.com/');")

    report = check(bench, site)

    assert not report.works
    assert report.problems[0].code == "network_refused"
    assert report.suggested_settings() == {"build_hosts": ["prices.example.com"]}
    assert "may need more hosts" in report.text()


def test_suggested_hosts_include_the_configured_ones(bench: SmallAstro, site: Path) -> None:
    (site / "behaviour.mjs").write_text("export default () => fetch('https://prices.example.com/');")

    report = check(bench, site, SiteOptions(hosts=("words.example.com",)))

    assert """--set 'build_hosts=["words.example.com", "prices.example.com"]'""" in report.text()


def test_repository_with_several_sites_is_a_problem(bench: SmallAstro) -> None:
    (bench.folder / "mono").mkdir()
    for name in ("shop", "docs"):
        tree = bench.new_tree(f"mono/{name}")
        (tree / "package.json").write_text('{"dependencies": {"astro": "9"}}')

    report = check(bench, bench.folder / "mono")

    assert [problem.code for problem in report.problems] == ["several_sites"]
    assert "set folder to one of: docs, shop" in report.text()
    assert bench.installs() == 0


def test_problem_is_explained_in_the_text(bench: SmallAstro, site: Path) -> None:
    (site / "behaviour.mjs").write_text("export default () => { throw new Error('no bread'); };")

    lines = check(bench, site).text().splitlines()

    assert lines[1] == "  problem      the build fails (build_failed)"
    assert lines[2].strip() == "no bread"


def test_missing_variables_are_reported(bench: SmallAstro, site: Path) -> None:
    (site / "src/shop.ts").write_text("export const shop = [import.meta.env.PUBLIC_SHOP, process.env.CMS_TOKEN];\n")
    (site / "src/page.astro").write_text("{import.meta.env.BASE_URL}{import.meta.env.GIVEN}{import.meta.env.KEPT}")
    (site / ".env").write_text("KEPT=1\n")
    (site / "behaviour.mjs").write_text("export default () => { throw new Error('CMS_TOKEN is not set'); };")

    report = check(bench, site, SiteOptions(environment={"GIVEN": "1"}))

    assert report.missing_variables == ["CMS_TOKEN", "PUBLIC_SHOP"]
    assert report.suggested_settings() == {"build_environment": {"GIVEN": "1", "CMS_TOKEN": "…"}}
    assert """--set 'build_environment={"GIVEN": "1", "CMS_TOKEN": "…"}'""" in report.text()


def test_link_broken_on_several_pages_is_listed_once() -> None:
    links = [f"page-{number}/index.html: /gone.pdf" for number in range(3)] + [
        f"a.html: /{number}" for number in range(12)
    ]

    text = SiteReport(repository="x", broken_links=links).text()

    assert text.count("/gone.pdf") == 1
    assert "/gone.pdf on page-0/index.html and 2 more" in text
    assert "3 more broken links" in text


def test_repository_that_cannot_be_cloned_is_a_problem(bench: SmallAstro) -> None:
    assert check(bench, bench.folder / "nowhere").problems[0].code == "clone"
    assert "no such folder" in check(bench, bench.folder / "nowhere").problems[0].detail


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
def test_served_file_of_an_address(address: str, file: str | None) -> None:
    files = frozenset({"index.html", "menu/index.html", "about.html", "café.png"})

    assert served_file(address, files) == file


def test_links_that_are_not_pages_are_ignored(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        '<a href="mailto:a@b.c">m</a><a href="#top">t</a><a href="tel:1">c</a><a href="?page=2">p</a><a href="">e</a>'
    )

    assert crawl(tmp_path).broken == []
