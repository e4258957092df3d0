"""The README's deployment commands exist. `make walk` runs them; here they are only parsed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.walk.readme import deploy_commands
from webordinary_ops import cli
from webordinary_ops.deployment import Deployment
from webordinary_ops.errors import OperatorError

ROOT = Path(__file__).resolve().parents[3]
COMMANDS = deploy_commands()
TARGETS = set(re.findall(r"^([a-z-]+):.* ## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def test_readme_lists_deployment_and_removal() -> None:
    expected = ["make bootstrap", "make plan", "make apply", "projects add", "projects remove", "make destroy"]

    assert [one for command in COMMANDS for one in expected if one in command] == expected


@pytest.mark.parametrize("command", [one for one in COMMANDS if one.startswith("make ")])
def test_make_target_of_readme_exists(command: str) -> None:
    *targets, setting = command.split()[1:]

    assert set(targets) <= TARGETS
    assert setting == "ENV=dev"


@pytest.mark.parametrize("command", [one for one in COMMANDS if not one.startswith("make ")])
def test_operator_command_of_readme_parses(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A command that parses gets as far as the connection."""
    program, *arguments = shlex.split(command)
    requested: list[str] = []

    def find(environment: str) -> Deployment:
        requested.append(environment)
        raise OperatorError("No account.")

    assert program == ".venv/bin/webordinary"
    assert cli.main(arguments, find) == 1
    assert requested == ["dev"]
    assert capsys.readouterr().err == "No account.\n"
