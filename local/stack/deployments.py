"""How a stack gets its resources: `ExampleDeployment` applies the environment `local`; tests may pass another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from local.aws import REGION
from local.page.web import SITES_DOMAIN
from local.paths import BUILD
from local.stack import example_projects, snapshots, warm_up
from tools import terraform

if TYPE_CHECKING:
    from local.stack.stack import Stack


class StackDeployment(Protocol):
    @property
    def region(self) -> str: ...

    def prepare(self) -> None:
        """What needs no emulator, for example downloads. Runs while the stack builds its packages."""

    def deploy(self, stack: Stack) -> dict[str, Any]:
        """Creates the resources in the stack's emulator. Returns at least `prefix`, `account` and `reply_from`."""

    def publish_sites(self, stack: Stack, sites: Path) -> None:
        """Publishes the built example sites before the first mail, if the deployment has them."""


class ExampleDeployment:
    """The environment `local` with the example projects and their live sites."""

    region = REGION

    def prepare(self) -> None:
        terraform.init("local")

    def deploy(self, stack: Stack) -> dict[str, Any]:
        workspace = terraform.init(
            "local",
            endpoint=stack.emulated.endpoint,
            state_dir=stack.state / "terraform",
            on_line=stack.read_terraform_line,
        )
        variables = variables_of(stack)
        snapshots.apply(
            stack.emulator,
            workspace,
            snapshots.Inputs(variables, BUILD, {"page": _sites_domain(stack)}),
            lambda: terraform.apply_in(workspace, variables, stack.read_terraform_line),
            stack.report_snapshot,
        )
        outputs = workspace.outputs()
        repositories = {project: remote.url for project, remote in stack.remotes.items()}
        example_projects.add(stack.emulated, repositories, prefix=str(outputs["prefix"]))
        return outputs

    def publish_sites(self, stack: Stack, sites: Path) -> None:
        for project, remote in stack.remotes.items():
            warm_up.publish_first_release(stack.emulated, stack.names, project, sites / project, remote.head())


def variables_of(stack: Stack) -> dict[str, Any]:
    """The Terraform variables of a stack, in addition to local.tfvars."""
    domain = _sites_domain(stack)
    return {
        "package_dir": str(BUILD),
        "max_workers": stack.settings.max_workers,
        "spare_workers": stack.settings.spare_workers,
        "model_provider": stack.settings.model_provider,
        "sites_scheme": "http",
        "sites_domain": domain,
        "preview_domain": domain,
        **stack.settings.variables,
    }


def _sites_domain(stack: Stack) -> str:
    return f"{SITES_DOMAIN}:{stack.page.port}"
