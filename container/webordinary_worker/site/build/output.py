"""What of a build is published: the folder that Astro names, without what only a server needs, and pages in it."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from webordinary.contract.outcomes import Failure
from webordinary_worker.confinement.safe_copy import DEEPEST, open_folder, read_below, remove, write_below
from webordinary_worker.failures import BuildFailedError
from webordinary_worker.site.build.build_directory import BuildDirectory
from webordinary_worker.site.build.build_report import BuildReport
from webordinary_worker.site.build.hosting_rules import NOT_FOUND, RULES, ServedSite, parse_rules

LARGEST_RULES = 1024 * 1024
# Where a site is looked for whose build does not say: its script has called Astro in a way of its own.
USUAL_FOLDERS = ("dist/client", "dist", ".vercel/output/static", "build", "out")
# Parts for a server, which some adapters put beside the pages.
INTERNALS = ("_worker.js", "_routes.json", "content-assets.mjs", "content-modules.mjs", ".prerender")


@dataclass(frozen=True)
class Published:
    folder: Path
    pages: int
    prefix: str  # under which the site lies, if it has a base of its own


def publish(
    build_directory: BuildDirectory, site: PurePosixPath, facts: BuildReport, scratch: Path, owner: int | None
) -> Published:
    """Takes what was built out of the build_directory, ready to be deployed from a host's root.

    Raises BuildFailedError if there is no page in it, or none at its root.
    """
    folder = Path(tempfile.mkdtemp(prefix="site-", dir=scratch))
    base = _plain_base(facts.base)
    inner = folder.joinpath(*base)
    inner.parent.mkdir(parents=True, exist_ok=True)
    if base:
        _take(build_directory, site, facts, inner)
    else:
        folder.rmdir()
        _take(build_directory, site, facts, folder)
    _remove_internals(inner)
    files = frozenset(_files(inner))
    served = ServedSite(files, f"/{'/'.join(base)}", facts.default_locale, parse_rules(_rules(inner, owner)))
    pages = sum(path.endswith((".html", ".htm")) for path in files)
    if pages == 0 or not served.has_start:
        renders = facts.output == "server" or bool(facts.server_routes) or bool(facts.adapter)
        failure = Failure.SERVER_RENDERED if renders else Failure.NO_PAGES
        raise BuildFailedError(failure, ", ".join(facts.server_routes[:10]))
    for path, content in served.further_pages().items():
        with suppress(OSError):  # there is something else in its way
            write_below(folder, path.split("/"), content, owner)
    if base and NOT_FOUND in files:
        write_below(folder, [NOT_FOUND], read_below(inner, [NOT_FOUND], LARGEST_RULES, owner), owner)
    return Published(folder, pages, served.prefix)


def _take(build_directory: BuildDirectory, site: PurePosixPath, facts: BuildReport, target: Path) -> None:
    said = [place for place in (facts.published, facts.directory) if place]
    usual = [str(build_directory.tree / site / place) for place in USUAL_FOLDERS]
    for place in (*said, *usual):
        relative = _inside(build_directory.tree, place)
        if relative is not None:
            with suppress(OSError):
                build_directory.take(relative, target)
                return
    raise BuildFailedError(Failure.NO_PAGES)


def _inside(tree: Path, place: str) -> tuple[str, ...] | None:
    """The parts of a path below the tree; None for any other path, and for the tree itself."""
    normal = Path(os.path.normpath(place))
    if not normal.is_relative_to(tree) or normal == tree:
        return None
    return normal.relative_to(tree).parts


def _plain_base(base: str) -> tuple[str, ...]:
    parts = tuple(part for part in base.split("/") if part)
    return () if any(part in (".", "..") or "\0" in part for part in parts) else parts


def _remove_internals(folder: Path) -> None:
    with open_folder(folder) as descriptor:
        for name in INTERNALS:
            remove(name, descriptor)


def _files(folder: Path) -> Iterator[str]:
    """Paths of plain files, without following links."""
    waiting = [(folder, 0)]
    while waiting:
        current, depth = waiting.pop()
        with os.scandir(current) as entries:
            for entry in entries:
                mode = entry.stat(follow_symlinks=False).st_mode
                if stat.S_ISDIR(mode) and depth < DEEPEST:
                    waiting.append((Path(entry.path), depth + 1))
                elif stat.S_ISREG(mode):
                    yield Path(entry.path).relative_to(folder).as_posix()


def _rules(folder: Path, owner: int | None) -> str:
    try:
        return read_below(folder, [RULES], LARGEST_RULES, owner).decode(errors="replace")
    except OSError:
        return ""
