"""Starts, describes and stops worker tasks in ECS."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from webordinary.contract.errors import WebordinaryError
from webordinary.contract.settings import FleetSettings

if TYPE_CHECKING:
    from mypy_boto3_ecs import ECSClient
    from mypy_boto3_ecs.type_defs import RunTaskResponseTypeDef, TaskTypeDef

CONTAINER = "worker"  # the container's name in the task definition
DESCRIBED_AT_ONCE = 100
# Nothing was started, but the same launch may succeed when it is repeated.
THROTTLED = ("ThrottlingException", "Throttling", "TooManyRequestsException", "RequestLimitExceeded")
SERVER_ERROR = 500
# The containers have stopped; only the network interface is still being removed.
ENDED = ("DEPROVISIONING", "STOPPED")


class Capacity(StrEnum):
    ON_DEMAND = "FARGATE"
    SPOT = "FARGATE_SPOT"


class TaskState(StrEnum):
    RUNNING = "running"  # or starting
    UNHEALTHY = "unhealthy"  # its health check fails: it makes no progress
    ENDED = "ended"


@dataclass(frozen=True)
class Launch:
    """One start of a worker. Its id is the client token, so ECS starts one task however often it is requested."""

    launch_id: str
    slot: str
    capacity: Capacity


class TaskNotStartedError(WebordinaryError):
    """ECS refused the launch and started no task: no capacity, a quota, a permission."""

    def __init__(self, launch: Launch, reason: str) -> None:
        super().__init__(f"ECS started no worker on {launch.capacity}: {reason}. The fleet retries within a minute.")


class Tasks:
    def __init__(self, client: ECSClient, settings: FleetSettings) -> None:
        self._client = client
        self._settings = settings

    @property
    def definition(self) -> str:
        return self._settings.task_definition_arn

    def run(self, launch: Launch) -> str:
        """Starts the task of a launch, or returns the one already started for it. Returns the task id."""
        try:
            answer = self._run(launch)
        except ClientError as error:
            # The launch was repeated with a newer task definition; the conflict names the task that it started.
            response: Any = error.response
            if started := response.get("resourceIds"):
                return str(started[0]).rpartition("/")[2]
            if _may_have_started(error):
                raise
            raise TaskNotStartedError(launch, str(error)) from error
        for task in answer["tasks"]:
            return str(task["taskArn"]).rpartition("/")[2]
        reasons = [failure.get("reason", "") for failure in answer.get("failures", [])]
        raise TaskNotStartedError(launch, ", ".join(reasons) or "ECS gave no reason")

    def _run(self, launch: Launch) -> RunTaskResponseTypeDef:
        settings = self._settings
        return self._client.run_task(
            cluster=settings.cluster,
            taskDefinition=settings.task_definition_arn,
            clientToken=launch.launch_id,
            startedBy=launch.launch_id,
            count=1,
            capacityProviderStrategy=[{"capacityProvider": launch.capacity.value, "weight": 1}],
            networkConfiguration={
                "awsvpcConfiguration": {
                    "subnets": settings.subnet_ids,
                    "securityGroups": settings.security_group_ids,
                    "assignPublicIp": "ENABLED" if settings.public_addresses else "DISABLED",
                }
            },
            overrides={
                "containerOverrides": [
                    {
                        "name": CONTAINER,
                        "environment": [
                            {"name": "WEBORDINARY_SLOT", "value": launch.slot},
                            {"name": "WEBORDINARY_LAUNCH_ID", "value": launch.launch_id},
                        ],
                    }
                ]
            },
        )

    def stop(self, task_id: str, reason: str) -> None:
        self._client.stop_task(cluster=self._settings.cluster, task=task_id, reason=reason)

    def states(self, task_ids: Iterable[str]) -> dict[str, TaskState]:
        """The state of each task. Tasks unknown to ECS are left out."""
        ids = list(task_ids)
        found: dict[str, TaskState] = {}
        for start in range(0, len(ids), DESCRIBED_AT_ONCE):
            answer = self._client.describe_tasks(
                cluster=self._settings.cluster, tasks=ids[start : start + DESCRIBED_AT_ONCE]
            )
            for task in answer["tasks"]:
                found[str(task["taskArn"]).rpartition("/")[2]] = _state_of(task)
        return found


def _may_have_started(error: ClientError) -> bool:
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", SERVER_ERROR)
    return status >= SERVER_ERROR or error.response["Error"]["Code"] in THROTTLED


def _state_of(task: TaskTypeDef) -> TaskState:
    if task["lastStatus"] in ENDED:
        return TaskState.ENDED
    return TaskState.UNHEALTHY if task.get("healthStatus") == "UNHEALTHY" else TaskState.RUNNING
