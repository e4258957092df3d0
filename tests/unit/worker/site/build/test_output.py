"""Collecting the output of a build."""

from __future__ import annotations

import pytest

from tests.support.small_astro import SmallAstro
from tests.unit.worker.site.build.test_builder import failure_of
from webordinary.contract.outcomes import Failure


def writing(*paths: str) -> str:
    """A behaviour that writes these files."""
    listed = ", ".join(f"{path!r}" for path in paths)
    return f"""
    import {{ mkdirSync, writeFileSync }} from "node:fs";
    export default ({{ outDir }}) => {{
      for (const name of [{listed}]) {{
        const file = new URL(name, outDir);
        mkdirSync(new URL(".", file), {{ recursive: true }});
        writeFileSync(file, name);
      }}
    }};
    """


def output_files(bench: SmallAstro, settings: str, *paths: str) -> list[str]:
    tree = bench.new_tree("site", settings_mjs=f"export default {settings}", behaviour_mjs=writing(*paths))
    folder = bench.build(tree).folder
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_output_folder_of_the_configuration_is_used(bench: SmallAstro) -> None:
    assert output_files(bench, "{outDir: 'build/pages'}", "index.html") == ["index.html"]


def test_server_files_of_an_adapter_are_removed(bench: SmallAstro) -> None:
    paths = ("client/index.html", "client/_worker.js/index.js", "server/entry.mjs")

    assert output_files(bench, "{client: './client/'}", *paths) == ["index.html"]


def test_site_with_base_is_nested_and_redirected_from_the_root(bench: SmallAstro) -> None:
    assert output_files(bench, "{base: '/shop/'}", "index.html", "a/index.html", "404.html") == [
        "404.html",
        "index.html",
        "shop/404.html",
        "shop/a/index.html",
        "shop/index.html",
    ]


def test_redirects_become_pages(bench: SmallAstro) -> None:
    tree = bench.new_tree("moved", {"build": "astro build && echo '/old /' > dist/_redirects"})

    assert b"url=/" in (bench.build(tree).folder / "old/index.html").read_bytes()


@pytest.mark.parametrize(
    ("settings", "paths", "failure"),
    [
        ("{}", ("rss.xml",), Failure.NO_PAGES),
        ("{}", ("blog/index.html",), Failure.NO_PAGES),
        ("{output: 'server'}", ("client/favicon.svg", "server/entry.mjs"), Failure.SERVER_RENDERED),
        ("{adapter: {name: '@astrojs/node'}}", ("client/favicon.svg",), Failure.SERVER_RENDERED),
        ("{outDir: '../../outside'}", ("index.html",), Failure.NO_PAGES),
    ],
)
def test_build_without_pages_fails(bench: SmallAstro, settings: str, paths: tuple[str, ...], failure: Failure) -> None:
    assert failure_of(lambda: output_files(bench, settings, *paths)).failure == failure


@pytest.mark.parametrize(("output", "server_routes"), [("static", ()), ("hybrid", ("/",))])
def test_static_site_has_no_server_routes(bench: SmallAstro, output: str, server_routes: tuple[str, ...]) -> None:
    routes = "[{route: '/', type: 'page', prerender: false}]"
    tree = bench.new_tree("shop", settings_mjs=f"export default {{output: '{output}', routes: {routes}}}")

    assert bench.build(tree).report.server_routes == server_routes


def test_output_folder_that_is_a_link_is_rejected(bench: SmallAstro) -> None:
    secret = bench.folder / "secret"
    secret.mkdir()
    (secret / "index.html").write_text("secret")
    tree = bench.new_tree("linked", {"build": f"astro build && rm -r dist && ln -s {secret} dist"})

    assert failure_of(lambda: bench.build(tree)).failure == Failure.NO_PAGES
    assert (secret / "index.html").exists()
