"""Starting a task in ECS: which errors mean that no task was started."""

from __future__ import annotations

from typing import Any, cast

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from webordinary.aws.ecs_tasks import Capacity, Launch, TaskNotStartedError, Tasks
from webordinary.contract.settings import FleetSettings

LAUNCH = Launch("launch1", "slot-0001", Capacity.SPOT)
SETTINGS = FleetSettings.model_construct(
    account="123456789012",
    max_workers=3,
    cluster="workers",
    task_definition_arn="arn:aws:ecs:eu-west-1:123456789012:task-definition/workers:2",
    subnet_ids=["subnet-1"],
    security_group_ids=["sg-1"],
    public_addresses=True,
)


class Ecs:
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def run_task(self, **_: Any) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def run(answer: Any) -> str:
    return Tasks(cast(Any, Ecs(answer)), SETTINGS).run(LAUNCH)


def refused(code: str, status: int = 400, **more: Any) -> ClientError:
    response = {"Error": {"Code": code, "Message": "x"}, "ResponseMetadata": {"HTTPStatusCode": status}, **more}
    return ClientError(cast(Any, response), "RunTask")


@pytest.mark.parametrize(
    "answer",
    [
        {"tasks": [], "failures": [{"reason": "RESOURCE:CPU"}]},
        refused("ClientException"),  # such as the quota of vCPUs
        refused("InvalidParameterException"),
        refused("AccessDeniedException"),
    ],
    ids=["no capacity", "quota", "parameter", "permission"],
)
def test_refused_launch_started_no_task(answer: Any) -> None:
    with pytest.raises(TaskNotStartedError):
        run(answer)


@pytest.mark.parametrize(
    "answer",
    [refused("ServerException", 500), refused("ThrottlingException"), EndpointConnectionError(endpoint_url="x")],
    ids=["server", "throttled", "no answer"],
)
def test_launch_without_a_clear_answer_is_repeated(answer: Exception) -> None:
    with pytest.raises(type(answer)):
        run(answer)


def test_launch_repeated_with_a_newer_definition_finds_its_task() -> None:
    arn = "arn:aws:ecs:eu-west-1:123456789012:task/workers/0123abcd"

    assert run(refused("ConflictException", resourceIds=[arn])) == "0123abcd"
