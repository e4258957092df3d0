"""The changed pages of a site, links to them and pictures of them."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from webordinary.answers.blocks import AttachedPicture, Block, Item, Style
from webordinary.answers.facts import Facts, clean
from webordinary.answers.language import Language
from webordinary.answers.parts import as_heading
from webordinary.answers.risks import risks
from webordinary.contract.messages.outcome import ChangedPage, Outcome
from webordinary.contract.outcomes import PageChange
from webordinary.sites.screenshots import ScreenshotKind


def changed_pages(outcome: Outcome, facts: Facts, language: Language) -> Iterator[Block]:
    if outcome.pages:
        yield Block(language.pages, Style.LIST, items=tuple(_page(page, facts, language) for page in outcome.pages))
    if outcome.more_pages:
        yield Block(language.more_pages.of(outcome.more_pages).format(number=outcome.more_pages))


def pictures(outcome: Outcome, facts: Facts, language: Language) -> Iterator[Block]:
    labels = {ScreenshotKind.BEFORE: language.before, ScreenshotKind.AFTER: language.after}
    attached = tuple(AttachedPicture(kind.content_id, as_heading(labels[kind])) for kind in facts.pictures)
    if attached:
        yield Block("", Style.PICTURES, best_link(outcome, facts), pictures=attached)


def best_link(outcome: Outcome, facts: Facts) -> str:
    """Link to the page that changed most, otherwise to the home page."""
    return next((link for page in outcome.pages if (link := _link(page, facts))), facts.preview)


def _page(page: ChangedPage, facts: Facts, language: Language) -> Item:
    notes = {PageChange.NEW: language.new_page, PageChange.REMOVED: language.removed_page}
    return Item(
        clean(page.title) or f"/{_address(page.path)}",
        link=_link(page, facts),
        note=notes.get(page.change, ""),
        before=clean(page.before, facts),
        after=clean(page.after, facts),
    )


def _link(page: ChangedPage, facts: Facts) -> str:
    if not facts.preview or page.change is PageChange.REMOVED:
        return ""
    return facts.preview + _address(page.path)


def _address(path: str) -> str:
    """A page's URL path within its site: `menu/index.html` becomes `menu/`."""
    return quote(path.removesuffix("index.html").lstrip("/"))


def what_would_go_live(outcome: Outcome, facts: Facts, language: Language) -> Iterator[Block]:
    link = best_link(outcome, facts)
    yield Block(language.preview, Style.BUTTON, link) if link else Block(language.not_online)
    yield from pictures(outcome, facts, language)
    yield from risks(outcome, language)
    yield from changed_pages(outcome, facts, language)
