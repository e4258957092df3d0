"""Workers as ECS runs them: started, looked at and stopped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from webordinary.contract.errors import WebordinaryError
from webordinary.contract.settings import FleetSettings

if TYPE_CHECKING:
    from mypy_boto3_ecs import ECSClient
    from mypy_boto3_ecs.type_defs import TaskTypeDef

CONTAINER = "worker"  # its name in the task definition
DESCRIBED_AT_ONCE = 100
# Its containers have ended; what follows is the network's clearing up.
ENDED = ("DEPROVISIONING", "STOPPED")


class Capacity(StrEnum):
    ON_DEMAND = "FARGATE"
    SPOT = "FARGATE_SPOT"


class TaskState(StrEnum):
    RUNNING = "running"  # or about to
    UNHEALTHY = "unhealthy"  # its health check fails: whatever it is busy with, it is not getting on
    ENDED = "ended"


@dataclass(frozen=True)
class Launch:
    """One start of a worker. However often it is asked for, its id makes ECS start one task."""

    launch_id: str
    slot: str
    capacity: Capacity


class TaskNotStartedError(WebordinaryError):
    """ECS has no room for the task, and has started none."""

    def __init__(self, launch: Launch, reason: str) -> None:
        super().__init__(f"ECS started no worker on {launch.capacity}: {reason}. It is tried again within a minute.")


class Tasks:
    def __init__(self, client: ECSClient, settings: FleetSettings) -> None:
        self._client = client
        self._settings = settings

    @property
    def definition(self) -> str:
        return self._settings.task_definition_arn

    def run(self, launch: Launch) -> str:
        """Starts the task of a launch, or finds the one that was started for it. Returns the task's id."""
        settings = self._settings
        answer = self._client.run_task(
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
        for task in answer["tasks"]:
            return str(task["taskArn"]).rpartition("/")[2]
        reasons = [failure.get("reason", "") for failure in answer.get("failures", [])]
        raise TaskNotStartedError(launch, ", ".join(reasons) or "no reason was given")

    def stop(self, task_id: str, reason: str) -> None:
        self._client.stop_task(cluster=self._settings.cluster, task=task_id, reason=reason)

    def states(self, task_ids: Iterable[str]) -> dict[str, TaskState]:
        """The state of each task. A task that ECS does not know (yet, or any more) is left out."""
        wanted = list(task_ids)
        found: dict[str, TaskState] = {}
        for start in range(0, len(wanted), DESCRIBED_AT_ONCE):
            answer = self._client.describe_tasks(
                cluster=self._settings.cluster, tasks=wanted[start : start + DESCRIBED_AT_ONCE]
            )
            for task in answer["tasks"]:
                found[str(task["taskArn"]).rpartition("/")[2]] = _state_of(task)
        return found


def _state_of(task: TaskTypeDef) -> TaskState:
    if task["lastStatus"] in ENDED:
        return TaskState.ENDED
    return TaskState.UNHEALTHY if task.get("healthStatus") == "UNHEALTHY" else TaskState.RUNNING
