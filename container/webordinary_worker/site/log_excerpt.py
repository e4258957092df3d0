"""Extracts the error from a program's output."""

from __future__ import annotations

import re
from pathlib import Path

EXCERPT_LINES = 12
EXCERPT_CHARACTERS = 1500
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_NOISE = re.compile(
    r"^\s*$"
    r"|^\s*at "  # stack trace
    r"|^\s*(├─|└─|▶|λ|→|✓|>)"  # progress: Astro's routes, the running script
    r"|^\d\d:\d\d:\d\d (?!.*\[(ERROR|error)\])"
    r"|^npm (warn|notice)\b|^npm error A complete log|^➤ YN0000"
    r"|^Progress: "
    r"|^WebSocket server error:|^Error: listen EACCES"  # Vite's WebSocket server, in older versions of Astro
    r"|^\s*triggerUncaughtException\(|^node:internal/|^Node\.js v\d"  # Node.js on an uncaught exception
)
# An error marker at the start of a line, or after its time and location; never inside a path.
_ERROR = re.compile(
    r"^(\S{0,12}\s+){0,2}(\[[\w@/. -]*\]\s*)*"
    r"(\[?(ERROR|error|ERR!|ERR_\w+|FATAL|✘)\]?|npm (error|ERR!)|➤ YN\d+|\[?\w*(Error|Exception)\b(?=[:\s\[(]|$))"
    r"|\berror\b[: ]"
)


def excerpt_of(output: str, tree: Path) -> str:
    """The error with its file and line, without stack trace and progress. Empty if no line is left."""
    lines = without_noise(plain(output, tree))
    starts = [number for number, line in enumerate(lines) if _ERROR.search(line)]
    useful = lines[starts[0] :] if starts else lines[-EXCERPT_LINES:]
    return "\n".join(useful[:EXCERPT_LINES])[:EXCERPT_CHARACTERS]


def without_noise(output: str) -> list[str]:
    return [line.rstrip() for line in output.splitlines() if not _NOISE.match(line)]


def plain(text: str, tree: Path) -> str:
    """Removes colours and the path of the tree."""
    return _COLOURS.sub("", text).replace(f"{tree}/", "").replace(str(tree), ".")
