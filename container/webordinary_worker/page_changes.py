"""Which pages of a built site differ from what was there before, and their words before and after.

Both sites are somebody else's work: they are read as text by a scanner that takes linear time, and only so far.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import unescape

from webordinary.mail.markup import html_to_text
from webordinary.platform.contract import limit
from webordinary.platform.messages import ChangedPage, PageChange

MOST_READ = 40  # pages
LARGEST_READ = 250_000  # bytes of a page
MOST_LINES = 2000
LONGEST_TOLD = 240  # characters of the words before or after
CONTEXT_WORDS = 4
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{0,400})", re.IGNORECASE)
# The bundler names assets by their content, so a new style sheet changes every page that uses it.
_NAMED_BY_CONTENT = re.compile(r"(/_astro/[\w.@-]{1,200}?)\.[\w-]{6,20}(\.\w{1,5})\b")

ReadPage = Callable[[str], bytes | None]


@dataclass(frozen=True)
class PageChanges:
    """The pages that changed most, and how many changed besides."""

    pages: tuple[ChangedPage, ...] = ()
    more: int = 0


@dataclass(frozen=True)
class _Difference:
    page: ChangedPage
    weight: int  # how many characters of its words changed
    restyled: bool = False  # nothing changed but the names of its assets


def is_page(path: str) -> bool:
    return path.endswith((".html", ".htm"))


def changes_between(
    before: Mapping[str, str], after: Mapping[str, str], read_before: ReadPage, read_after: ReadPage
) -> PageChanges:
    """From two manifests (path → digest) and ways to read the pages in them."""
    paths = _changed_pages(before, after)
    read = [_difference(path, before, after, read_before, read_after) for path in paths[:MOST_READ]]
    telling = [difference for difference in read if not difference.restyled] or read
    telling.sort(key=lambda difference: (-difference.weight, len(difference.page.path), difference.page.path))
    most = limit("pages_told")
    pages = tuple(difference.page for difference in telling[:most])
    return PageChanges(pages, more=max(0, len(telling) - most) + max(0, len(paths) - MOST_READ))


def pages_to_read(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """The pages of the site before that `changes_between` will read."""
    return [path for path in _changed_pages(before, after)[:MOST_READ] if path in before]


def _changed_pages(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    return sorted(path for path in {*before, *after} if is_page(path) and before.get(path) != after.get(path))


def _difference(
    path: str, before: Mapping[str, str], after: Mapping[str, str], read_before: ReadPage, read_after: ReadPage
) -> _Difference:
    old = _decoded(read_before(path)) if path in before else None
    new = _decoded(read_after(path)) if path in after else None
    title = _title(new if new is not None else old or "")
    if path not in before:
        return _Difference(ChangedPage(path=_short(path), change=PageChange.NEW, title=title), len(new or ""))
    if path not in after:
        return _Difference(ChangedPage(path=_short(path), change=PageChange.REMOVED, title=title), len(old or ""))
    changed = ChangedPage(path=_short(path), change=PageChange.CHANGED, title=title)
    if old is None or new is None:
        return _Difference(changed, 0)
    if _NAMED_BY_CONTENT.sub(r"\1\2", old) == _NAMED_BY_CONTENT.sub(r"\1\2", new):
        return _Difference(changed, 0, restyled=True)
    words_before, words_after = _words(old, new)
    weight = len(words_before) + len(words_after)
    if max(len(words_before), len(words_after)) > LONGEST_TOLD:
        return _Difference(changed, weight)
    return _Difference(changed.model_copy(update={"before": words_before, "after": words_after}), weight)


def _words(old: str, new: str) -> tuple[str, str]:
    """What stood there and what stands there now, where they differ."""
    old_lines, new_lines = _lines(old), _lines(new)
    gone: list[str] = []
    come: list[str] = []
    for kind, a, b, c, d in SequenceMatcher(None, old_lines, new_lines).get_opcodes():
        if kind == "equal":
            continue
        for line, other in zip(old_lines[a:b], new_lines[c:d], strict=False):
            cut_line, cut_other = _cut_to_difference(line, other)
            gone.append(cut_line)
            come.append(cut_other)
        paired = min(b - a, d - c)
        gone += old_lines[a + paired : b]
        come += new_lines[c + paired : d]
    return " · ".join(gone), " · ".join(come)


def _cut_to_difference(line: str, other: str) -> tuple[str, str]:
    """Two lines without the words that they begin and end with alike, but for a few."""
    words, others = line.split(), other.split()
    shorter = min(len(words), len(others))
    start = next((n for n in range(shorter) if words[n] != others[n]), shorter)
    end = next((n for n in range(shorter - start) if words[-1 - n] != others[-1 - n]), shorter - start)
    start, end = max(0, start - CONTEXT_WORDS), max(0, end - CONTEXT_WORDS)
    return _cut(words, start, end), _cut(others, start, end)


def _cut(words: list[str], start: int, end: int) -> str:
    kept = words[start : len(words) - end]
    return " ".join([*(["…"] if start else []), *kept, *(["…"] if end else [])])


def _lines(html: str) -> list[str]:
    return list(_filled(html_to_text(html)))[:MOST_LINES]


def _filled(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        if bare := " ".join(line.split()):
            yield bare


def _title(html: str) -> str:
    found = _TITLE.search(html)
    return _short(" ".join(unescape(found[1]).split())) if found else ""


def _decoded(content: bytes | None) -> str | None:
    return content[:LARGEST_READ].decode("utf-8", "replace") if content is not None else None


def _short(text: str) -> str:
    return text[: limit("phrase_characters")]
