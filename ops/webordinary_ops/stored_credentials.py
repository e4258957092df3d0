"""What opens a project's repository, kept as a secret that only the project's own workers can read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webordinary.platform.names import Names

if TYPE_CHECKING:
    from mypy_boto3_ssm import SSMClient


@dataclass(frozen=True)
class StoredCredentials:
    client: SSMClient
    names: Names

    def store(self, project_id: str, token: str, username: str) -> None:
        """Replaces what was there. The next git call uses it."""
        self.client.put_parameter(
            Name=self._name(project_id),
            Description=f"Opens the git repository of the project {project_id}.",
            Type="SecureString",
            Value=json.dumps({"token": token, "username": username}),
            Overwrite=True,
        )

    def is_stored(self, project_id: str) -> bool:
        """Without reading it."""
        name = self._name(project_id)
        answer = self.client.describe_parameters(
            ParameterFilters=[{"Key": "Name", "Option": "Equals", "Values": [name]}]
        )
        return bool(answer["Parameters"])

    def forget(self, project_id: str) -> None:
        self.client.delete_parameters(Names=[self._name(project_id)])

    def _name(self, project_id: str) -> str:
        return self.names.project_parameter("git_credential", project_id)
