"""A site is served from a host's root as the usual hosts would, by files alone."""

from __future__ import annotations

import pytest

from webordinary_worker.site.build.hosting_rules import HostingRule, ServedSite, parse_rules

FILES = frozenset({"index.html", "404.html", "news/index.html", "news/2024/first/index.html", "about.html"})


def leads(site: ServedSite) -> dict[str, str]:
    """Where further pages lead, by their path."""
    return {path: page.decode().split("url=")[1].split('"')[0] for path, page in site.further_pages().items()}


def test_rules_are_read_as_they_are_usually_written() -> None:
    text = """
    # moved
    /old            /new
    /shop/*         /store/:splat    302
    /now            https://example.com/x   301!   # at once
    /api/*  /.netlify/functions/:splat  200
    /uk  /gb  302  Country=gb
    https://other.example/x /y
    nonsense
    """

    assert parse_rules(text) == [
        HostingRule("/old", "/new"),
        HostingRule("/shop/*", "/store/:splat", 302),
        HostingRule("/now", "https://example.com/x", 301, True),
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
def test_a_redirection_becomes_a_page_at_the_old_address(rules: str, pages: dict[str, str]) -> None:
    assert leads(ServedSite(FILES, rules=parse_rules(rules))) == pages


def test_a_page_that_leads_elsewhere_cannot_carry_markup() -> None:
    (page,) = ServedSite(FILES, rules=[HostingRule("/old", '/x"><script>')]).further_pages().values()

    assert b"<script>" not in page


def test_a_site_with_a_base_is_found_from_the_root() -> None:
    site = ServedSite(frozenset({"index.html"}), base="/docs/")

    assert site.prefix == "docs/"
    assert leads(site) == {"index.html": "/docs/"}


def test_a_site_whose_pages_are_all_below_a_language_begins_with_its_first() -> None:
    site = ServedSite(frozenset({"de/index.html", "en/index.html"}), default_locale="de")

    assert site.has_start
    assert leads(site) == {"index.html": "/de/"}


def test_a_site_without_a_page_at_its_root_has_no_start_unless_a_rule_leads_on() -> None:
    assert not ServedSite(frozenset({"news/index.html"})).has_start
    assert ServedSite(frozenset({"news/index.html"}), rules=parse_rules("/ /news/")).has_start
