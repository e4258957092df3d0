"""Applies the local environment to an emulator with python-terraform, once per session."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from python_terraform import IsFlagged, Terraform  # type: ignore[import-untyped]

from local.aws import EmulatedAws
from local.emulator.process import EmulatorProcess
from local.stack import example_projects, snapshots
from tools import terraform
from tools.errors import SetupError
from tools.terraform_workspace import PARALLELISM, TerraformWorkspace

VARIABLES = "environments/local.tfvars"
NO_CHANGES, CHANGES = 0, 2
WILL_CHANGE = re.compile(r"^  # (\S+) (?:will be|must be)", re.MULTILINE)


class TerraformError(SetupError):
    """Terraform failed; the text is its output."""


@dataclass(frozen=True)
class AppliedStack:
    """The result of `terraform apply`, and its emulator."""

    emulator: EmulatorProcess
    outputs: dict[str, Any]
    workspace: TerraformWorkspace
    program: Terraform

    def client(self, service: str) -> Any:
        return self.emulator.client(service)

    def changes(self, **variables: Any) -> list[str]:
        """The addresses that a plan with these variables would change."""
        assert self.workspace.state_dir is not None
        overrides = self.workspace.state_dir / "overrides.tfvars.json"  # a file: the last file wins, -var would not
        overrides.write_text(json.dumps(variables), encoding="utf-8")
        files = [VARIABLES, str(overrides)]
        status, output, error = _call(self.workspace, self.program.plan, detailed_exitcode=IsFlagged, var_file=files)
        if status == NO_CHANGES:
            return []
        if status != CHANGES:
            raise TerraformError(error)
        return WILL_CHANGE.findall(output)


def apply(
    emulator: EmulatorProcess,
    packages: Path,
    folder: Path,
    *,
    report: Callable[[str], None] = lambda _text: None,
    snapshots_in: Path = snapshots.FOLDER,
) -> AppliedStack:
    """Applies with `folder` for the state. `report` gets what happens to the snapshot, if there is one."""
    workspace = terraform.init("local", endpoint=emulator.endpoint, state_dir=folder)
    program = Terraform(
        working_dir=str(workspace.configuration),
        state=str(folder / "terraform.tfstate"),
        var_file=[VARIABLES],
        parallelism=PARALLELISM,
    )

    def run() -> list[str]:
        with patch.dict(os.environ, {"TF_VAR_package_dir": str(packages)}):
            status, output, error = _call(workspace, program.apply, skip_plan=True, no_color=IsFlagged)
        if status != 0:
            raise TerraformError(error)
        return output.splitlines()

    inputs = snapshots.Inputs({"package_dir": str(packages)}, packages)
    snapshots.apply(emulator, workspace, inputs, run, report, snapshots_in)
    example_projects.add(EmulatedAws(emulator.endpoint))
    return AppliedStack(emulator, workspace.outputs(), workspace, program)


def _call(workspace: TerraformWorkspace, command: Any, **options: Any) -> tuple[int, str, str]:
    """Sets the workspace's environment, because python-terraform passes on os.environ."""
    with patch.dict(os.environ, workspace.process_environment(), clear=True):
        status, output, error = command(**{name: value for name, value in options.items() if value is not None})
    return status, output, error
