"""What Terraform gets from the account, and what an apply says at its end."""

from __future__ import annotations

import os

import pytest

from tests.unit.tools.conftest import EnvironmentInMemory
from tools import terraform
from tools.bootstrap import bootstrap


def account_variables(environment: EnvironmentInMemory, monkeypatch: pytest.MonkeyPatch, key: str) -> dict[str, str]:
    monkeypatch.setattr(os, "environ", {name: v for name, v in os.environ.items() if not name.startswith("TF_VAR_")})
    bootstrap(environment, lambda _: key, lambda _: None)
    environment.client("ssm").put_parameter(Name="/acme/worker-image", Type="String", Value="image@sha256:1")
    terraform._set_account_variables(environment, [])
    return {name: value for name, value in os.environ.items() if name.startswith("TF_VAR_")}


def test_stored_model_key_is_passed_by_its_arn(
    environment: EnvironmentInMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    variables = account_variables(environment, monkeypatch, "a key")

    assert variables["TF_VAR_anthropic_api_key_arn"].endswith(":parameter/acme/anthropic-api-key")


def test_missing_model_key_is_not_referenced(
    environment: EnvironmentInMemory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    variables = account_variables(environment, monkeypatch, "")

    assert "TF_VAR_anthropic_api_key_arn" not in variables
    assert "make bootstrap ENV=dev" in capsys.readouterr().err


def test_apply_ends_with_the_records_and_the_next_command() -> None:
    record = {"name": "*.sites.bakery.dev", "type": "CNAME", "value": "d1.cloudfront.net"}
    step = "Then set sites_online = true"

    shown = terraform.next_step({"site_dns_records": [record], "dns_records": [], "next_step": step})

    assert "*.sites.bakery.dev  CNAME  d1.cloudfront.net" in shown
    assert shown.endswith(step)


def test_finished_apply_ends_with_the_doctor() -> None:
    assert terraform.next_step({"environment": "prod"}).endswith("make doctor ENV=prod")
