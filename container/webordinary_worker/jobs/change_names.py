"""The name of a change: the agent's title, otherwise the words that changed. Never the words of a mail.

Both are untrusted: a name is one line without control characters, and no greeting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from webordinary.mail.commands.finder import is_pleasantry
from webordinary.text.html import html_to_text
from webordinary_worker.git.work_tree import WorkTree

MAX_LINES = 200  # of a diff
MAX_WORDS = 8  # on each side of the arrow
CODE = re.compile(r"\s*(?:import\b|export\b|const\b|let\b|return\b|---|//|/\*|@|[{}()\[\]<>;,]+\s*$)")
QUOTES = "\"'` \u201c\u201d\u201e\u00ab\u00bb"


def change_name(title: str, tree: WorkTree) -> str:
    """Names the uncommitted changes of the tree. Empty if nothing in them can be read."""
    return _cleaned(title) or next(_changed_words(tree.diff()), "")


def _cleaned(title: str) -> str:
    line = " ".join("".join(char if char.isprintable() else " " for char in title).split()).strip(QUOTES + ".")
    return "" if not line or is_pleasantry(line.rstrip(",!;:")) else line


def _changed_words(diff: str) -> Iterator[str]:
    for removed, added in _hunks(diff):
        for old, new in zip_longest(removed, added, fillvalue=""):
            before, after = _differing(old.split(), new.split())
            if after and before:
                yield f"{before} → {after}"
            elif after or before:
                yield after or f"{before} → …"


def _hunks(diff: str) -> Iterator[tuple[list[str], list[str]]]:
    """The removed and added lines of text of each hunk."""
    for hunk in re.split(r"^@@ .*$", diff, flags=re.MULTILINE)[1:]:
        lines = hunk.partition("\ndiff --git ")[0].splitlines()[:MAX_LINES]
        yield _texts(lines, "-"), _texts(lines, "+")


def _texts(lines: list[str], sign: str) -> list[str]:
    sources = (line[1:] for line in lines if line.startswith(sign) and not CODE.match(line[1:]))
    texts = (" ".join(html_to_text(source).split()) for source in sources)
    return [text for text in texts if any(char.isalnum() for char in text)]


def _differing(words: list[str], others: list[str]) -> tuple[str, str]:
    shorter = min(len(words), len(others))
    start = next((n for n in range(shorter) if words[n] != others[n]), shorter)
    end = next((n for n in range(shorter - start) if words[-1 - n] != others[-1 - n]), shorter - start)
    return _few(words[start : len(words) - end]), _few(others[start : len(others) - end])


def _few(words: list[str]) -> str:
    return " ".join(words[:MAX_WORDS]) + (" …" if len(words) > MAX_WORDS else "")
