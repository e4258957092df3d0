"""Codes are shown as words."""

import re
from pathlib import Path

from local.runtime.timeline import MILESTONES
from webordinary_ops.console.words import MILESTONES as WORDS

ROOT = Path(__file__).resolve().parents[4]
LOGGED = re.compile(r"milestone\(\s*\"([a-z_]+)\"")


def test_every_milestone_has_words() -> None:
    folders = ("layers/webordinary", "container", "functions")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.py")]
    logged = {name for file in files for name in LOGGED.findall(file.read_text(encoding="utf-8"))}

    assert len(logged) > 15
    assert {*logged, *MILESTONES} - set(WORDS) == set()
