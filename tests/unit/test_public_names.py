"""Every public class name of the product is defined once, so that a name means one thing."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("layers/webordinary/python", "container/webordinary_worker", "local", "ops/webordinary_ops", "tools")


def test_public_class_names_are_unique() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            for node in ast.parse(file.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places[node.name].append(file.relative_to(ROOT).as_posix())

    assert {name: files for name, files in places.items() if len(files) > 1} == {}
