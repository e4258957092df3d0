"""Crawls a built site: links, headings and texts of its pages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from posixpath import join, normpath
from urllib.parse import unquote, urljoin, urlsplit

from webordinary_worker.site.build.hosting_rules import INDEX

MAX_PAGE_BYTES = 5 * 1024 * 1024
MAX_PAGES = 5000
_LINKS = {"a": "href", "area": "href", "link": "href", "img": "src", "script": "src", "source": "src", "iframe": "src"}
_IGNORED_RELATIONS = frozenset(
    ("preconnect", "dns-prefetch", "canonical", "alternate", "shortlink", "me", "author", "license")
)
_BLOCKS = frozenset(
    ("h1", "h2", "h3", "h4", "p", "li", "td", "th", "dt", "dd", "blockquote", "figcaption", "button", "title")
)
_INVISIBLE = frozenset(("script", "style", "template", "svg", "noscript"))


@dataclass
class CrawledPage:
    path: str
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)  # resources that a browser loads automatically
    headings: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)  # one per block element


@dataclass(frozen=True)
class BrokenLink:
    page: str
    link: str


@dataclass(frozen=True)
class Crawl:
    pages: dict[str, CrawledPage]
    broken: list[BrokenLink]
    remote_hosts: list[str]


class _Reader(HTMLParser):
    def __init__(self, page: CrawledPage) -> None:
        super().__init__(convert_charrefs=True)
        self._page = page
        self._invisible_depth = 0
        self._block: list[str] | None = None
        self._tag = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attr = {name: value or "" for name, value in attrs}
        if tag in _INVISIBLE:
            self._invisible_depth += 1
        if tag == "meta" and attr.get("http-equiv", "").lower() == "refresh" and "url=" in attr.get("content", ""):
            self._page.links.append(attr["content"].split("url=", 1)[1])
        name = _LINKS.get(tag)
        if name and attr.get(name) and not (tag == "link" and _IGNORED_RELATIONS & set(attr.get("rel", "").split())):
            self._page.links.append(attr[name])
            if tag not in ("a", "area"):
                self._page.loads.append(attr[name])
        if tag in _BLOCKS:
            self._end_block()
            self._block, self._tag = [], tag

    def handle_endtag(self, tag: str) -> None:
        if tag in _INVISIBLE:
            self._invisible_depth = max(0, self._invisible_depth - 1)
        if tag == self._tag:
            self._end_block()

    def handle_data(self, data: str) -> None:
        if self._block is not None and not self._invisible_depth:
            self._block.append(data)

    def _end_block(self) -> None:
        text = " ".join("".join(self._block or []).split())
        if text:
            self._page.texts.append(text)
            if self._tag in ("h1", "h2", "h3"):
                self._page.headings.append(text)
        self._block, self._tag = None, ""


def read_page(folder: Path, path: str) -> CrawledPage:
    page = CrawledPage(path)
    with (folder / path).open("rb") as file:
        text = file.read(MAX_PAGE_BYTES).decode(errors="replace")
    reader = _Reader(page)
    reader.feed(text)
    reader.close()
    return page


def crawl(folder: Path) -> Crawl:
    """Reads all pages of a built site, also unlinked ones, and checks their links."""
    files = frozenset(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    paths = [path for path in (INDEX, *sorted(files)) if path in files and path.endswith((".html", ".htm"))]
    pages: dict[str, CrawledPage] = {}
    broken: list[BrokenLink] = []
    remote: dict[str, None] = {}
    for path in paths[:MAX_PAGES]:
        if path in pages:
            continue
        page = pages[path] = read_page(folder, path)
        for link in dict.fromkeys(page.links):
            host = urlsplit(link).hostname if link.startswith(("http://", "https://", "//")) else None
            if host:
                if link in page.loads:
                    remote[host] = None
            elif (address := _address(path, link)) is not None and served_file(address, files) is None:
                broken.append(BrokenLink(path, link))
    return Crawl(pages, broken, list(remote))


def served_file(address: str, files: frozenset[str]) -> str | None:
    """The file served for an address: the file itself, its index document, or the page with `.html` added."""
    path = normpath(unquote(address)).lstrip("/").removeprefix(".")
    for candidate in (path, join(path, INDEX).lstrip("/"), f"{path}.html"):
        if candidate in files:
            return candidate
    return None


def _address(page: str, link: str) -> str | None:
    """The address of a link, without its fragment; None if it is not a page or a file."""
    if link.startswith("#") or (":" in link.split("/", 1)[0].split("?", 1)[0]):
        return None
    here = "/" + (page.removesuffix(INDEX) if page.endswith(INDEX) else page)
    try:
        return urlsplit(urljoin(here, link.strip())).path or "/"
    except ValueError:
        return link


def unique_texts(pages: dict[str, CrawledPage], shortest: int = 12) -> Iterator[tuple[str, str]]:
    """Every text of the pages once, with the first page that has it."""
    seen: set[str] = set()
    for path, page in pages.items():
        for text in page.texts:
            if len(text) >= shortest and text not in seen:
                seen.add(text)
                yield path, text
