"""The diagrams of rooms in docs/architecture.md, drawn from the imports of the sources.

python -m tools.room_diagram write
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/architecture.md"
PACKAGES = {
    "webordinary": ROOT / "layers/webordinary/python/webordinary",
    "webordinary_worker": ROOT / "container/webordinary_worker",
}
Edges = set[tuple[str, str]]


def imports_between_rooms(package: str) -> Edges:
    """(importing room, imported room) for each import in a package; a room is a folder or module at its top."""
    folder = PACKAGES[package]
    found = set()
    for file in folder.rglob("*.py"):
        room = file.relative_to(folder).parts[0].removesuffix(".py")
        found |= {(room, other) for other in _imported_rooms(file, package) if room not in (other, "__init__")}
    return found


def _imported_rooms(file: Path, package: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        yield from (name.split(".")[1] for name in names if name.startswith(f"{package}."))


def reachable(edges: Edges, start: str) -> set[str]:
    found: set[str] = set()
    ahead = [start]
    while ahead:
        room = ahead.pop()
        new = {imported for importing, imported in edges if importing == room} - found
        found |= new
        ahead += new
    return found


def without_shortcuts(edges: Edges) -> Edges:
    """The edges that no longer path implies. Rooms have no cycles: import-linter checks that."""
    return {edge for edge in edges if edge[1] not in reachable(edges - {edge}, edge[0])}


def draw(package: str) -> str:
    edges = sorted(without_shortcuts(imports_between_rooms(package)))
    lines = [f"  {importing} --> {imported}" for importing, imported in edges]
    return "\n".join([_marker(package), "```mermaid", "flowchart TB", *lines, "```"])


def drawn(package: str, page: str) -> Edges:
    """The edges that a page shows for a package."""
    return set(re.findall(r"^  (\w+) --> (\w+)$", _diagram(package, page), re.MULTILINE))


def updated(page: str) -> str:
    for package in PACKAGES:
        page = page.replace(_diagram(package, page), draw(package))
    return page


def _marker(package: str) -> str:
    return f"<!-- Rooms of {package}, written by python -m tools.room_diagram write. -->"


def _diagram(package: str, page: str) -> str:
    found = re.search(re.escape(_marker(package)) + r"\n```mermaid\n.*?^```$", page, re.DOTALL | re.MULTILINE)
    if found is None:
        raise ValueError(f"{PAGE.name} has no diagram of {package}.")
    return found[0]


def main() -> None:
    if sys.argv[1:] != ["write"]:
        sys.exit(__doc__)
    PAGE.write_text(updated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
