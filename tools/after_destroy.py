"""Removes resources that Terraform does not manage: pair queues, project secrets and old task definitions.

This runs after `terraform destroy`, when nothing can recreate them. The resources of `make bootstrap` are kept: the
state bucket holds the history, and the images may be needed again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tools.environment import Environment

CONTRACT = Path(__file__).resolve().parent.parent / "layers/webordinary/python/webordinary/contract/contract.json"
BATCH_SIZE = 10  # limit of SSM and ECS per call

Say = Callable[[str], None]


def remove_unmanaged(environment: Environment, say: Say) -> None:
    removed = {
        "pair queues": _remove_queues(environment),
        "project secrets": _remove_parameters(environment),
        "task definitions": _remove_task_definitions(environment),
    }
    for kind, count in removed.items():
        if count:
            say(f"Also removed {count} {kind}.")
    say(
        f"Kept the resources of make bootstrap: the bucket {environment.state_bucket}, the repository "
        f"{environment.image_repository} and the parameters under /{environment.prefix}/."
    )


def _remove_queues(environment: Environment) -> int:
    sqs, templates = environment.client("sqs"), _contract()["queues"]
    found: list[str] = []
    for template in (templates["input"], templates["interrupts"]):
        start = template.partition("${project}")[0].replace("${prefix}", environment.prefix)
        pages = sqs.get_paginator("list_queues").paginate(QueueNamePrefix=start)
        found += [url for page in pages for url in page.get("QueueUrls", [])]
    for url in found:
        sqs.delete_queue(QueueUrl=url)
    return len(found)


def _remove_parameters(environment: Environment) -> int:
    ssm = environment.client("ssm")
    folder = _contract()["parameters"]["git_credential"].partition("${project}")[0]
    pages = ssm.get_paginator("get_parameters_by_path").paginate(
        Path=folder.replace("${prefix}", environment.prefix), Recursive=True
    )
    found = [parameter["Name"] for page in pages for parameter in page["Parameters"]]
    for names in _batches(found):
        ssm.delete_parameters(Names=names)
    return len(found)


def _remove_task_definitions(environment: Environment) -> int:
    ecs, family = environment.client("ecs"), f"{environment.prefix}-workers"
    pages = ecs.get_paginator("list_task_definitions").paginate(familyPrefix=family, status="ACTIVE")
    found = [arn for page in pages for arn in page["taskDefinitionArns"]]
    for arn in found:
        ecs.deregister_task_definition(taskDefinition=arn)
    for arns in _batches(found):
        ecs.delete_task_definitions(taskDefinitions=arns)
    return len(found)


def _batches(names: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(names), BATCH_SIZE):
        yield list(names[start : start + BATCH_SIZE])


def _contract() -> Any:
    return json.loads(CONTRACT.read_text(encoding="utf-8"))
