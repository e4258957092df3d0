"""Workspaces of Terraform: links to the configuration and, for local, the overrides."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.terraform_workspace import TerraformWorkspace


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A small repository with a configuration and overrides."""
    for name in ("terraform/modules/queue/main.tf", "local/terraform_overrides/modules/queue/main_override.tf"):
        file = tmp_path / "repository" / name
        file.parent.mkdir(parents=True)
        file.write_text("")
    return tmp_path / "repository"


def files_for(environment: str, repository: Path) -> list[str]:
    workspace = TerraformWorkspace(repository, repository / ".cache" / environment, environment)
    workspace._link_files()
    return sorted(str(path.relative_to(workspace.configuration)) for path in workspace.configuration.rglob("*.tf"))


def test_local_workspace_links_overrides(repository: Path) -> None:
    assert files_for("local", repository) == ["modules/queue/main.tf", "modules/queue/main_override.tf"]


@pytest.mark.parametrize("environment", ["dev", "prod", "checks"])
def test_aws_workspace_has_no_overrides(repository: Path, environment: str) -> None:
    assert files_for(environment, repository) == ["modules/queue/main.tf"]


def test_removed_override_is_unlinked(repository: Path) -> None:
    files_for("local", repository)
    (repository / "local/terraform_overrides/modules/queue/main_override.tf").unlink()

    assert files_for("local", repository) == ["modules/queue/main.tf"]
