"""What the README tells a reader to type is there. `make walk` types all of it; here it is only looked up."""

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


def test_the_way_there_and_the_way_back_are_told() -> None:
    wanted = ["make bootstrap", "make plan", "make apply", "projects add", "projects remove", "make destroy"]

    assert [one for command in COMMANDS for one in wanted if one in command] == wanted


@pytest.mark.parametrize("command", [one for one in COMMANDS if one.startswith("make ")])
def test_every_target_is_one_of_the_makefile(command: str) -> None:
    *targets, setting = command.split()[1:]

    assert set(targets) <= TARGETS
    assert setting == "ENV=dev"


@pytest.mark.parametrize("command", [one for one in COMMANDS if not one.startswith("make ")])
def test_every_command_of_an_operator_is_understood(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As far as to where it looks for the account: what is not understood does not get there."""
    program, *arguments = shlex.split(command)
    asked: list[str] = []

    def find(environment: str) -> Deployment:
        asked.append(environment)
        raise OperatorError("There is no account here.")

    assert program == ".venv/bin/webordinary"
    assert cli.main(arguments, find) == 1
    assert asked == ["dev"]
    assert capsys.readouterr().err == "There is no account here.\n"
