"""What a site needs besides its files to be served as the usual hosts serve it, as further files.

A plain file server with index documents and a 404 page is all that is asked for. A rule of `_redirects`, the root of a
site that lives under a base or speaks several languages: each becomes a small page at the old address that leads to the
new one. A rule with a star is written out for every page that it leads to.
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
MOST_RULES = 2000
MOST_PAGES = 10_000
_REDIRECT = range(300, 400)
_PLACEHOLDER = re.compile(r":(\w+)")


@dataclass(frozen=True)
class HostingRule:
    """One line of `_redirects`: `/old/* /new/:splat 301`."""

    source: str
    target: str
    status: int = 301
    force: bool = False


def parse_rules(text: str) -> list[HostingRule]:
    """The rules of a `_redirects` file. Lines that depend on a query, a country or another host are left out."""
    rules = []
    for line in text.splitlines():
        source, target, status, *conditions = [*re.sub(r"(^|\s)#.*", "", line).split(), "", "", ""]
        number = status.rstrip("!") or "301"
        wanted = source.startswith("/") and target.startswith(("/", "https://", "http://")) and number.isdigit()
        if wanted and not any(conditions):
            rules.append(HostingRule(source, target, int(number), status.endswith("!")))
    return rules[:MOST_RULES]


@dataclass(frozen=True)
class ServedSite:
    """A built site, as far as serving it goes: `files` are the paths of its files, below its base."""

    files: frozenset[str]
    base: str = "/"
    default_locale: str = ""
    rules: Sequence[HostingRule] = ()

    @property
    def prefix(self) -> str:
        """The folder in which a site with a base is served; empty for one without."""
        return self.base.strip("/") + "/" if self.base.strip("/") else ""

    @property
    def has_start(self) -> bool:
        """Whether a visitor of the root sees something."""
        roots = ("/", f"/{self.prefix}", f"/{self.prefix}".rstrip("/"))
        return INDEX in self.files or self._has_locale or any(rule.source in roots for rule in self.rules)

    @property
    def _has_locale(self) -> bool:
        return bool(self.default_locale) and f"{self.default_locale}/{INDEX}" in self.files

    def further_pages(self) -> dict[str, bytes]:
        """Pages to add, by their path from the host's root. None takes the place of a file of the site's."""
        there = {self.prefix + path for path in self.files}
        pages: dict[str, bytes] = {}
        for source, target in self._redirections():
            path = _page_at(source)
            if path is not None and path not in there and path not in pages and len(pages) < MOST_PAGES:
                pages[path] = redirection(target)
        return pages

    def _redirections(self) -> Iterator[tuple[str, str]]:
        for rule in self.rules:
            if rule.status in _REDIRECT:
                yield from self._written_out(rule)
        if self._has_locale:
            yield f"/{self.prefix}", f"/{self.prefix}{self.default_locale}/"
        if self.prefix:
            yield "/", f"/{self.prefix}"

    def _written_out(self, rule: HostingRule) -> Iterator[tuple[str, str]]:
        names = _PLACEHOLDER.findall(rule.source)
        if "*" not in rule.source and not names:
            yield rule.source, rule.target
        elif rule.target.startswith("/") and _can_be_matched(rule.target):
            pattern = re.compile(_pattern(rule.target) + "/?$")
            for address in self._addresses():
                found = pattern.match(address)
                if found is not None:
                    yield _filled_in(rule.source, found.groupdict()), address

    def _addresses(self) -> Iterator[str]:
        for path in sorted(self.files):
            if path.endswith(f"/{INDEX}"):
                yield f"/{self.prefix}{path.removesuffix(INDEX)}"
            elif path.endswith(".html") and path not in (INDEX, NOT_FOUND):
                yield f"/{self.prefix}{path}"


def redirection(target: str) -> bytes:
    """A page that leads to another at once, also without scripts, and is not to be found by search engines."""
    address = html.escape(target, quote=True)
    return (
        "<!doctype html>\n"
        f'<html><head><meta charset="utf-8"><title>Moved</title><meta http-equiv="refresh" content="0;url={address}">'
        f'<meta name="robots" content="noindex"><link rel="canonical" href="{address}"></head>'
        f'<body><a href="{address}">{address}</a></body></html>\n'
    ).encode()


def _page_at(address: str) -> str | None:
    """The file that answers an address; None for one that has none."""
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


def _filled_in(source: str, values: Mapping[str, str]) -> str:
    filled = _PLACEHOLDER.sub(lambda found: values.get(found[1], ""), source)
    return filled.replace("*", quote(values.get("splat", "").strip("/"), safe="/%"))
