"""`make destroy` removes resources created at run time, and none of another environment."""

from __future__ import annotations

import pytest

from tests.unit.tools.conftest import Answers, EnvironmentInMemory
from tools.after_destroy import remove_unmanaged
from tools.environment import Environment

OTHER = "acmeprod"


def register_tasks(environment: Environment, family: str, count: int) -> None:
    for _ in range(count):
        environment.client("ecs").register_task_definition(
            family=family, containerDefinitions=[{"name": "worker", "image": "any", "memory": 4}]
        )


def remaining(environment: Environment) -> tuple[set[str], set[str], set[str]]:
    queues = environment.client("sqs").list_queues().get("QueueUrls", [])
    pages = environment.client("ssm").get_paginator("describe_parameters").paginate()
    definitions = environment.client("ecs").list_task_definitions()["taskDefinitionArns"]
    return (
        {url.rpartition("/")[2] for url in queues},
        {one["Name"] for page in pages for one in page["Parameters"]},
        {arn.rpartition("/")[2] for arn in definitions},
    )


def test_destroy_removes_queues_secrets_and_task_definitions(environment: Environment) -> None:
    for prefix in (environment.prefix, OTHER):
        for name in ("input-bakery-ada.fifo", "interrupts-bakery-ada"):
            fifo = {"FifoQueue": "true"} if name.endswith(".fifo") else {}
            environment.client("sqs").create_queue(QueueName=f"{prefix}-{name}", Attributes=fifo)
        for number in range(12):
            environment.client("ssm").put_parameter(
                Name=f"/{prefix}/projects/site-{number}/git-credential", Type="SecureString", Value="token"
            )
        register_tasks(environment, f"{prefix}-workers", 12)
    environment.client("ssm").put_parameter(Name=environment.model_key_parameter, Type="SecureString", Value="key")
    lines: list[str] = []

    remove_unmanaged(environment, lines.append)

    queues, parameters, definitions = remaining(environment)
    assert queues == {f"{OTHER}-input-bakery-ada.fifo", f"{OTHER}-interrupts-bakery-ada"}
    assert {name.split("/")[1] for name in parameters if "/projects/" in name} == {OTHER}
    assert environment.model_key_parameter in parameters
    assert {name.partition(":")[0] for name in definitions} == {f"{OTHER}-workers"}
    assert lines[:3] == [
        "Also removed 2 pair queues.",
        "Also removed 12 project secrets.",
        "Also removed 12 task definitions.",
    ]
    assert environment.state_bucket in lines[-1]


def test_destroy_of_unused_environment_reports_kept_resources(environment: Environment) -> None:
    lines: list[str] = []

    remove_unmanaged(environment, lines.append)

    assert len(lines) == 1


def edge_function(environment: EnvironmentInMemory, error: str | None) -> None:
    functions = Answers(delete_function=error if error else {})
    environment.stand_ins["lambda"] = functions


def test_destroy_says_when_the_edge_function_is_still_replicated(environment: EnvironmentInMemory) -> None:
    edge_function(environment, "InvalidParameterValueException")
    lines: list[str] = []

    remove_unmanaged(environment, lines.append)

    assert any("acme-missing-pages is still replicated" in line and "make destroy ENV=dev" in line for line in lines)


@pytest.mark.parametrize("error", [None, "ResourceNotFoundException"])
def test_destroy_is_quiet_about_a_deleted_edge_function(environment: EnvironmentInMemory, error: str | None) -> None:
    edge_function(environment, error)
    lines: list[str] = []

    remove_unmanaged(environment, lines.append)

    assert not any("replicated" in line for line in lines)


def test_destroy_removes_the_logs_of_the_edge_in_every_region(environment: EnvironmentInMemory) -> None:
    name = "/aws/lambda/us-east-1.acme-missing-pages"
    for region in ("eu-west-1", "ap-southeast-2"):
        environment.client("logs", region).create_log_group(logGroupName=name)
        environment.client("logs", region).create_log_group(logGroupName="/aws/lambda/us-east-1.acmeprod-missing-pages")
    lines: list[str] = []

    remove_unmanaged(environment, lines.append)

    assert "Also removed 2 log groups of the edge." in lines
    for region in ("eu-west-1", "ap-southeast-2"):
        assert len(environment.client("logs", region).describe_log_groups()["logGroups"]) == 1
