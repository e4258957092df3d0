"""Installation tokens for repositories of projects with a GitHub App. Workers never see the App's key.

The project's entry determines the repository, never the worker that requests the token.
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
from webordinary.contract.settings import Settings
from webordinary.repositories.github_app import (
    AppRefusal,
    AppRefusedError,
    GithubApp,
    GithubApps,
    GithubUnreachableError,
)
from webordinary.tables.projects import ProjectConfigs

if TYPE_CHECKING:
    from mypy_boto3_ssm import SSMClient


@dataclass(frozen=True)
class RepositoryTokens:
    projects: ProjectConfigs
    names: Names
    ssm: Callable[[], SSMClient]  # created on first use: most projects have no App
    apps: GithubApps

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(ProjectConfigs(clients.dynamodb(), settings.names), settings.names, clients.ssm, GithubApps())

    def open(self, project_id: str) -> RepositoryAccess:
        """A token for the project's repository, or the reason why there is none."""
        try:
            token = self.apps.token(self._app(project_id), self.projects.project(project_id).repository)
        except AppRefusedError as error:
            logger().error(str(error), extra={"project": project_id})
            return RepositoryAccess(refusal=error.why)
        except GithubUnreachableError as error:
            logger().warning(str(error), extra={"project": project_id})
            return RepositoryAccess(unreachable=True)
        return RepositoryAccess(token=token.token, expires_at=token.expires_at)

    def _app(self, project_id: str) -> GithubApp:
        client = self.ssm()
        try:
            stored = client.get_parameter(
                Name=self.names.project_parameter("github_app", project_id), WithDecryption=True
            )
            return GithubApp.read(stored["Parameter"].get("Value", ""))
        except (client.exceptions.ParameterNotFound, InvalidMessageError) as error:
            raise AppRefusedError(AppRefusal.NO_KEY) from error
