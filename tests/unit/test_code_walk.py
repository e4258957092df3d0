"""The walks in docs/architecture.md name files and functions that exist, in numbered rows."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8").partition("## A walk through the code")[2]
FOLDERS = {"webordinary/": "layers/webordinary/python/webordinary/", "worker/": "container/webordinary_worker/"}
ROW = re.compile(r"^\| (\d+) \| `([^`]+)` \| (?:`([^`]+)`)? ?\|", re.MULTILINE)
WALKS = {title.partition(":")[0]: ROW.findall(title) for title in PAGE.split("\n### ")[1:]}


def file_of(path: str) -> Path:
    for short, folder in FOLDERS.items():
        if path.startswith(short):
            return ROOT / folder / path.removeprefix(short)
    return ROOT / path


def names_in(file: Path) -> set[str]:
    """Functions, classes and methods of a module."""
    names = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}.{part.name}" for part in node.body if isinstance(part, ast.FunctionDef)}
    return names


def test_page_has_five_walks_numbered_without_gaps() -> None:
    assert list(WALKS) == ["Edit", "Publish", "Question", "Found command", "Interrupt"]
    for rows in WALKS.values():
        assert [int(number) for number, _, _ in rows] == list(range(1, len(rows) + 1))
    assert len(WALKS["Edit"]) < 90


@pytest.mark.parametrize(("path", "name"), sorted({(path, name) for rows in WALKS.values() for _, path, name in rows}))
def test_station_of_a_walk_exists(path: str, name: str) -> None:
    assert file_of(path).is_file()
    if name:
        assert name in names_in(file_of(path))
