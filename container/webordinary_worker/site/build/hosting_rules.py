"""Emulates redirects of common hosts with static pages, for a plain file server with index documents and a 404 page.

Rules of `_redirects`, and the root of a site with a base or several languages, become small pages that redirect to the
new address. A rule with a wildcard is expanded for every page that matches its target.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from posixpath import normpath
from urllib.parse import quote, unquote, urlsplit

INDEX = "index.html"
NOT_FOUND = "404.html"
RULES = "_redirects"
MAX_RULES = 2000
MAX_PAGES = 10_000
_REDIRECT = range(300, 400)
_PLACEHOLDER = re.compile(r":(\w+)")


@dataclass(frozen=True)
class HostingRule:
    """One line of `_redirects`: `/old/* /new/:splat 301`."""

    source: str
    target: str
    status: int = 301


def parse_rules(text: str) -> list[HostingRule]:
    """The rules of a `_redirects` file. Skips lines that depend on a query, a country or another host."""
    rules = []
    for line in text.splitlines():
        source, target, status, *conditions = [*re.sub(r"(^|\s)#.*", "", line).split(), "", "", ""]
        number = status.rstrip("!") or "301"
        supported = source.startswith("/") and target.startswith(("/", "https://", "http://")) and number.isdigit()
        if supported and not any(conditions):
            rules.append(HostingRule(source, target, int(number)))
    return rules[:MAX_RULES]


@dataclass(frozen=True)
class ServedSite:
    """The files of a built site, with paths relative to its base, and how to serve them."""

    files: frozenset[str]
    base: str = "/"
    default_locale: str = ""
    rules: Sequence[HostingRule] = ()

    @property
    def prefix(self) -> str:
        """The folder of a site with a base; empty without."""
        return self.base.strip("/") + "/" if self.base.strip("/") else ""

    @property
    def has_root(self) -> bool:
        """Whether the root of the site has a page or a redirect."""
        roots = ("/", f"/{self.prefix}", f"/{self.prefix}".rstrip("/"))
        return INDEX in self.files or self._has_locale or any(rule.source in roots for rule in self.rules)

    @property
    def _has_locale(self) -> bool:
        return bool(self.default_locale) and f"{self.default_locale}/{INDEX}" in self.files

    def redirect_pages(self) -> dict[str, bytes]:
        """Redirect pages to add, by their path from the host's root. They never replace a file of the site."""
        existing = {self.prefix + path for path in self.files}
        pages: dict[str, bytes] = {}
        for source, target in self._redirects():
            path = _page_at(source)
            if path is not None and path not in existing and path not in pages and len(pages) < MAX_PAGES:
                pages[path] = redirect_page(target)
        return pages

    def _redirects(self) -> Iterator[tuple[str, str]]:
        for rule in self.rules:
            if rule.status in _REDIRECT:
                yield from self._expand(rule)
        if self._has_locale:
            yield f"/{self.prefix}", f"/{self.prefix}{self.default_locale}/"
        if self.prefix:
            yield "/", f"/{self.prefix}"

    def _expand(self, rule: HostingRule) -> Iterator[tuple[str, str]]:
        names = _PLACEHOLDER.findall(rule.source)
        if "*" not in rule.source and not names:
            yield rule.source, rule.target
        elif rule.target.startswith("/") and _can_be_matched(rule.target):
            pattern = re.compile(_pattern(rule.target) + "/?$")
            for address in self._addresses():
                found = pattern.match(address)
                if found is not None:
                    yield _fill(rule.source, found.groupdict()), address

    def _addresses(self) -> Iterator[str]:
        for path in sorted(self.files):
            if path.endswith(f"/{INDEX}"):
                yield f"/{self.prefix}{path.removesuffix(INDEX)}"
            elif path.endswith(".html") and path not in (INDEX, NOT_FOUND):
                yield f"/{self.prefix}{path}"


def redirect_page(target: str) -> bytes:
    """A page that redirects immediately, also without scripts, and is not indexed by search engines."""
    address = html.escape(target, quote=True)
    return (
        "<!doctype html>\n"
        f'<html><head><meta charset="utf-8"><title>Moved</title><meta http-equiv="refresh" content="0;url={address}">'
        f'<meta name="robots" content="noindex"><link rel="canonical" href="{address}"></head>'
        f'<body><a href="{address}">{address}</a></body></html>\n'
    ).encode()


def _page_at(address: str) -> str | None:
    """The file served for an address; None for an invalid one."""
    path = unquote(urlsplit(address).path).lstrip("/")
    plain = normpath(path or ".")
    if plain.startswith("..") or "\0" in path or "*" in path:
        return None
    last = plain.rsplit("/", 1)[-1]
    if plain == ".":
        return INDEX
    return plain if last.endswith((".html", ".htm")) else f"{plain}/{INDEX}"


def _can_be_matched(target: str) -> bool:
    names = _PLACEHOLDER.findall(target)
    return bool(names) and len(set(names)) == len(names) and all(map(str.isidentifier, names))


def _pattern(target: str) -> str:
    pieces = []
    for number, part in enumerate(_PLACEHOLDER.split(target.rstrip("/"))):
        if number % 2 == 0:
            pieces.append(re.escape(part))
        else:
            pieces.append(f"(?P<{part}>{'.+?' if part == 'splat' else '[^/]+'})")
    return "".join(pieces)


def _fill(source: str, values: Mapping[str, str]) -> str:
    filled = _PLACEHOLDER.sub(lambda found: values.get(found[1], ""), source)
    return filled.replace("*", quote(values.get("splat", "").strip("/"), safe="/%"))
