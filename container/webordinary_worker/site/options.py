"""Build options of a project: folder of the site, allowed hosts, environment variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from webordinary.contract.errors import WebordinaryError
from webordinary.contract.names import Names
from webordinary.tables.projects import ProjectConfig

if TYPE_CHECKING:
    from mypy_boto3_ssm import SSMClient

_VALUES = TypeAdapter(dict[str, str])


class BuildSecretsError(WebordinaryError):
    """The parameter with a project's build secrets is invalid."""

    def __init__(self, parameter: str) -> None:
        super().__init__(f"invalid build secrets: {parameter} must be a JSON object of strings; nothing is built")


@dataclass(frozen=True)
class SiteOptions:
    folder: str = ""
    hosts: tuple[str, ...] = ()  # allowed for its build
    environment: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)  # those of the environment

    @classmethod
    def from_project(cls, project: ProjectConfig, client: SSMClient, names: Names) -> SiteOptions:
        """Secret values come from an SSM parameter. Only the build gets them, never the agent."""
        secrets: dict[str, str] = {}
        if project.build_secrets:
            secrets = _read(client, names.project_parameter("build_environment", project.project_id))
        return cls(project.folder, project.build_hosts, {**project.build_environment, **secrets}, secrets)


def _read(client: SSMClient, parameter: str) -> dict[str, str]:
    value = client.get_parameter(Name=parameter, WithDecryption=True)["Parameter"]["Value"]
    try:
        return _VALUES.validate_json(value)
    except ValidationError:
        raise BuildSecretsError(parameter) from None  # its text contains the values
