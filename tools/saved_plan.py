"""Saves a reviewed plan, so that apply executes exactly that plan.

The plan is saved in the environment's folder with a fingerprint of the packages. If the packages or the Terraform state
have changed since, apply fails and a new plan is needed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.errors import SetupError
from tools.terraform_workspace import PARALLELISM, TerraformWorkspace


class StalePlanError(SetupError):
    def __init__(self, environment: str) -> None:
        super().__init__(
            f"The code has changed since the plan for {environment} was saved; nothing was applied. "
            f"Create a new plan: make plan ENV={environment}"
        )


@dataclass(frozen=True)
class SavedPlan:
    folder: Path
    packages: Path

    @property
    def file(self) -> Path:
        return self.folder / "saved.tfplan"

    @property
    def exists(self) -> bool:
        return self.file.is_file()

    def plan(self, workspace: TerraformWorkspace, variables: Sequence[str]) -> int:
        """Shows the changes, and saves the plan for the next apply."""
        self.delete()
        given = [argument for variable in variables for argument in ("-var", variable)]
        status = workspace.show("plan", f"-out={self.file}", *workspace.variables({}), *given)
        if status == 0:
            self._fingerprint_file.write_text(self._fingerprint(), encoding="utf-8")
        return status

    def apply(self, workspace: TerraformWorkspace) -> int:
        """Applies the saved plan and deletes it, also on failure."""
        try:
            if self._fingerprint_file.read_text(encoding="utf-8") != self._fingerprint():
                raise StalePlanError(workspace.environment)
            return workspace.show("apply", "-input=false", f"-parallelism={PARALLELISM}", str(self.file))
        finally:
            self.delete()

    def delete(self) -> None:
        for file in (self.file, self._fingerprint_file):
            file.unlink(missing_ok=True)

    @property
    def _fingerprint_file(self) -> Path:
        return self.folder / "saved.packages"

    def _fingerprint(self) -> str:
        digest = hashlib.sha256()
        for file in sorted(self.packages.rglob("*.zip")):
            digest.update(str(file.relative_to(self.packages)).encode())
            digest.update(file.read_bytes())
        return digest.hexdigest()
