"""EventBridge rules for ECS: invokes their target functions when a task has ended."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from local.aws import ACCOUNT, EmulatedAws
from local.ecs.task_endpoints import Task


class TaskEvents:
    def __init__(self, emulated: EmulatedAws, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._region = emulated.region
        self._events = emulated.client("events")
        self._lambda = emulated.client("lambda")
        self._clock = clock

    def publish_stopped(self, task: Task, reason: str) -> None:
        event = self._event(task, reason)
        for rule in self._events.list_rules()["Rules"]:
            if "EventPattern" in rule and matches(json.loads(rule["EventPattern"]), event):
                for target in self._events.list_targets_by_rule(Rule=rule["Name"])["Targets"]:
                    self._lambda.invoke(
                        FunctionName=target["Arn"], InvocationType="Event", Payload=json.dumps(event).encode()
                    )

    def _event(self, task: Task, reason: str) -> dict[str, Any]:
        return {
            "version": "0",
            "id": str(uuid.uuid4()),
            "detail-type": "ECS Task State Change",
            "source": "aws.ecs",
            "account": ACCOUNT,
            "time": self._clock().strftime("%Y-%m-%dT%H:%M:%SZ"),
            "region": self._region,
            "resources": [task.arn],
            "detail": {
                "taskArn": task.arn,
                "clusterArn": task.cluster,
                "taskDefinitionArn": task.definition,
                "desiredStatus": "STOPPED",
                "lastStatus": "DEPROVISIONING",  # the first event after its containers have stopped
                "stoppedReason": reason,
            },
        }


def matches(pattern: dict[str, Any], event: dict[str, Any]) -> bool:
    """Whether each field has one of the values that the pattern lists. Other pattern operators are not supported."""
    return all(
        matches(allowed, event.get(name) or {}) if isinstance(allowed, dict) else event.get(name) in allowed
        for name, allowed in pattern.items()
    )
