"""Which file of the bucket of all sites an address means: every site has a host of its own and is served from `/`.

The same rules run at the edge, in `terraform/modules/sites/edge/rules.js`; one table of cases holds both to them.

    https://PROJECT.…/menu            PROJECT/live/menu/index.html, or menu.html, or menu
    https://THREAD--PROJECT.…/        PROJECT/preview/THREAD/index.html
    … that is not there               the site's 404 page: of the language that the path begins with, else the site's
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import Template
from urllib.parse import quote, unquote

from webordinary.contract.names import preview_prefix, site_prefix
from webordinary.contract.values import contract, pattern

LANGUAGE = re.compile(r"[a-z]{2}(-[A-Za-z]{2,4})?", re.ASCII)
FILE_NAME = re.compile(r"[^/]+\.[A-Za-z][A-Za-z0-9]{0,11}", re.ASCII)
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
INDEX = "index.html"


def _host_pattern(kind: str) -> re.Pattern[str]:
    ids = {name: f"(?P<{name}>{pattern(name)[1:-1]})" for name in ("thread", "project")}
    return re.compile(Template(contract()["hosts"][kind]).substitute(ids))


_HOSTS = {kind: _host_pattern(kind) for kind in ("preview", "live")}
_OLD_PREVIEW = re.compile(
    f"/{contract()['prefixes']['old_previews']}(?P<thread>{pattern('thread')[1:-1]})(?P<rest>/.*)?", re.DOTALL
)


@dataclass(frozen=True)
class Site:
    """What a host shows: a project's live site, or the preview of one of its conversations."""

    project: str
    thread_id: str | None = None

    @property
    def prefix(self) -> str:
        if self.thread_id is None:
            return site_prefix("live", self.project)
        return preview_prefix(self.project, self.thread_id)

    @property
    def label(self) -> str:
        """The first part of its host name."""
        kind = "live" if self.thread_id is None else "preview"
        return Template(contract()["hosts"][kind]).substitute(project=self.project, thread=self.thread_id or "")


@dataclass(frozen=True)
class Keys:
    """Where to look for a file, in this order, and then for the page that says that there is none."""

    file: tuple[str, ...]
    not_found: tuple[str, ...]


def site_of(label: str) -> Site | None:
    """The site that the first part of a host name means."""
    if preview := _HOSTS["preview"].fullmatch(label):
        return Site(preview["project"], preview["thread"])
    if live := _HOSTS["live"].fullmatch(label):
        return Site(live["project"])
    return None


def keys_of(site: Site, path: str) -> Keys:
    """The keys that a path means. `path` is as the browser sent it: encoded, with its leading slash."""
    decoded = _decoded(path)
    not_found = tuple(site.prefix + page for page in _not_found_pages(decoded or ""))
    if decoded is None:
        return Keys((), not_found)
    return Keys(tuple(site.prefix + file for file in _files(decoded)), not_found)


def moved_preview(site: Site, path: str) -> tuple[Site, str] | None:
    """Previews once lay below their project's host; where such an address leads now."""
    old = _OLD_PREVIEW.fullmatch(path) if site.thread_id is None else None
    return (Site(site.project, old["thread"]), old["rest"] or "/") if old else None


def path_of_key(key: str) -> str:
    """A key as a path: every character but those that mean themselves is encoded."""
    return "/" + quote(key, safe="/-_.!~*'()")


def _decoded(path: str) -> str | None:
    """The path without its leading slash; nothing where it is no text or tries to climb."""
    try:
        text = unquote(path, errors="strict")[1:]
    except UnicodeDecodeError:
        return None
    if _BROKEN_ESCAPE.search(path):
        return None
    climbs = any(part in (".", "..") for part in text.split("/"))
    return None if climbs or any(char < " " for char in text) else text


def _files(path: str) -> list[str]:
    if path in ("", "/"):
        return [path + INDEX]
    if path.rpartition("/")[2] == INDEX:
        return [path]
    if path.endswith("/"):
        return [path + INDEX, f"{path[:-1]}.html"]
    if FILE_NAME.fullmatch(path.rpartition("/")[2]):
        return [path, f"{path}/{INDEX}"]
    return [f"{path}/{INDEX}", f"{path}.html", path]


def _not_found_pages(path: str) -> list[str]:
    language = path.partition("/")[0]
    roots = [f"{language}/", ""] if LANGUAGE.fullmatch(language) else [""]
    return [f"{root}404{end}" for root in roots for end in (".html", f"/{INDEX}")]
