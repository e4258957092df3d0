"""Links between documents are valid, and the index lists every decision."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DECISIONS = ROOT / "docs/decisions"
DOCUMENTS = sorted(
    {
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *ROOT.glob("[a-z]*/README.md"),
        *ROOT.glob("terraform/**/README.md"),
    }
)
# Not links to other hosts, nor to GitHub's pages about this repository.
LINK = re.compile(r"\]\((?!https?:|mailto:|\.\./\.\./actions/)([^)#\s]*)(?:#([\w-]+))?\)")


def anchors(text: str) -> set[str]:
    """The anchors that GitHub generates for headings."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: str(document.relative_to(ROOT)))
def test_document_has_no_broken_links(document: Path) -> None:
    broken = []
    for target, anchor in LINK.findall(document.read_text(encoding="utf-8")):
        file = document.parent / target if target else document
        if not file.exists() or (anchor and anchor not in anchors(file.read_text(encoding="utf-8"))):
            broken.append(f"{target}#{anchor}")

    assert broken == []


def test_decisions_are_numbered_without_a_gap() -> None:
    numbers = [int(page.name[:4]) for page in sorted(DECISIONS.glob("0*.md"))]

    assert numbers == list(range(1, len(numbers) + 1))


def test_index_lists_every_decision_with_its_title() -> None:
    titles = {}
    for page in DECISIONS.glob("0*.md"):
        number, _, title = page.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ").partition(": ")
        assert page.name.startswith(f"{number}-")
        titles[number, page.name] = title

    index = (DECISIONS / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(\d{4})\]\(([\w.-]+)\) \| (.+) \|$", index, re.MULTILINE)
    assert {(number, name): title for number, name, title in rows} == titles
