"""Build options of a project."""

from __future__ import annotations

import json
from typing import Any

import boto3
import pytest
from moto import mock_aws

from webordinary.contract.errors import InvalidMessageError
from webordinary.contract.names import Names
from webordinary.tables.projects import ProjectConfig
from webordinary_worker.site.options import BuildSecretsError, SiteOptions

NAMES = Names("webordinary", "123456789012")
ENTRY = {"projectId": "bakery", "domain": "bakery.example.com", "repository": "x", "previewUrl": "https://x"}


def options(stored: str | None = None, **given: Any) -> SiteOptions:
    with mock_aws():
        client = boto3.client("ssm", region_name="us-east-1")
        if stored is not None:
            name = NAMES.project_parameter("build_environment", "bakery")
            client.put_parameter(Name=name, Value=stored, Type="SecureString", Overwrite=True)
        return SiteOptions.from_project(ProjectConfig.read({**ENTRY, **given}), client, NAMES)


def test_default_options_are_root_folder_and_no_network() -> None:
    assert options() == SiteOptions(folder="", hosts=(), environment={})


def test_plain_and_secret_values_are_merged() -> None:
    secret = json.dumps({"TOKEN": "secret"})

    given = options(secret, buildEnvironment={"PUBLIC_SHOP": "open"}, buildSecrets=True)

    assert given.environment == {"PUBLIC_SHOP": "open", "TOKEN": "secret"}


def test_secrets_are_read_only_if_enabled() -> None:
    assert options(json.dumps({"TOKEN": "secret"})).environment == {}


def test_invalid_secrets_are_not_leaked_in_the_error() -> None:
    with pytest.raises(BuildSecretsError) as refused:
        options('{"TOKEN": ["secret-value"]}', buildSecrets=True)
    assert "secret-value" not in str(refused.value)


@pytest.mark.parametrize(
    "invalid",
    [
        {"folder": "../other"},
        {"folder": "/etc"},
        {"folder": "web/../../x"},
        {"buildHosts": ["http://example.com"]},
        {"buildHosts": ["*"]},
        {"buildHosts": ["10.0.0.1"]},
        {"buildEnvironment": {"lower": "x"}},
        {"buildEnvironment": {"WITH SPACE": "x"}},
    ],
)
def test_invalid_options_are_rejected(invalid: dict[str, Any]) -> None:
    with pytest.raises(InvalidMessageError):
        options(None, **invalid)


@pytest.mark.parametrize("host", ["all", "api.example.com", "*.example.com"])
def test_valid_hosts_are_accepted(host: str) -> None:
    assert options(buildHosts=[host]).hosts == (host,)
