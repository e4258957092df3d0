"""Terraform for the local environment: its error without an emulator, and its import rule."""

import re
from pathlib import Path

import pytest

from local.paths import ROOT
from local.stack import terraform


@pytest.mark.parametrize("command", ["destroy", "output"])
def test_command_without_emulator_names_make_apply(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(terraform, "RUNS", tmp_path)
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)

    assert terraform.main([command]) == 1
    assert capsys.readouterr().err == (
        "No local environment exists: no emulator is running. Run make apply ENV=local first.\n"
    )


def test_tools_do_not_import_the_local_stack() -> None:
    imports = re.compile(r"^\s*(?:from|import)\s+local\b", re.MULTILINE)

    assert [file.name for file in (ROOT / "tools").glob("*.py") if imports.search(file.read_text())] == []
