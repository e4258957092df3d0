"""Every alarm has a runbook, and every command in a runbook and on the operators' page works."""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests.support.world import World
from webordinary_ops import cli
from webordinary_ops.commands import add_to
from webordinary_ops.deployment import Deployment

ROOT = Path(__file__).resolve().parents[3]
RUNBOOKS = ROOT / "docs/runbooks"
MONITORING = (ROOT / "terraform/modules/monitoring/main.tf").read_text(encoding="utf-8")

PAGES = sorted(RUNBOOKS.glob("*.md"))
WORDS = {"JOB": "mail-1", "PAIR": "bakery#ada", "PROJECT": "bakery", "USER": "ada", "ADDRESS": "ada@example.com"}


def commands(page: Path) -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    return [line.strip() for block in blocks for line in block.splitlines() if line.strip()]


ALL = [(page.stem, command) for page in (*PAGES, ROOT / "docs/for-operators.md") for command in commands(page)]


def test_every_alarm_names_an_existing_runbook() -> None:
    named = set(re.findall(r"\$\{local\.runbooks\}/([\w-]+)\.md", MONITORING))
    named |= set(re.findall(r'runbook = "([\w-]+)"', MONITORING))

    assert named <= {page.stem for page in PAGES}
    descriptions = re.findall(r"alarm_description\s+= (.+)", MONITORING)
    assert [one for one in descriptions if "local.runbooks" not in one and one != "each.value.meaning"] == []


def test_every_runbook_is_in_the_index() -> None:
    listed = set(re.findall(r"\]\(([\w-]+)\.md\)", (RUNBOOKS / "README.md").read_text(encoding="utf-8")))

    assert listed == {page.stem for page in PAGES} - {"README"}


def commands_of(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[str]:
    """A line of a table for each command."""
    for name, command in sorted(group.commands.items()):
        if isinstance(command, click.Group):
            yield from commands_of(command, (*path, name))
        else:
            yield f"| `{' '.join((*path, name))}` | {command.get_short_help_str(100)} |"


def test_operators_page_lists_every_command_as_help_does() -> None:
    add_to(cli.webordinary)
    page = (ROOT / "docs/for-operators.md").read_text(encoding="utf-8")

    listed = re.findall(r"^\| `.*", page.partition("## All commands")[2].partition("\n## ")[0], re.MULTILINE)

    assert listed == [*commands_of(cli.webordinary)]


@pytest.mark.usefixtures("bakery")
@pytest.mark.parametrize(("page", "command"), ALL)
def test_runbook_command_parses_and_runs(
    world: World,
    deployment: Deployment,
    page: str,
    command: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Commands that need real AWS fail with one line."""
    monkeypatch.setattr("sys.stdin", io.StringIO("a-token\n"))
    world.jobs.record(world.job(), "token")
    world.s3.put_object(Bucket=world.names.bucket("raw_mail"), Key="mail/mail-1", Body=b"From: ada@example.com\n\nHi")
    program, *arguments = shlex.split(command)
    assert program == "webordinary"

    status = cli.main(["--yes", *(WORDS.get(one, one) for one in arguments)], lambda _: deployment)

    captured = capsys.readouterr()
    assert status != 2, captured.err  # 2: usage error
    assert status == 0 or captured.err.count("\n") == 1
