"""Collects the output of a build: the static files, plus redirect pages for the hosting rules."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from webordinary.contract.outcomes import Failure
from webordinary_worker.confinement.safe_copy import MAX_DEPTH, open_folder, read_below, remove, write_below
from webordinary_worker.failures import BuildFailedError
from webordinary_worker.site.build.build_directory import BuildDirectory
from webordinary_worker.site.build.build_report import BuildReport
from webordinary_worker.site.build.hosting_rules import NOT_FOUND, RULES, ServedSite, parse_rules

MAX_RULES_BYTES = 1024 * 1024
# Searched if the build reports no output folder, because its script calls Astro in an unknown way.
USUAL_FOLDERS = ("dist/client", "dist", ".vercel/output/static", "build", "out")
# Server files that some adapters place among the pages.
SERVER_FILES = ("_worker.js", "_routes.json", "content-assets.mjs", "content-modules.mjs", ".prerender")


@dataclass(frozen=True)
class SiteOutput:
    folder: Path
    pages: int
    prefix: str  # folder of a site with a base
    files: frozenset[str] = frozenset()  # all of them


def collect_output(
    build_directory: BuildDirectory, site: PurePosixPath, report: BuildReport, scratch: Path, owner: int | None
) -> SiteOutput:
    """Moves the output out of the build directory, ready to be served from a host's root.

    Raises BuildFailedError if it has no pages, or no page at its root.
    """
    folder = Path(tempfile.mkdtemp(prefix="site-", dir=scratch))
    base = _plain_base(report.base)
    inner = folder.joinpath(*base)
    inner.parent.mkdir(parents=True, exist_ok=True)
    if base:
        _move_out(build_directory, site, report, inner)
    else:
        folder.rmdir()
        _move_out(build_directory, site, report, folder)
    _remove_server_files(inner)
    files = frozenset(_files(inner))
    served = ServedSite(files, f"/{'/'.join(base)}", report.default_locale, parse_rules(_rules(inner, owner)))
    pages = sum(path.endswith((".html", ".htm")) for path in files)
    if pages == 0 or not served.has_root:
        renders = report.output == "server" or bool(report.server_routes) or bool(report.adapter)
        failure = Failure.SERVER_RENDERED if renders else Failure.NO_PAGES
        raise BuildFailedError(failure, ", ".join(report.server_routes[:10]))
    for path, content in served.redirect_pages().items():
        with suppress(OSError):  # the path is taken by another file
            write_below(folder, path.split("/"), content, owner)
    if base and NOT_FOUND in files:
        write_below(folder, [NOT_FOUND], read_below(inner, [NOT_FOUND], MAX_RULES_BYTES, owner), owner)
    return SiteOutput(folder, pages, served.prefix, frozenset(_files(folder)))


def _move_out(build_directory: BuildDirectory, site: PurePosixPath, report: BuildReport, target: Path) -> None:
    reported = [path for path in (report.static_directory, report.directory) if path]
    usual = [str(build_directory.tree / site / folder) for folder in USUAL_FOLDERS]
    for path in (*reported, *usual):
        relative = _inside(build_directory.tree, path)
        if relative is not None:
            with suppress(OSError):
                build_directory.move_out(relative, target)
                return
    raise BuildFailedError(Failure.NO_PAGES)


def _inside(tree: Path, path: str) -> tuple[str, ...] | None:
    """The parts of a path below the tree; None for the tree itself and any other path."""
    normal = Path(os.path.normpath(path))
    if not normal.is_relative_to(tree) or normal == tree:
        return None
    return normal.relative_to(tree).parts


def _plain_base(base: str) -> tuple[str, ...]:
    parts = tuple(part for part in base.split("/") if part)
    return () if any(part in (".", "..") or "\0" in part for part in parts) else parts


def _remove_server_files(folder: Path) -> None:
    with open_folder(folder) as descriptor:
        for name in SERVER_FILES:
            remove(name, descriptor)


def _files(folder: Path) -> Iterator[str]:
    """Paths of regular files, without following links."""
    pending = [(folder, 0)]
    while pending:
        current, depth = pending.pop()
        with os.scandir(current) as entries:
            for entry in entries:
                mode = entry.stat(follow_symlinks=False).st_mode
                if stat.S_ISDIR(mode) and depth < MAX_DEPTH:
                    pending.append((Path(entry.path), depth + 1))
                elif stat.S_ISREG(mode):
                    yield Path(entry.path).relative_to(folder).as_posix()


def _rules(folder: Path, owner: int | None) -> str:
    try:
        return read_below(folder, [RULES], MAX_RULES_BYTES, owner).decode(errors="replace")
    except OSError:
        return ""
