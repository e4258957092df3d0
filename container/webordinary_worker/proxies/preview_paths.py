"""Which requests to a dev server a page of the site makes, and which ask for files of the repository.

A dev server serves every file below the site's folder, and its source with `?raw`. Visitors get pages, what is in
`public`, and the modules that a browser loads: scripts, styles and pictures of `src` and of packages.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath
from urllib.parse import unquote

ABSOLUTE_PATH = "/@fs/"  # Vite's prefix for absolute file paths
SOURCES = frozenset(("src", "content"))
PACKAGES = "node_modules"
MODULES = frozenset(
    (
        *(".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx", ".vue", ".svelte", ".map"),
        *(".css", ".scss", ".sass", ".less", ".styl", ".pcss", ".postcss"),
        *(".avif", ".gif", ".ico", ".jpeg", ".jpg", ".png", ".svg", ".webp", ".bmp", ".mp4", ".webm", ".mp3"),
        *(".woff", ".woff2", ".ttf", ".otf", ".eot", ".wasm"),
    )
)
MAX_DECODINGS = 4
# Vite's queries that return a file's text instead of the module.
_TEXT_OF_FILE = re.compile(r"[?&](raw|inline|url|init|import&raw)(?![\w-])", re.IGNORECASE)
_PART_OF_COMPONENT = re.compile(r"[?&]type=(style|script)(?![\w-])")


def asks_for_repository(target: str, tree: Path) -> bool:
    """Whether a request asks for a file that no page shows. `tree` is the dev server's copy of the repository."""
    path = target
    for _ in range(MAX_DECODINGS):  # it may be percent-encoded several times
        if _TEXT_OF_FILE.search(path.replace(";", "&")) or _names_repository_file(path.replace("\\", "/"), tree):
            return True
        decoded = unquote(path)
        if decoded == path:
            return False
        path = decoded
    return True


def _names_repository_file(target: str, tree: Path) -> bool:
    if ABSOLUTE_PATH in target:
        file = "/" + re.split(r"[?&#]", target.partition(ABSOLUTE_PATH)[2])[0].lstrip("/")
        relative = normpath(file).removeprefix(f"{tree}/")
        return relative.startswith("/") or _is_source(PurePosixPath(relative), target, absolute=True)
    path = normpath("/" + re.split(r"[?#]", target)[0].lstrip("/")).lstrip("/")
    return not path.startswith(("@", ".well-known/")) and _is_source(PurePosixPath(path), target, absolute=False)


def _is_source(path: PurePosixPath, target: str, *, absolute: bool) -> bool:
    if PACKAGES in path.parts:
        return path.suffix.lower() not in MODULES and bool(path.suffix)
    if any(part.startswith(".") for part in path.parts):
        return True
    if SOURCES.intersection(path.parts[:-1]):
        if path.suffix == ".astro":
            return not _PART_OF_COMPONENT.search(target)
        return bool(path.suffix) and path.suffix.lower() not in MODULES and not _could_be_page(path, absolute)
    return absolute or _is_configuration(path)


def _could_be_page(path: PurePosixPath, absolute: bool) -> bool:
    return path.suffix in (".html", ".htm") and not absolute


def _is_configuration(path: PurePosixPath) -> bool:
    """Whether a path could be a file of the site's folder, rather than a page or a file of `public`."""
    name = path.name.lower()
    return bool(
        re.match(r"^(package(-lock)?|tsconfig[\w.-]*|jsconfig|deno|turbo|nx|vercel|composer)\.jsonc?$", name)
        or re.match(r"^[\w.-]+\.(config|setup|rc)\.[cm]?[jt]s$", name)
        or re.match(r"^(dockerfile|jenkinsfile|makefile|license|codeowners|gemfile|procfile)(\..*)?$", name)
        or path.suffix.lower() in (".astro", ".md", ".mdx", ".ts", ".tsx", ".jsx", ".vue", ".svelte", ".lock", ".lockb")
        or path.suffix.lower() in (".yaml", ".yml", ".toml", ".csv", ".sql", ".db", ".sqlite", ".sh", ".patch", ".bak")
    )
