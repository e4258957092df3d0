"""Removes resources that Terraform does not manage: pair queues, project secrets, old task definitions, and the
function at the edge with its log groups.

This runs after `terraform destroy`, when nothing can recreate them. The resources of `make bootstrap` are kept: the
state bucket holds the history, and the images may be needed again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from tools.environment import Environment

CONTRACT = Path(__file__).resolve().parent.parent / "layers/webordinary/python/webordinary/contract/contract.json"
EDGE_REGION = "us-east-1"
BATCH_SIZE = 10  # limit of SSM and ECS per call

Say = Callable[[str], None]


def remove_unmanaged(environment: Environment, say: Say) -> None:
    removed = {
        "pair queues": _remove_queues(environment),
        "project secrets": _remove_parameters(environment),
        "task definitions": _remove_task_definitions(environment),
        "log groups of the edge": _remove_edge_logs(environment),
    }
    for kind, count in removed.items():
        if count:
            say(f"Also removed {count} {kind}.")
    if not _remove_edge_function(environment):
        say(
            f"The function {environment.edge_function} is still replicated at the edge. AWS deletes the replicas some "
            f"hours after the distributions; then run this again: make destroy ENV={environment.name}"
        )
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


def _remove_edge_function(environment: Environment) -> bool:
    """False while CloudFront keeps replicas of it."""
    functions = environment.client("lambda", EDGE_REGION)
    try:
        functions.delete_function(FunctionName=environment.edge_function)
    except ClientError as error:
        return bool(error.response["Error"]["Code"] == "ResourceNotFoundException")
    return True


def _remove_edge_logs(environment: Environment) -> int:
    """The function logs in the region nearest to each viewer."""
    name = f"/aws/lambda/{EDGE_REGION}.{environment.edge_function}"
    return sum(_remove_log_group(environment, region, name) for region in environment.log_regions())


def _remove_log_group(environment: Environment, region: str, name: str) -> bool:
    try:
        environment.client("logs", region).delete_log_group(logGroupName=name)
    except (ClientError, BotoCoreError):
        return False  # it does not exist, or the region is not enabled
    return True


def _batches(names: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(names), BATCH_SIZE):
        yield list(names[start : start + BATCH_SIZE])


def _contract() -> Any:
    return json.loads(CONTRACT.read_text(encoding="utf-8"))
