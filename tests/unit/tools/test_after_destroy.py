"""`make destroy` removes resources created at run time, and none of another environment."""

from __future__ import annotations

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
