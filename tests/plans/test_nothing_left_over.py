"""The walk finds remaining resources, and destroy removes those created at run time."""

from __future__ import annotations

import pytest

from local.aws import EmulatedAws
from tests.walk.left_over import left_over
from tools.after_destroy import remove_unmanaged
from tools.bootstrap import bootstrap
from tools.environment import Environment

PREFIX = "webordinarydev"


@pytest.fixture
def environment(account: EmulatedAws, monkeypatch: pytest.MonkeyPatch) -> Environment:
    for name, value in account.environment().items():
        monkeypatch.setenv(name, value)
    found = Environment.load("dev")
    bootstrap(found, ask=lambda _: "made-up", say=lambda _: None)
    return found


def test_run_time_resources_are_found_and_removed(account: EmulatedAws, environment: Environment) -> None:
    assert left_over(account, PREFIX) == []  # without the resources of bootstrap

    account.client("sqs").create_queue(QueueName=f"{PREFIX}-input-bakery-ada.fifo", Attributes={"FifoQueue": "true"})
    account.client("ssm").put_parameter(
        Name=f"/{PREFIX}/projects/bakery/git-credential", Type="SecureString", Value="token"
    )
    account.client("ecs").register_task_definition(
        family=f"{PREFIX}-workers", containerDefinitions=[{"name": "worker", "image": "any", "memory": 4}]
    )
    account.client("logs").create_log_group(logGroupName=f"/{PREFIX}/workers")
    account.client("ecs").create_cluster(clusterName=f"{PREFIX}-workers")
    assert [one.partition(" ")[0] for one in left_over(account, PREFIX)] == ["ecs", "ecs", "logs", "sqs", "ssm"]
    account.client("ecs").delete_cluster(cluster=f"{PREFIX}-workers")

    remove_unmanaged(environment, lambda _: None)

    assert [one.partition(" ")[0] for one in left_over(account, PREFIX)] == ["logs"]  # which is Terraform's matter
    account.client("logs").delete_log_group(logGroupName=f"/{PREFIX}/workers")
