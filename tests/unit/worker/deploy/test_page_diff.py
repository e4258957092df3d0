"""The changed pages of a site, with their titles and their text before and after."""

from __future__ import annotations

import hashlib

import pytest

from webordinary.contract.outcomes import PageChange
from webordinary.contract.values import limit
from webordinary_worker.deploy.page_diff import MAX_QUOTE_CHARACTERS, PageChanges, changes_between

Site = dict[str, str]


def page(text: str, title: str = "Bakery", style: str = "a1b2c3d4") -> str:
    head = f"<title>{title}</title><link rel=stylesheet href=/_astro/site.{style}.css>"
    return f"<!doctype html><html><head>{head}</head><body>{text}</body></html>"


def compare(before: Site, after: Site) -> PageChanges:
    def manifest(site: Site) -> dict[str, str]:
        return {path: hashlib.sha256(text.encode()).hexdigest() for path, text in site.items()}

    return changes_between(
        manifest(before),
        manifest(after),
        lambda path: before[path].encode() if path in before else None,
        lambda path: after[path].encode() if path in after else None,
    )


def test_changed_page_has_title_and_text_before_and_after() -> None:
    before = {"index.html": page("<p>We open at eight.</p><p>Bread</p>", "Home &amp; more"), "a.html": page("a")}
    after = before | {"index.html": page("<p>We open at nine.</p><p>Bread</p>", "Home &amp; more")}

    (changed,) = compare(before, after).pages

    assert (changed.path, changed.change, changed.title) == ("index.html", PageChange.CHANGED, "Home & more")
    assert (changed.before, changed.after) == ("We open at eight.", "We open at nine.")


def test_long_line_is_cut_to_the_words_around_the_change() -> None:
    long = "one two three four five six seven {} nine ten eleven twelve thirteen fourteen"

    (changed,) = compare({"a.html": page(long.format("8"))}, {"a.html": page(long.format("eight"))}).pages

    assert changed.before == "… four five six seven 8 nine ten eleven twelve …"
    assert changed.after == "… four five six seven eight nine ten eleven twelve …"


def test_new_and_removed_pages_are_listed_as_such() -> None:
    changes = compare({"old.html": page("x", "Old")}, {"new.html": page("y", "New")})

    assert {(one.title, one.change) for one in changes.pages} == {
        ("Old", PageChange.REMOVED),
        ("New", PageChange.NEW),
    }


def test_long_changes_are_listed_without_text() -> None:
    (changed,) = compare({"a.html": page("short")}, {"a.html": page("x " * MAX_QUOTE_CHARACTERS)}).pages

    assert (changed.before, changed.after) == ("", "")


def test_restyled_pages_are_left_out_if_text_changed() -> None:
    before = {"index.html": page("Hello"), "b.html": page("b")}
    after = {"index.html": page("Hi", style="ffffffff"), "b.html": page("b", style="ffffffff")}

    assert [one.path for one in compare(before, after).pages] == ["index.html"]


def test_restyled_pages_are_listed_if_nothing_else_changed() -> None:
    before = {name: page("Hello") for name in ("index.html", "b.html")}
    after = {name: page("Hello", style="ffffffff") for name in before}

    assert {one.path for one in compare(before, after).pages} == set(before)


def test_pages_are_sorted_by_size_of_change_and_the_rest_counted() -> None:
    names = [f"{number:02}.html" for number in range(60)]
    before = {name: page("x") for name in names}
    after = {name: page("y" * (number + 1)) for number, name in enumerate(names)}

    changes = compare(before, after)

    assert len(changes.pages) + changes.more == 60
    assert len(changes.pages) == limit("changed_pages")
    assert len(changes.pages[0].after) > len(changes.pages[-1].after)


def test_script_does_not_count_as_text() -> None:
    before = {"much.html": page("one two"), "script.html": page("<script>let a = 1</script>")}
    after = {"much.html": page("one three"), "script.html": page(f"<script>let a = {'1' * 200}</script>")}

    assert [one.path for one in compare(before, after).pages] == ["much.html", "script.html"]


def test_other_files_are_not_listed() -> None:
    assert compare({"a.css": "a"}, {"a.css": "b", "b.png": "c"}) == PageChanges()


@pytest.mark.parametrize("hostile", ["<" * 240_000, "<!--" * 60_000, "<title>" * 30_000, "a<b " * 60_000, "\0" * 999])
def test_malformed_pages_are_listed(hostile: str) -> None:
    changes = compare({"a.html": hostile}, {"a.html": hostile + "x", "b.html": hostile})

    assert {one.path for one in changes.pages} == {"a.html", "b.html"}
