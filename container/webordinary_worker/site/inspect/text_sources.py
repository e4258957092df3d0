"""Finds the source files that contain the texts of a site's pages."""

from __future__ import annotations

import html
import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from webordinary_worker.site.inspect.crawler import CrawledPage, unique_texts

KINDS = {
    "Markdown": (".md", ".mdx", ".mdoc", ".markdown"),
    "Astro components": (".astro",),
    "TypeScript and JavaScript": (".ts", ".tsx", ".js", ".jsx", ".mjs", ".vue", ".svelte"),
    "HTML": (".html", ".htm"),
    "data files": (".json", ".yaml", ".yml", ".toml", ".csv"),
}
MAX_SOURCE_BYTES = 2 * 1024 * 1024
MAX_SOURCES = 10_000
MAX_TEXTS = 600
MIN_MATCH_LENGTH = 12
_IGNORED_FOLDERS = frozenset(("node_modules", "dist", ".git", ".astro", "public", ".github", ".vscode"))
_MARKUP = re.compile(r"[*_`]|\[([^\]]*)\]\([^)]*\)|<[^>\n]{1,200}>")


@dataclass(frozen=True)
class SourceFile:
    path: str
    text: str  # normalized for search: one line, without markup


@dataclass(frozen=True)
class TextSources:
    """Number of sampled texts found, by kind of source and by file."""

    sampled: int
    kinds: dict[str, int]
    files: list[tuple[str, int]]


def source_files(site: Path) -> Iterator[SourceFile]:
    """The source files of a site that may contain texts. Files at the root describe the repository, so are skipped."""
    count = 0
    for parent, folders, files in os.walk(site):
        folders[:] = sorted(name for name in folders if name not in _IGNORED_FOLDERS)
        for name in sorted(files):
            path = Path(parent) / name
            if Path(parent) == site or kind_of(name) is None or path.is_symlink() or count >= MAX_SOURCES:
                continue
            count += 1
            with path.open("rb") as file:
                yield SourceFile(
                    path.relative_to(site).as_posix(), searchable(file.read(MAX_SOURCE_BYTES).decode(errors="replace"))
                )


def find_text_sources(found: list[SourceFile], pages: dict[str, CrawledPage]) -> TextSources:
    sampled = [text for _, text in unique_texts(pages)][:MAX_TEXTS]
    kinds: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for text in sampled:
        source = source_of(text, found)
        kinds[kind_of(source.path) or "other" if source else "not found"] += 1
        if source is not None:
            files[source.path] += 1
    return TextSources(len(sampled), dict(kinds.most_common()), files.most_common(10))


def source_of(text: str, found: list[SourceFile]) -> SourceFile | None:
    """The source file that contains a text, or a long part of it, because markup may separate its words."""
    plain = searchable(text)
    parts = [plain, *(part for part in re.split(r"[.!?:;|,\u2013\u2014] ", plain) if len(part) >= MIN_MATCH_LENGTH)]
    return next((source for part in parts for source in found if part in source.text), None)


def searchable(text: str) -> str:
    return " ".join(_MARKUP.sub(lambda match: match[1] or "", html.unescape(text)).replace("\\'", "'").split())


def kind_of(name: str) -> str | None:
    return next((kind for kind, endings in KINDS.items() if name.endswith(endings)), None)


def is_package_file(name: str) -> bool:
    return name in ("package.json", "package-lock.json", "pnpm-lock.yaml", "pnpm-workspace.yaml", "tsconfig.json")
