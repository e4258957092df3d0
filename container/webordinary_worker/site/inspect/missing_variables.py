"""Finds environment variables that a site's source reads but that are not set."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from webordinary_worker.site.inspect.text_sources import MAX_SOURCE_BYTES, MAX_SOURCES

SOURCES = (".astro", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".vue", ".svelte", ".mdx")
_IGNORED_FOLDERS = frozenset(("node_modules", "dist", ".git", ".astro", "public", "tests", "test"))
_READ = re.compile(r"\b(?:import\.meta|process)\.env(?:\.|\[[\"'])([A-Z][A-Z0-9_]{1,63})\b")
_DECLARED = re.compile(r"\b([A-Z][A-Z0-9_]{1,63})\s*:\s*envField\b")
_LINE = re.compile(r"^\s*(?:export\s+)?([A-Z][A-Z0-9_]{1,63})\s*=", re.MULTILINE)
# Set by Astro, Vite, Node.js or a hosting service.
_WELL_KNOWN = re.compile(
    r"^(MODE|PROD|DEV|SSR|SITE|BASE_URL|ASSETS_PREFIX|NODE_ENV|CI|PORT|HOST|HOME|PWD|PATH|TZ|DEBUG|LEGACY|VITEST"
    r"|(npm|GITHUB|VERCEL|NETLIFY|CF|CF_PAGES|CLOUDFLARE|RENDER|RAILWAY)(_\w+)?|(DEPLOY|ANALYZE)\w*)$"
)
_ENV_FILES = (".env", ".env.production")


def find_missing_variables(site: Path, configured: frozenset[str]) -> list[str]:
    """Variables that the source reads and that neither an .env file nor the project sets."""
    found: dict[str, None] = {}
    for text in _sources(site):
        found |= dict.fromkeys((*_READ.findall(text), *_DECLARED.findall(text)))
    defined = configured.union(*(_LINE.findall(_read(site / name)) for name in _ENV_FILES))
    return sorted(name for name in found if name not in defined and not _WELL_KNOWN.match(name))


def _sources(site: Path) -> Iterator[str]:
    count = 0
    for parent, folders, files in os.walk(site):
        folders[:] = sorted(name for name in folders if name not in _IGNORED_FOLDERS)
        for name in sorted(files):
            if name.endswith(SOURCES) and count < MAX_SOURCES:
                count += 1
                yield _read(Path(parent) / name)


def _read(path: Path) -> str:
    if path.is_symlink() or not path.is_file():
        return ""
    with path.open("rb") as file:
        return file.read(MAX_SOURCE_BYTES).decode(errors="replace")
