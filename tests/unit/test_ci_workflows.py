"""The parts of the CI workflow together are make test-all, on the oldest Python that the README promises too."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]


def parts() -> list[dict[str, Any]]:
    workflow = yaml.safe_load((ROOT / ".github/workflows/check.yml").read_text(encoding="utf-8"))
    return list(workflow["jobs"]["test"]["strategy"]["matrix"]["include"])


def test_every_test_folder_is_in_one_part() -> None:
    folders = {file.relative_to(ROOT / "tests").parts[0] for file in (ROOT / "tests").rglob("test_*.py")}
    divided = [name for part in parts() if part["python"] != "3.11.0" for name in part["tests"].split()]

    assert sorted(divided) == sorted(f"tests/{folder}" for folder in folders)


def test_units_run_on_the_oldest_promised_python() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest = f"{project['requires-python'].removeprefix('>=')}.0"

    assert [part["part"] for part in parts() if part["python"] == oldest] == ["unit"]


def test_make_targets_of_workflows_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for file in (ROOT / ".github/workflows").glob("*.yml"):
        text = file.read_text(encoding="utf-8")
        for command in re.findall(r"^\s*(?:- )?run: make ([a-z -]+)", text, re.MULTILINE):
            for target in command.split():
                assert f"\n{target}: " in makefile, (file.name, target)
