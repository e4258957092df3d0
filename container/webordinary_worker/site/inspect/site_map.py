"""A short map of a site's source for the agent: files of pages, content, texts and languages.

It is read from the current tree.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from pathlib import Path

from webordinary_worker.site.inspect.text_sources import KINDS, is_package_file, kind_of

MAX_LINES = 60
MAX_FILES = 20_000
MAX_PAGES = 25
MAX_COMPONENTS = 15
MAX_CHARACTERS = 5000
_IGNORED_FOLDERS = frozenset(
    ("node_modules", "dist", ".git", ".astro", ".github", ".vscode", "tests", "test", "scripts")
)
_PAGES = ("src", "pages")
_LANGUAGE = re.compile(r"^[a-z]{2}(-[A-Za-z]{2})?$")
_TEXT = re.compile(r">[^<>{}]*[A-Za-zÀ-ÿ]{3,}[^<>{}]*<|[\"'`][^\"'`\n]*[A-Za-zÀ-ÿ]{2,} [A-Za-zÀ-ÿ]{2,}[^\"'`\n]*[\"'`]")
# Files next to components that no visitor sees.
_NOT_SHOWN = re.compile(r"\.d\.ts$|\.(config|test|spec|stories)\.\w+$|(^|/)__tests__/")
MAX_SOURCE_BYTES = 200_000


def site_map(tree: Path, folder: str = "") -> str:
    """The map as lines of text; empty for a tree without pages, content or texts."""
    site = tree / folder
    found = [path for path in _files(site) if kind_of(path) and not is_package_file(Path(path).name)]
    lines: list[str] = []
    if folder:
        lines.append(f"The site is in {folder}/; paths below are relative to it.")
    lines += _section(
        "Pages (address ← file)", [f"{_address(path)} ← {path}" for path in found if _is_page(path)], MAX_PAGES
    )
    lines += _section("Content of pages", [line for _, line in content_folders(site, found)], MAX_PAGES)
    lines += _section("Texts in components and code (count, file)", _text_counts(site, found), MAX_COMPONENTS)
    languages = _languages(found)
    if languages:
        lines.append(f"Languages: {', '.join(languages)}. A change in one usually belongs in the others too.")
    if _mostly_code(lines, found):
        lines.append(
            "Most texts are strings in .astro or TypeScript files: change the string, not the structure around it."
        )
    return "\n".join(lines[:MAX_LINES])[:MAX_CHARACTERS]


def content_folders(site: Path, found: list[str] | None = None) -> list[tuple[str, str]]:
    """Folders of Markdown or data files, with a line that describes each."""
    folders: defaultdict[str, list[str]] = defaultdict(list)
    for path in found if found is not None else _files(site):
        if kind_of(path) in ("Markdown", "data files") and "/" in path and not _is_page(path):
            folders[str(Path(path).parent)].append(Path(path).name)
    return [
        (folder, f"{folder}/ — {len(names)} file{'s' if len(names) > 1 else ''}, such as {names[0]}")
        for folder, names in sorted(folders.items())
    ]


def _files(site: Path) -> list[str]:
    found: list[str] = []
    for parent, folders, files in os.walk(site):
        folders[:] = sorted(
            name for name in folders if name not in _IGNORED_FOLDERS and not (Path(parent) / name).is_symlink()
        )
        relative = Path(parent).relative_to(site)
        if relative.parts[:1] == ("public",):
            continue
        found += [(relative / name).as_posix() for name in sorted(files) if not (Path(parent) / name).is_symlink()]
        if len(found) > MAX_FILES:
            break
    return found


def _is_page(path: str) -> bool:
    parts = Path(path).parts
    return (
        parts[:2] == _PAGES
        and not any(part.startswith("_") for part in parts[2:])
        and path.endswith((".astro", ".md", ".mdx", ".html"))
    )


def _address(path: str) -> str:
    plain = Path(*Path(path).parts[2:]).with_suffix("").as_posix()
    plain = "" if plain == "index" else plain.removesuffix("/index")
    return f"/{plain}"


def _text_counts(site: Path, found: list[str]) -> list[str]:
    """Components and code files with the most texts."""
    counted: Counter[str] = Counter()
    for path in found:
        if kind_of(path) in ("Astro components", "TypeScript and JavaScript") and not _NOT_SHOWN.search(path):
            with (site / path).open("rb") as file:
                counted[path] = len(_TEXT.findall(file.read(MAX_SOURCE_BYTES).decode(errors="replace")))
    return [f"{count:>3} {path}" for path, count in counted.most_common(MAX_COMPONENTS) if count >= 3]


def _languages(found: list[str]) -> list[str]:
    """Folders or files named after a language, if several are siblings."""
    siblings: defaultdict[str, set[str]] = defaultdict(set)
    for path in found:
        parts = Path(path).parts
        for number, part in enumerate(parts):
            name = part if number < len(parts) - 1 else Path(part).stem
            if _LANGUAGE.match(name) and name not in ("id", "js", "ts", "ui", "md", "lib"):
                siblings["/".join(parts[:number])].add(name)
    return sorted(set().union(*(names for names in siblings.values() if len(names) > 1)))


def _mostly_code(lines: list[str], found: list[str]) -> bool:
    markdown = sum(path.endswith(KINDS["Markdown"]) for path in found)
    return bool(lines) and markdown < 3


def _section(title: str, lines: list[str], most: int) -> list[str]:
    if not lines:
        return []
    more = [f"  … and {len(lines) - most} more"] if len(lines) > most else []
    return [f"{title}:", *(f"  {line}" for line in lines[:most]), *more]
