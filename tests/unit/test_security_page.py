"""The security pages number their threats without a gap and name tests and attacks that exist."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.attack.cases import load

ROOT = Path(__file__).resolve().parents[2]
PAGES = {"T": ROOT / "docs/security.md", "W": ROOT / "docs/security-worker.md"}
FOLDERS = tuple(f"{folder.name}/" for folder in ROOT.iterdir() if folder.is_dir())
HEADING = re.compile(r"^## ([TW]\d+) (\S.*)$", re.MULTILINE)
FIELDS = re.compile(r"^- (Threat|Measures|Tests):", re.MULTILINE)
NAMED = re.compile(r"^  - `([^`]+)`$", re.MULTILINE)


def sections() -> dict[str, str]:
    """The text below each numbered heading, in the order of the pages."""
    found: dict[str, str] = {}
    for page in PAGES.values():
        _, *parts = HEADING.split(page.read_text(encoding="utf-8"))
        for threat, text in zip(parts[::3], parts[2::3], strict=True):
            assert threat not in found, f"{threat} is there twice."
            found[threat] = text
    return found


SECTIONS = sections()
NAMES = sorted({name for text in SECTIONS.values() for name in NAMED.findall(text)})
ATTACKS = [name.removeprefix("attack/") for name in NAMES if name.startswith("attack/")]
TESTS = [name for name in NAMES if not name.startswith("attack/")]
CASES = load()


@pytest.mark.parametrize("letter", PAGES)
def test_threats_are_numbered_without_a_gap(letter: str) -> None:
    numbers = [int(threat[1:]) for threat in SECTIONS if threat.startswith(letter)]

    assert len(numbers) > 10
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("threat", SECTIONS)
def test_threat_has_measures_and_tests(threat: str) -> None:
    text = SECTIONS[threat]

    assert FIELDS.findall(text) == ["Threat", "Measures", "Tests"]
    listed = text.partition("- Tests:\n")[2].strip("\n").splitlines()
    assert listed
    assert len(NAMED.findall(text)) == len(listed), "a line below Tests names no test"


@pytest.mark.parametrize("name", TESTS)
def test_named_test_exists(name: str) -> None:
    file, _, test = name.partition("::")
    path = (
        ROOT if file.startswith(FOLDERS) and not (ROOT / "tests/unit" / file).exists() else ROOT / "tests/unit"
    ) / file

    assert path.is_file()
    assert not test or f"def {test}(" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("pattern", ATTACKS)
def test_named_attack_exists(pattern: str) -> None:
    assert any(fnmatch(case.id, pattern) for case in CASES)


def test_threats_of_attacks_are_on_the_pages() -> None:
    assert {case.threat for case in CASES if case.threat} <= set(SECTIONS)
