"""Applies the local environment with python-terraform, against an emulator, once for all tests that need it."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from python_terraform import IsFlagged, Terraform  # type: ignore[import-untyped]

from local.aws import EmulatedAws
from local.emulator.process import EmulatorProcess
from local.stack import example_projects
from tools import terraform
from tools.terraform_workspace import PARALLELISM, TerraformWorkspace

VARIABLES = "environments/local.tfvars"
NO_CHANGES, CHANGES = 0, 2
WILL_CHANGE = re.compile(r"^  # (\S+) (?:will be|must be)", re.MULTILINE)


class TerraformError(Exception):
    """Terraform failed; the text is what it said."""


@dataclass(frozen=True)
class AppliedStack:
    """What `terraform apply` made, and the emulator in which it is."""

    emulator: EmulatorProcess
    outputs: dict[str, Any]
    workspace: TerraformWorkspace
    program: Terraform

    def client(self, service: str) -> Any:
        return self.emulator.client(service)

    def changes(self, **variables: Any) -> list[str]:
        """The addresses of what a plan would change now, with these variables over those of the environment."""
        assert self.workspace.state_dir is not None
        over = self.workspace.state_dir / "over.tfvars.json"  # a file: the last one wins, single variables do not
        over.write_text(json.dumps(variables), encoding="utf-8")
        files = [VARIABLES, str(over)]
        status, said, complaint = _call(self.workspace, self.program.plan, detailed_exitcode=IsFlagged, var_file=files)
        if status == NO_CHANGES:
            return []
        if status != CHANGES:
            raise TerraformError(complaint)
        return WILL_CHANGE.findall(said)


def apply(emulator: EmulatorProcess, packages: Path, folder: Path) -> AppliedStack:
    workspace = terraform.init("local", endpoint=emulator.endpoint, state_dir=folder)
    program = Terraform(
        working_dir=str(workspace.configuration),
        state=str(folder / "terraform.tfstate"),
        var_file=[VARIABLES],
        parallelism=PARALLELISM,
    )
    with patch.dict(os.environ, {"TF_VAR_package_dir": str(packages)}):
        status, _, complaint = _call(workspace, program.apply, skip_plan=True)
    if status != 0:
        raise TerraformError(complaint)
    example_projects.add(EmulatedAws(emulator.endpoint))
    return AppliedStack(emulator, workspace.outputs(), workspace, program)


def _call(workspace: TerraformWorkspace, command: Any, **options: Any) -> tuple[int, str, str]:
    """python-terraform hands its process's whole environment on, so it gets the workspace's for the moment."""
    with patch.dict(os.environ, workspace.process_environment(), clear=True):
        status, said, complaint = command(**{name: value for name, value in options.items() if value is not None})
    return status, said, complaint
