"""The page about security names tests that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/security.md"


def named_tests() -> list[tuple[str, str]]:
    """(file, test) for each `file::test` of the page; an ellipsis stands for the file named before it."""
    found, file = [], ""
    for named, test in re.findall(r"`([^`\s]+)::(\w+)`", PAGE.read_text(encoding="utf-8")):
        file = file if named == "…" else named
        found.append((file, test))
    return found


def test_the_page_names_tests() -> None:
    assert len(named_tests()) > 20


@pytest.mark.parametrize(("file", "test"), named_tests())
def test_a_test_that_the_page_names_exists(file: str, test: str) -> None:
    folder = ROOT if file.startswith("tests/") else ROOT / "tests/unit"

    assert f"def {test}(" in (folder / file).read_text(encoding="utf-8")
