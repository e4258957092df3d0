"""Plans of dev and prod with all features enabled, for an empty account."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from local.aws import ACCOUNT, EmulatedAws
from local.emulator.process import EmulatorProcess
from local.paths import BUILD, ROOT
from tools.bootstrap import bootstrap
from tools.environment import Environment
from tools.terraform_workspace import TerraformWorkspace

# Variables that the environments leave open, with all features enabled.
ENABLED: dict[str, Any] = {
    "package_dir": str(BUILD),
    "thread_secret": "not-a-secret-only-for-a-plan-0123456789",
    "worker_image": f"{ACCOUNT}.dkr.ecr.eu-west-1.amazonaws.com/worker@sha256:{'0' * 64}",
    "anthropic_api_key_arn": f"arn:aws:ssm:eu-west-1:{ACCOUNT}:parameter/key",
    "allowed_account_ids": [ACCOUNT],
    "own_domains": {"bakery": {"domain": "www.bakery.example.org", "served": True}},
    "preview_password_digests": {"bakery": "0" * 64},
    "sandbox_addresses": ["ada@example.com"],
    "monthly_budget_dollars": 100,
    "container_insights": True,
    "point_in_time_recovery": True,
}
KEY = f"arn:aws:kms:eu-west-1:{ACCOUNT}:key/0c5bd0f6-0000-0000-0000-000000000000"
# Only prod gets a customer-managed key and live previews, so that both variants are planned.
ENABLED_IN: dict[str, dict[str, Any]] = {"dev": {}, "prod": {"kms_key_arn": KEY, "live_previews": True}}


@dataclass(frozen=True)
class Planned:
    environment: str
    resources: list[dict[str, Any]]
    outputs: dict[str, Any]

    def of(self, *kinds: str) -> list[dict[str, Any]]:
        found = [one["values"] for one in self.resources if one["type"] in kinds]
        assert found, f"{self.environment} has no {kinds}"
        return found

    def kinds(self) -> set[str]:
        return {one["type"] for one in self.resources}


@pytest.fixture(scope="session")
def account(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmulatedAws]:
    if not (BUILD / "functions").is_dir():
        pytest.fail("No packages found. Build them with: make package TARGET=local")
    with EmulatorProcess(state=tmp_path_factory.mktemp("account"), runtime=BUILD / "runtime") as emulator:
        yield EmulatedAws(emulator.endpoint, "eu-west-1")


@pytest.fixture(scope="session", params=["dev", "prod"])
def planned(request: pytest.FixtureRequest, account: EmulatedAws, tmp_path_factory: pytest.TempPathFactory) -> Planned:
    """Planned in a temporary folder, to keep the clone's saved plan."""
    # Reset on return: other tests of this process use another account.
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**account.environment(), "AWS_EC2_METADATA_DISABLED": "true"}.items():
            patch.setenv(name, value)
        bootstrap(Environment.load(request.param), ask=lambda _: "made-up", say=lambda _: None)
        return plan(request.param, account, tmp_path_factory.mktemp(request.param))


def plan(environment: str, account: EmulatedAws, folder: Path) -> Planned:
    zone = account.client("route53").create_hosted_zone(Name="example.com", CallerReference=environment)["HostedZone"]
    workspace = TerraformWorkspace(root=ROOT, folder=folder, environment=environment)
    workspace.prepare(lambda _: None)
    enabled = {**ENABLED, **ENABLED_IN[environment]}
    variables = workspace.variables({**enabled, "sites_zone_id": zone["Id"].rpartition("/")[2]})
    workspace.run("plan", "-no-color", f"-out={folder / 'plan'}", *variables, on_line=lambda _: None)
    shown = subprocess.run(
        ["terraform", "show", "-json", str(folder / "plan")],
        cwd=workspace.configuration,
        env=workspace.process_environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    values = json.loads(shown.stdout)["planned_values"]
    outputs = {name: one.get("value") for name, one in values["outputs"].items()}
    return Planned(environment, list(_resources(values["root_module"])), outputs)


def _resources(module: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from module.get("resources", [])
    for child in module.get("child_modules", []):
        yield from _resources(child)
