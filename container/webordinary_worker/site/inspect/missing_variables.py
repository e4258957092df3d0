"""Values of the environment that a site's source reads, so that whoever onboards it knows what its build may miss."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from webordinary_worker.site.inspect.text_sources import LARGEST_SOURCE, MOST_SOURCES

SOURCES = (".astro", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".vue", ".svelte", ".mdx")
_LEFT_OUT = frozenset(("node_modules", "dist", ".git", ".astro", "public", "tests", "test"))
_READ = re.compile(r"\b(?:import\.meta|process)\.env(?:\.|\[[\"'])([A-Z][A-Z0-9_]{1,63})\b")
_DECLARED = re.compile(r"\b([A-Z][A-Z0-9_]{1,63})\s*:\s*envField\b")
_LINE = re.compile(r"^\s*(?:export\s+)?([A-Z][A-Z0-9_]{1,63})\s*=", re.MULTILINE)
# That Astro, Vite, Node.js and those who build for others set by themselves.
_GIVEN = re.compile(
    r"^(MODE|PROD|DEV|SSR|SITE|BASE_URL|ASSETS_PREFIX|NODE_ENV|CI|PORT|HOST|HOME|PWD|PATH|TZ|DEBUG|LEGACY|VITEST"
    r"|(npm|GITHUB|VERCEL|NETLIFY|CF|CF_PAGES|CLOUDFLARE|RENDER|RAILWAY)(_\w+)?|(DEPLOY|ANALYZE)\w*)$"
)
_FILES = (".env", ".env.production")


def find_missing_variables(site: Path, given: frozenset[str]) -> list[str]:
    """The names that the source reads and nobody sets: no file of the repository, nor what is `given` to the build."""
    found: dict[str, None] = {}
    for text in _sources(site):
        found |= dict.fromkeys((*_READ.findall(text), *_DECLARED.findall(text)))
    there = given.union(*(_LINE.findall(_read(site / name)) for name in _FILES))
    return sorted(name for name in found if name not in there and not _GIVEN.match(name))


def _sources(site: Path) -> Iterator[str]:
    count = 0
    for parent, folders, files in os.walk(site):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
        for name in sorted(files):
            if name.endswith(SOURCES) and count < MOST_SOURCES:
                count += 1
                yield _read(Path(parent) / name)


def _read(path: Path) -> str:
    if path.is_symlink() or not path.is_file():
        return ""
    with path.open("rb") as file:
        return file.read(LARGEST_SOURCE).decode(errors="replace")
