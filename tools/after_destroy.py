"""What Terraform did not make and so does not remove: pairs' queues, projects' secrets, and older task definitions.

They are removed once everything that could make them anew is gone. What `make bootstrap` made stays: the state's bucket
tells what there was, and the images may be wanted again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tools.environment import Environment

CONTRACT = Path(__file__).resolve().parent.parent / "layers/webordinary/python/webordinary/contract/contract.json"
AT_ONCE = 10  # what SSM and ECS take in one call

Say = Callable[[str], None]


def clear(environment: Environment, say: Say) -> None:
    removed = {
        "queues of pairs": _queues(environment),
        "secrets of projects": _parameters(environment),
        "task definitions": _task_definitions(environment),
    }
    for what, count in removed.items():
        if count:
            say(f"{count} {what} were removed besides.")
    say(
        f"What make bootstrap made is still there: the bucket {environment.state_bucket}, the repository "
        f"{environment.image_repository} and the parameters below /{environment.prefix}/."
    )


def _queues(environment: Environment) -> int:
    sqs, templates = environment.client("sqs"), _contract()["queues"]
    found: list[str] = []
    for template in (templates["input"], templates["interrupts"]):
        start = template.partition("${project}")[0].replace("${prefix}", environment.prefix)
        pages = sqs.get_paginator("list_queues").paginate(QueueNamePrefix=start)
        found += [url for page in pages for url in page.get("QueueUrls", [])]
    for url in found:
        sqs.delete_queue(QueueUrl=url)
    return len(found)


def _parameters(environment: Environment) -> int:
    ssm = environment.client("ssm")
    folder = _contract()["parameters"]["git_credential"].partition("${project}")[0]
    pages = ssm.get_paginator("get_parameters_by_path").paginate(
        Path=folder.replace("${prefix}", environment.prefix), Recursive=True
    )
    found = [parameter["Name"] for page in pages for parameter in page["Parameters"]]
    for names in _in_parts(found):
        ssm.delete_parameters(Names=names)
    return len(found)


def _task_definitions(environment: Environment) -> int:
    ecs, family = environment.client("ecs"), f"{environment.prefix}-workers"
    pages = ecs.get_paginator("list_task_definitions").paginate(familyPrefix=family, status="ACTIVE")
    found = [arn for page in pages for arn in page["taskDefinitionArns"]]
    for arn in found:
        ecs.deregister_task_definition(taskDefinition=arn)
    for arns in _in_parts(found):
        ecs.delete_task_definitions(taskDefinitions=arns)
    return len(found)


def _in_parts(things: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(things), AT_ONCE):
        yield list(things[start : start + AT_ONCE])


def _contract() -> Any:
    return json.loads(CONTRACT.read_text(encoding="utf-8"))
