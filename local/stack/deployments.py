"""How a stack comes by what it runs on: Terraform for this machine, or an account that somebody else makes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from local.aws import REGION
from local.page.web import SITES_DOMAIN
from local.paths import BUILD
from local.stack import example_projects, warm_up
from tools import terraform

if TYPE_CHECKING:
    from local.stack.stack import Stack


class StackDeployment(Protocol):
    @property
    def region(self) -> str: ...

    def deploy(self, stack: Stack) -> dict[str, Any]:
        """Brings everything into the stack's emulator. Returns its prefix, account and address of replies, at least."""

    def publish_sites(self, stack: Stack, sites: Path) -> None:
        """Does with the built example sites what is wanted before the first mail."""


class ExampleDeployment:
    """The environment `local` with the example projects, each of which has a live site already."""

    region = REGION

    def deploy(self, stack: Stack) -> dict[str, Any]:
        outputs = terraform.apply(
            environment="local",
            endpoint=stack.emulated.endpoint,
            state_dir=stack.state / "terraform",
            variables=variables_of(stack),
            on_line=stack.read_terraform_line,
        )
        repositories = {project: remote.url for project, remote in stack.remotes.items()}
        example_projects.add(stack.emulated, repositories, prefix=str(outputs["prefix"]))
        return outputs

    def publish_sites(self, stack: Stack, sites: Path) -> None:
        for project, remote in stack.remotes.items():
            warm_up.publish(stack.emulated, stack.names, project, sites / project, remote.head())


def variables_of(stack: Stack) -> dict[str, Any]:
    """What Terraform is told about a stack besides the file of its environment."""
    domain = f"{SITES_DOMAIN}:{stack.page.port}"
    return {
        "package_dir": str(BUILD),
        "max_workers": stack.settings.max_workers,
        "spare_workers": stack.settings.spare_workers,
        "sites_scheme": "http",
        "sites_domain": domain,
        "preview_domain": domain,
        **stack.settings.variables,
    }
