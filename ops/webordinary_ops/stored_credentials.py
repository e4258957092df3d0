"""Stores the credentials of projects' repositories as SSM parameters.

Workers read a token themselves. For a GitHub App they only see that there is one; the broker reads its key and creates
their tokens.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webordinary.contract.names import Names
from webordinary.repositories.github_app import GithubApp

if TYPE_CHECKING:
    from mypy_boto3_ssm import SSMClient


@dataclass(frozen=True)
class StoredCredentials:
    client: SSMClient
    names: Names
    kms_key_arn: str | None = None  # None: the default key, which every reader of the parameter may use

    def store(self, project_id: str, token: str, username: str) -> None:
        """Replaces the stored credential. The next git call uses it."""
        self._put("git_credential", project_id, json.dumps({"token": token, "username": username}))
        self.client.delete_parameters(Names=[self.names.project_parameter("github_app", project_id)])

    def store_app(self, project_id: str, app: GithubApp) -> None:
        """Replaces the stored credential. The key is written before the marker that refers to it."""
        self._put("github_app", project_id, app.wire_text())
        self._put("git_credential", project_id, json.dumps({"github_app": True}))

    def is_stored(self, project_id: str) -> bool:
        """Checks for the parameter without reading its value."""
        name = self.names.project_parameter("git_credential", project_id)
        pages = self.client.get_paginator("describe_parameters").paginate(
            ParameterFilters=[{"Key": "Name", "Option": "Equals", "Values": [name]}]
        )
        return any(page["Parameters"] for page in pages)  # the first page may be empty

    def forget(self, project_id: str) -> None:
        kinds = ("git_credential", "github_app")
        self.client.delete_parameters(Names=[self.names.project_parameter(kind, project_id) for kind in kinds])

    def _put(self, kind: str, project_id: str, value: str) -> None:
        key: Any = {"KeyId": self.kms_key_arn} if self.kms_key_arn else {}
        self.client.put_parameter(
            Name=self.names.project_parameter(kind, project_id),
            Description=f"Credential of the git repository of the project {project_id}.",
            Type="SecureString",
            Value=value,
            Overwrite=True,
            **key,
        )
