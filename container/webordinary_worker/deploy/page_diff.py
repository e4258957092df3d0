"""The pages of a built site that differ from an earlier one, with their text before and after.

Neither site is trusted: pages are read as text, up to a limit, by a scanner with linear run time. How much of a page
has changed is estimated from its pieces, which is fast; the text is compared only for the few pages that are listed.
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

MAX_PAGES_READ = 40
MAX_PAGE_BYTES = 250_000
MAX_LINES = 2000
MAX_QUOTE_CHARACTERS = 240  # of the text before or after
CONTEXT_WORDS = 4
WITHOUT_TEXT = ("script", "style")
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{0,400})", re.IGNORECASE)
# The bundler puts a hash into the names of assets, so a new style sheet changes every page that uses it.
_HASHED_NAME = re.compile(r"(/_astro/[\w.@-]{1,200}?)\.[\w-]{6,20}(\.\w{1,5})\b")

ReadPage = Callable[[str], bytes | None]


@dataclass(frozen=True)
class PageChanges:
    """The pages that changed most, and the number of other changed pages."""

    pages: tuple[ChangedPage, ...] = ()
    more: int = 0


@dataclass(frozen=True)
class _Difference:
    """A page before and after; None where it does not exist or could not be read."""

    path: str
    change: PageChange
    old: str | None
    new: str | None

    @property
    def is_comparable(self) -> bool:
        return self.change is PageChange.CHANGED and self.old is not None and self.new is not None

    @cached_property
    def is_restyled(self) -> bool:
        """Whether only the hashed names of its assets changed."""
        return self.is_comparable and _without_hashes(self.old or "") == _without_hashes(self.new or "")

    def weight(self) -> int:
        """Estimates how many characters of its text changed."""
        if self.is_comparable:
            return _changed_characters(self.old or "", self.new or "")
        return len(self.new or self.old or "") if self.change is not PageChange.CHANGED else 0

    def describe(self) -> ChangedPage:
        title = _title(self.new if self.new is not None else self.old or "")
        page = ChangedPage(path=_short(self.path), change=self.change, title=title)
        if not self.is_comparable or self.is_restyled:
            return page
        before, after = _changed_text(self.old or "", self.new or "")
        if max(len(before), len(after)) > MAX_QUOTE_CHARACTERS:
            return page
        return page.model_copy(update={"before": before, "after": after})


def is_page(path: str) -> bool:
    return path.endswith((".html", ".htm"))


def changes_between(
    before: Mapping[str, str], after: Mapping[str, str], read_before: ReadPage, read_after: ReadPage
) -> PageChanges:
    """Compares the pages of two manifests (path → digest)."""
    paths = _changed_pages(before, after)
    read = [_difference(path, before, after, read_before, read_after) for path in paths[:MAX_PAGES_READ]]
    relevant = [difference for difference in read if not difference.is_restyled] or read
    relevant.sort(key=lambda difference: (-difference.weight(), len(difference.path), difference.path))
    most = limit("changed_pages")
    pages = tuple(difference.describe() for difference in relevant[:most])
    return PageChanges(pages, more=max(0, len(relevant) - most) + max(0, len(paths) - MAX_PAGES_READ))


def pages_to_read(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """The pages of the earlier site that `changes_between` will read."""
    return [path for path in _changed_pages(before, after)[:MAX_PAGES_READ] if path in before]


def _changed_pages(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    return sorted(path for path in {*before, *after} if is_page(path) and before.get(path) != after.get(path))


def _difference(
    path: str, before: Mapping[str, str], after: Mapping[str, str], read_before: ReadPage, read_after: ReadPage
) -> _Difference:
    change = PageChange.NEW if path not in before else PageChange.REMOVED if path not in after else PageChange.CHANGED
    old = _decode(read_before(path)) if path in before else None
    new = _decode(read_after(path)) if path in after else None
    return _Difference(path, change, old, new)


def _without_hashes(html: str) -> str:
    return _HASHED_NAME.sub(r"\1\2", html)


def _changed_characters(old: str, new: str) -> int:
    pieces, others = Counter(old.split("<")), Counter(new.split("<"))
    return sum(_characters(piece) * count for piece, count in [*(pieces - others).items(), *(others - pieces).items()])


def _characters(piece: str) -> int:
    """The length of the text in a piece of a page: what follows the tag, unless the tag is a script or style."""
    tag, closed, text = piece.partition(">")
    if closed and tag[:6].lower().startswith(WITHOUT_TEXT):
        return 0
    return len((text if closed else tag).strip())


def _changed_text(old: str, new: str) -> tuple[str, str]:
    """The text that was removed and the text that was added."""
    old_lines, new_lines = _lines(old), _lines(new)
    removed: list[str] = []
    added: list[str] = []
    for kind, a, b, c, d in SequenceMatcher(None, old_lines, new_lines).get_opcodes():
        if kind == "equal":
            continue
        for line, other in zip(old_lines[a:b], new_lines[c:d], strict=False):
            cut_line, cut_other = _cut_to_difference(line, other)
            removed.append(cut_line)
            added.append(cut_other)
        paired = min(b - a, d - c)
        removed += old_lines[a + paired : b]
        added += new_lines[c + paired : d]
    return " · ".join(removed), " · ".join(added)


def _cut_to_difference(line: str, other: str) -> tuple[str, str]:
    """Two lines without their common first and last words, except for a few words of context."""
    words, others = line.split(), other.split()
    shorter = min(len(words), len(others))
    start = next((n for n in range(shorter) if words[n] != others[n]), shorter)
    end = next((n for n in range(shorter - start) if words[-1 - n] != others[-1 - n]), shorter - start)
    start, end = max(0, start - CONTEXT_WORDS), max(0, end - CONTEXT_WORDS)
    return _cut(words, start, end), _cut(others, start, end)


def _cut(words: list[str], start: int, end: int) -> str:
    inner = words[start : len(words) - end]
    return " ".join([*(["…"] if start else []), *inner, *(["…"] if end else [])])


def _lines(html: str) -> list[str]:
    return list(_non_empty_lines(html_to_text(html)))[:MAX_LINES]


def _non_empty_lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        if bare := " ".join(line.split()):
            yield bare


def _title(html: str) -> str:
    found = _TITLE.search(html)
    return _short(" ".join(unescape(found[1]).split())) if found else ""


def _decode(content: bytes | None) -> str | None:
    return content[:MAX_PAGE_BYTES].decode("utf-8", "replace") if content is not None else None


def _short(text: str) -> str:
    return text[: limit("phrase_characters")]
