"""Maps URLs to keys in the sites bucket: every site has its own host and is served from `/`.

The edge functions apply the same rules, in `terraform/modules/sites/edge/rules.js`; one table of cases tests both.

    https://PROJECT.…/menu            PROJECT/live/menu/index.html, or menu.html, or menu
    https://THREAD--PROJECT.…/        PROJECT/preview/THREAD/index.html
    a missing file                    the site's 404 page, of the path's language if it begins with one
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import Template
from urllib.parse import unquote

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
    """What a host serves: a project's live site, or the preview of one of its threads."""

    project: str
    thread_id: str | None = None

    @property
    def prefix(self) -> str:
        if self.thread_id is None:
            return site_prefix("live", self.project)
        return preview_prefix(self.project, self.thread_id)

    @property
    def label(self) -> str:
        """The first label of its host name."""
        kind = "live" if self.thread_id is None else "preview"
        return Template(contract()["hosts"][kind]).substitute(project=self.project, thread=self.thread_id or "")


@dataclass(frozen=True)
class Keys:
    """The keys to try for a file, in this order, and then for the 404 page."""

    file: tuple[str, ...]
    not_found: tuple[str, ...]


def site_of(label: str) -> Site | None:
    """The site of the first label of a host name."""
    if preview := _HOSTS["preview"].fullmatch(label):
        return Site(preview["project"], preview["thread"])
    if live := _HOSTS["live"].fullmatch(label):
        return Site(live["project"])
    return None


def keys_of(site: Site, path: str) -> Keys:
    """The keys of a path. `path` is as the browser sent it: encoded, with a leading slash."""
    decoded = _decoded(path)
    not_found = tuple(site.prefix + page for page in _not_found_pages(decoded or ""))
    if decoded is None:
        return Keys((), not_found)
    return Keys(tuple(site.prefix + file for file in _files(decoded)), not_found)


def moved_preview(site: Site, path: str) -> tuple[Site, str] | None:
    """The current location of a preview URL in the old form, below the project's host."""
    old = _OLD_PREVIEW.fullmatch(path) if site.thread_id is None else None
    return (Site(site.project, old["thread"]), old["rest"] or "/") if old else None


def _decoded(path: str) -> str | None:
    """The path without its leading slash; None if it is not valid text or contains `.` or `..`."""
    try:
        text = unquote(path, errors="strict")[1:]
    except UnicodeDecodeError:
        return None
    if _BROKEN_ESCAPE.search(path):
        return None
    traverses = any(part in (".", "..") for part in text.split("/"))
    return None if traverses or any(char < " " for char in text) else text


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
