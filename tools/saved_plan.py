"""The plan that was looked at is the plan that is carried out.

It is kept in the environment's own folder until it is applied, together with what the packages were. Where those have
changed since, or where Terraform finds that the state has, nothing is applied: somebody has to look again.
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
            f"The code has changed since the plan for {environment} was made, so it was not applied. "
            f"Look again: make plan ENV={environment}"
        )


@dataclass(frozen=True)
class SavedPlan:
    folder: Path
    packages: Path

    @property
    def file(self) -> Path:
        return self.folder / "kept.tfplan"

    @property
    def exists(self) -> bool:
        return self.file.is_file()

    def plan(self, workspace: TerraformWorkspace, variables: Sequence[str]) -> int:
        """Shows what would change, and keeps it for the next apply."""
        self.forget()
        given = [argument for variable in variables for argument in ("-var", variable)]
        status = workspace.show("plan", f"-out={self.file}", *workspace.variables({}), *given)
        if status == 0:
            self._note.write_text(self._fingerprint(), encoding="utf-8")
        return status

    def apply(self, workspace: TerraformWorkspace) -> int:
        """Carries out what was kept, once. It is forgotten whatever comes of it."""
        try:
            if self._note.read_text(encoding="utf-8") != self._fingerprint():
                raise StalePlanError(workspace.environment)
            return workspace.show("apply", "-input=false", f"-parallelism={PARALLELISM}", str(self.file))
        finally:
            self.forget()

    def forget(self) -> None:
        for file in (self.file, self._note):
            file.unlink(missing_ok=True)

    @property
    def _note(self) -> Path:
        return self.folder / "kept.packages"

    def _fingerprint(self) -> str:
        digest = hashlib.sha256()
        for file in sorted(self.packages.rglob("*.zip")):
            digest.update(str(file.relative_to(self.packages)).encode())
            digest.update(file.read_bytes())
        return digest.hexdigest()
