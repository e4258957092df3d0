"""Which pages of a built site differ from what was there before, and their words before and after.

Both sites are somebody else's work: they are read as text by a scanner that takes linear time, and only so far. How
much of a page has changed is told from its pieces, which is quick; words are looked for in the few pages that are told.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from html import unescape

from webordinary.contract.messages.outcome import ChangedPage
from webordinary.contract.outcomes import PageChange
from webordinary.contract.values import limit
from webordinary.text.html import html_to_text

MOST_READ = 40  # pages
MAX_PAGE_BYTES = 250_000  # bytes of a page
MOST_LINES = 2000
MAX_QUOTE_CHARACTERS = 240  # characters of the words before or after
CONTEXT_WORDS = 4
WITHOUT_WORDS = ("script", "style")
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
    """A page before and after, as far as it was there and could be read."""

    path: str
    change: PageChange
    old: str | None
    new: str | None

    @property
    def is_comparable(self) -> bool:
        return self.change is PageChange.CHANGED and self.old is not None and self.new is not None

    @cached_property
    def is_restyled(self) -> bool:
        """Whether nothing changed but the names of its assets."""
        return self.is_comparable and _unnamed(self.old or "") == _unnamed(self.new or "")

    def weight(self) -> int:
        """About how many characters of its words changed."""
        if self.is_comparable:
            return _changed_characters(self.old or "", self.new or "")
        return len(self.new or self.old or "") if self.change is not PageChange.CHANGED else 0

    def describe(self) -> ChangedPage:
        title = _title(self.new if self.new is not None else self.old or "")
        page = ChangedPage(path=_short(self.path), change=self.change, title=title)
        if not self.is_comparable or self.is_restyled:
            return page
        before, after = _words(self.old or "", self.new or "")
        if max(len(before), len(after)) > MAX_QUOTE_CHARACTERS:
            return page
        return page.model_copy(update={"before": before, "after": after})


def is_page(path: str) -> bool:
    return path.endswith((".html", ".htm"))


def changes_between(
    before: Mapping[str, str], after: Mapping[str, str], read_before: ReadPage, read_after: ReadPage
) -> PageChanges:
    """From two manifests (path → digest) and ways to read the pages in them."""
    paths = _changed_pages(before, after)
    read = [_difference(path, before, after, read_before, read_after) for path in paths[:MOST_READ]]
    telling = [difference for difference in read if not difference.is_restyled] or read
    telling.sort(key=lambda difference: (-difference.weight(), len(difference.path), difference.path))
    most = limit("pages_told")
    pages = tuple(difference.describe() for difference in telling[:most])
    return PageChanges(pages, more=max(0, len(telling) - most) + max(0, len(paths) - MOST_READ))


def pages_to_read(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """The pages of the site before that `changes_between` will read."""
    return [path for path in _changed_pages(before, after)[:MOST_READ] if path in before]


def _changed_pages(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    return sorted(path for path in {*before, *after} if is_page(path) and before.get(path) != after.get(path))


def _difference(
    path: str, before: Mapping[str, str], after: Mapping[str, str], read_before: ReadPage, read_after: ReadPage
) -> _Difference:
    change = PageChange.NEW if path not in before else PageChange.REMOVED if path not in after else PageChange.CHANGED
    old = _decoded(read_before(path)) if path in before else None
    new = _decoded(read_after(path)) if path in after else None
    return _Difference(path, change, old, new)


def _unnamed(html: str) -> str:
    return _NAMED_BY_CONTENT.sub(r"\1\2", html)


def _changed_characters(old: str, new: str) -> int:
    pieces, others = Counter(old.split("<")), Counter(new.split("<"))
    return sum(_characters(piece) * count for piece, count in [*(pieces - others).items(), *(others - pieces).items()])


def _characters(piece: str) -> int:
    """Of the words in a piece of a page: what follows a tag, unless that holds something else than words."""
    tag, closed, words = piece.partition(">")
    if closed and tag[:6].lower().startswith(WITHOUT_WORDS):
        return 0
    return len((words if closed else tag).strip())


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
    return content[:MAX_PAGE_BYTES].decode("utf-8", "replace") if content is not None else None


def _short(text: str) -> str:
    return text[: limit("phrase_characters")]
