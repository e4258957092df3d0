"""Tokens for the repositories of projects that are opened by a GitHub App. Its key stays on this side.

A worker that holds a pair asks for one; which repository it opens is what the project's entry says, and nothing that a
worker says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from webordinary.aws import clients
from webordinary.aws.telemetry import logger
from webordinary.contract.errors import InvalidMessageError
from webordinary.contract.messages.broker import RepositoryAccess
from webordinary.contract.names import Names
from webordinary.repositories.github_app import (
    AppRefusal,
    AppRefusedError,
    GithubApp,
    GithubApps,
    GithubUnreachableError,
)
from webordinary.tables.projects import ProjectConfigs

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_ssm import SSMClient


@dataclass(frozen=True)
class RepositoryTokens:
    projects: ProjectConfigs
    names: Names
    ssm: Callable[[], SSMClient]  # made when it is needed: most workers never ask
    apps: GithubApps

    @classmethod
    def by(cls, dynamodb: DynamoDBClient, names: Names) -> Self:
        return cls(ProjectConfigs(dynamodb, names), names, clients.ssm, GithubApps())

    def open(self, project_id: str) -> RepositoryAccess:
        """A token for the project's repository, or why there is none."""
        try:
            made = self.apps.token(self._app(project_id), self.projects.project(project_id).repository)
        except AppRefusedError as error:
            logger().error(str(error), extra={"project": project_id})
            return RepositoryAccess(refusal=error.why)
        except GithubUnreachableError as error:
            logger().warning(str(error), extra={"project": project_id})
            return RepositoryAccess(unreachable=True)
        return RepositoryAccess(token=made.token, expires_at=made.expires_at)

    def _app(self, project_id: str) -> GithubApp:
        client = self.ssm()
        try:
            stored = client.get_parameter(
                Name=self.names.project_parameter("github_app", project_id), WithDecryption=True
            )
            return GithubApp.read(stored["Parameter"].get("Value", ""))
        except (client.exceptions.ParameterNotFound, InvalidMessageError) as error:
            raise AppRefusedError(AppRefusal.NO_KEY) from error
