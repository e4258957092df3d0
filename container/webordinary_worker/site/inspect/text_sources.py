"""Where the words of a site are: which source files hold the texts that its pages show."""

from __future__ import annotations

import html
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from webordinary_worker.site.inspect.crawler import CrawledPage, texts

KINDS = {
    "Markdown": (".md", ".mdx", ".mdoc", ".markdown"),
    "Astro components": (".astro",),
    "TypeScript and JavaScript": (".ts", ".tsx", ".js", ".jsx", ".mjs", ".vue", ".svelte"),
    "HTML": (".html", ".htm"),
    "data files": (".json", ".yaml", ".yml", ".toml", ".csv"),
}
LARGEST_SOURCE = 2 * 1024 * 1024
MOST_SOURCES = 10_000
MOST_TEXTS = 600
LEAST_FOUND = 12
_LEFT_OUT = frozenset(("node_modules", "dist", ".git", ".astro", "public", ".github", ".vscode"))
_MARKUP = re.compile(r"[*_`]|\[([^\]]*)\]\([^)]*\)|<[^>\n]{1,200}>")


@dataclass(frozen=True)
class Source:
    path: str
    text: str  # as it is searched: one line, without markup


@dataclass(frozen=True)
class Words:
    """How many of the sampled texts were found, by kind of source and by file."""

    sampled: int
    kinds: dict[str, int]
    files: list[tuple[str, int]]


def sources(site: Path) -> Iterator[Source]:
    """The source files of a site that may hold words."""
    count = 0
    for parent, folders, files in os.walk(site):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
        for name in sorted(files):
            path = Path(parent) / name
            about_the_repository = Path(parent) == site
            if about_the_repository or kind_of(name) is None or path.is_symlink() or count >= MOST_SOURCES:
                continue
            count += 1
            with path.open("rb") as file:
                yield Source(
                    path.relative_to(site).as_posix(), searchable(file.read(LARGEST_SOURCE).decode(errors="replace"))
                )


def find_words(found: list[Source], pages: dict[str, CrawledPage]) -> Words:
    sampled = [text for _, text in texts(pages)][:MOST_TEXTS]
    kinds: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for text in sampled:
        source = holder_of(text, found)
        kinds[kind_of(source.path) or "other" if source else "elsewhere"] += 1
        if source is not None:
            files[source.path] += 1
    return Words(len(sampled), dict(kinds.most_common()), files.most_common(10))


def holder_of(text: str, found: list[Source]) -> Source | None:
    """The source that holds a text, or at least a good part of it: markup may stand between its words."""
    plain = searchable(text)
    parts = [plain, *(part for part in re.split(r"[.!?:;|,\u2013\u2014] ", plain) if len(part) >= LEAST_FOUND)]
    return next((source for part in parts for source in found if part in source.text), None)


def searchable(text: str) -> str:
    return " ".join(_MARKUP.sub(lambda match: match[1] or "", html.unescape(text)).replace("\\'", "'").split())


def kind_of(name: str) -> str | None:
    return next((kind for kind, endings in KINDS.items() if name.endswith(endings)), None)


def is_lock(name: str) -> bool:
    return name in ("package.json", "package-lock.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", "tsconfig.json")
