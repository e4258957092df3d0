"""Settings of the worker: its id, its users, and the environment it passes on."""

from __future__ import annotations

import pytest

from webordinary.contract.errors import SettingsError
from webordinary_worker.confinement.limits import Limits
from webordinary_worker.settings import METADATA_URI, WorkerSettings, find_container_id

ENVIRONMENT = {
    "WEBORDINARY_ACCOUNT": "123456789012",
    "WEBORDINARY_WORKSPACE": "/workspace",
    "WEBORDINARY_CACHE": "/cache",
    "WEBORDINARY_NODE_FOLDER": "/node",
    "WEBORDINARY_CONTAINER_ID": "worker-1",
    "WEBORDINARY_SLOT": "slot-0001",
    "WEBORDINARY_LAUNCH_ID": "launch1",
}


def test_container_id_on_ecs_is_the_task_id() -> None:
    def task_arn(_: str) -> str:
        return "arn:aws:ecs:eu-west-1:123456789012:task/webordinary/0123abcd"

    assert find_container_id({METADATA_URI: "http://metadata"}, task_arn) == "0123abcd"


def test_container_ids_of_one_machine_differ() -> None:
    assert find_container_id({}) != find_container_id({})


def test_aws_credentials_are_not_passed_on() -> None:
    settings = WorkerSettings.load({**ENVIRONMENT, "AWS_SECRET_ACCESS_KEY": "secret", "ANTHROPIC_API_KEY": "key"})

    assert settings.model_environment == {"ANTHROPIC_API_KEY": "key"}
    assert settings.network_environment == {}


def test_a_missing_setting_is_named() -> None:
    with pytest.raises(SettingsError, match="WEBORDINARY_WORKSPACE"):
        WorkerSettings.load({**ENVIRONMENT, "WEBORDINARY_WORKSPACE": ""})


def test_limits_are_read_from_json_with_defaults() -> None:
    settings = WorkerSettings.load({**ENVIRONMENT, "WEBORDINARY_LIMITS": '{"processes": 7}'})

    assert (settings.limits.processes, settings.limits.open_files) == (7, Limits().open_files)


def test_site_user_defaults_to_the_agents_user() -> None:
    users = [
        WorkerSettings.load({**ENVIRONMENT, **given}).site_user
        for given in ({}, {"WEBORDINARY_AGENT_UID": "7"}, {"WEBORDINARY_AGENT_UID": "7", "WEBORDINARY_SITE_UID": "8"})
    ]

    assert users == [None, 7, 8]
