"""`make destroy` also removes what was made while the system ran, and nothing of another environment."""

from __future__ import annotations

from tools.after_destroy import clear
from tools.environment import Environment

OTHER = "acmeprod"


def tasks(environment: Environment, family: str, count: int) -> None:
    for _ in range(count):
        environment.client("ecs").register_task_definition(
            family=family, containerDefinitions=[{"name": "worker", "image": "any", "memory": 4}]
        )


def left(environment: Environment) -> tuple[set[str], set[str], set[str]]:
    queues = environment.client("sqs").list_queues().get("QueueUrls", [])
    pages = environment.client("ssm").get_paginator("describe_parameters").paginate()
    definitions = environment.client("ecs").list_task_definitions()["taskDefinitionArns"]
    return (
        {url.rpartition("/")[2] for url in queues},
        {one["Name"] for page in pages for one in page["Parameters"]},
        {arn.rpartition("/")[2] for arn in definitions},
    )


def test_what_was_made_while_it_ran_is_removed(environment: Environment) -> None:
    for prefix in (environment.prefix, OTHER):
        for name in ("input-bakery-ada.fifo", "interrupts-bakery-ada"):
            fifo = {"FifoQueue": "true"} if name.endswith(".fifo") else {}
            environment.client("sqs").create_queue(QueueName=f"{prefix}-{name}", Attributes=fifo)
        for number in range(12):
            environment.client("ssm").put_parameter(
                Name=f"/{prefix}/projects/site-{number}/git-credential", Type="SecureString", Value="token"
            )
        tasks(environment, f"{prefix}-workers", 12)
    environment.client("ssm").put_parameter(Name=environment.model_key_parameter, Type="SecureString", Value="key")
    said: list[str] = []

    clear(environment, said.append)

    queues, parameters, definitions = left(environment)
    assert queues == {f"{OTHER}-input-bakery-ada.fifo", f"{OTHER}-interrupts-bakery-ada"}
    assert {name.split("/")[1] for name in parameters if "/projects/" in name} == {OTHER}
    assert environment.model_key_parameter in parameters
    assert {name.partition(":")[0] for name in definitions} == {f"{OTHER}-workers"}
    assert said[:3] == [
        "2 queues of pairs were removed besides.",
        "12 secrets of projects were removed besides.",
        "12 task definitions were removed besides.",
    ]
    assert environment.state_bucket in said[-1]


def test_where_nothing_was_made_only_what_stays_is_told(environment: Environment) -> None:
    said: list[str] = []

    clear(environment, said.append)

    assert len(said) == 1
