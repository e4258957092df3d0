"""Hosting rules as static redirect pages."""

from __future__ import annotations

import pytest

from webordinary_worker.site.build.hosting_rules import HostingRule, ServedSite, parse_rules

FILES = frozenset({"index.html", "404.html", "news/index.html", "news/2024/first/index.html", "about.html"})


def targets(site: ServedSite) -> dict[str, str]:
    """Targets of redirect pages, by their path."""
    return {path: page.decode().split("url=")[1].split('"')[0] for path, page in site.redirect_pages().items()}


def test_parse_rules_of_a_redirects_file() -> None:
    text = """
    # moved
    /old            /new
    /shop/*         /store/:splat    302
    /now            https://example.com/x   301!   # forced
    /api/*  /.netlify/functions/:splat  200
    /uk  /gb  302  Country=gb
    https://other.example/x /y
    nonsense
    """

    assert parse_rules(text) == [
        HostingRule("/old", "/new"),
        HostingRule("/shop/*", "/store/:splat", 302),
        HostingRule("/now", "https://example.com/x", 301),
        HostingRule("/api/*", "/.netlify/functions/:splat", 200),
    ]


@pytest.mark.parametrize(
    ("rules", "pages"),
    [
        ("/old /news/", {"old/index.html": "/news/"}),
        ("/old.html /news/", {"old.html": "/news/"}),
        ("/news/ /elsewhere", {}),  # there is a page
        ("/../../etc /x", {}),
        ("/gone /x 404", {}),
        ("/blog/* /news/:splat", {"blog/2024/first/index.html": "/news/2024/first/"}),
        ("/:year/:title /news/:year/:title/", {"2024/first/index.html": "/news/2024/first/"}),
        ("/a/* /news/:splat/:splat", {}),
        (
            "/site/* /:splat",
            {
                "site/about.html": "/about.html",
                "site/news/index.html": "/news/",
                "site/news/2024/first/index.html": "/news/2024/first/",
            },
        ),
        ("/caf%C3%A9 /news/", {"café/index.html": "/news/"}),
    ],
)
def test_redirect_becomes_a_page_at_the_old_address(rules: str, pages: dict[str, str]) -> None:
    assert targets(ServedSite(FILES, rules=parse_rules(rules))) == pages


def test_redirect_page_escapes_markup() -> None:
    (page,) = ServedSite(FILES, rules=[HostingRule("/old", '/x"><script>')]).redirect_pages().values()

    assert b"<script>" not in page


def test_site_with_base_is_redirected_from_the_root() -> None:
    site = ServedSite(frozenset({"index.html"}), base="/docs/")

    assert site.prefix == "docs/"
    assert targets(site) == {"index.html": "/docs/"}


def test_root_redirects_to_the_default_language() -> None:
    site = ServedSite(frozenset({"de/index.html", "en/index.html"}), default_locale="de")

    assert site.has_root
    assert targets(site) == {"index.html": "/de/"}


def test_site_has_root_only_with_root_page_or_rule() -> None:
    assert not ServedSite(frozenset({"news/index.html"})).has_root
    assert ServedSite(frozenset({"news/index.html"}), rules=parse_rules("/ /news/")).has_root
