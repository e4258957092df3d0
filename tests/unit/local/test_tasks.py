"""ECS tasks on this machine: orders, metadata endpoints and event patterns."""

from __future__ import annotations

import json
from types import SimpleNamespace
from urllib.request import urlopen

import pytest

from local.aws import EmulatedAws
from local.ecs.task_endpoints import Task, TaskEndpoints
from local.ecs.task_events import matches
from local.emulator.task_agent import Order, TaskAgent

ARN = "arn:aws:ecs:us-east-1:123456789012:task/workers/0123abcd"
TASK = Task(ARN, "cluster", "arn:aws:ecs:us-east-1:123456789012:task-definition/workers:7", "worker", "role", {})


def test_order_merges_environment_of_definition_and_call() -> None:
    orders: list[Order] = []
    container = {"name": "worker", "environment": [{"name": "A", "value": "1"}, {"name": "B", "value": "1"}]}
    overrides = {"containerOverrides": [{"name": "worker", "environment": [{"name": "B", "value": "2"}]}]}
    task = SimpleNamespace(task_arn=ARN, cluster_arn="c", task_definition_arn="d", overrides=overrides)

    TaskAgent(orders.append).start(task, SimpleNamespace(container_definitions=[container], task_role_arn="role"))

    assert Task.from_order(orders[0]).environment == {"A": "1", "B": "2"}


def test_metadata_endpoint_describes_the_task() -> None:
    endpoints = TaskEndpoints(EmulatedAws("http://127.0.0.1:1"))
    endpoints.start()
    try:
        address = endpoints.environment_of(TASK)["ECS_CONTAINER_METADATA_URI_V4"]
        with urlopen(f"{address}/task") as response:  # noqa: S310 (this machine)
            metadata = json.load(response)
    finally:
        endpoints.stop()

    assert (metadata["TaskARN"], metadata["Family"], metadata["Revision"]) == (ARN, "workers", "7")


def test_unknown_task_has_no_document() -> None:
    endpoints = TaskEndpoints(EmulatedAws("http://127.0.0.1:1"))

    assert endpoints.document("/v2/credentials/other") is None


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ({"source": ["aws.ecs"], "detail": {"desiredStatus": ["STOPPED"]}}, True),
        ({"source": ["aws.ecs"], "detail": {"desiredStatus": ["RUNNING"]}}, False),
        ({"source": ["aws.s3"]}, False),
        ({"source": ["aws.ecs"], "resources": {"one": ["x"]}}, False),
    ],
)
def test_event_pattern_matches_listed_values(pattern: dict[str, object], expected: bool) -> None:
    assert matches(pattern, {"source": "aws.ecs", "detail": {"desiredStatus": "STOPPED"}}) is expected
