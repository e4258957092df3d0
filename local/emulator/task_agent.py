"""The orders of the emulator's ECS to the agent that runs its tasks.

The stack is that agent. It reads the orders from the emulator's output and reports back with ECS's own call for agents,
SubmitTaskStateChange.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Order = dict[str, Any]


@dataclass(frozen=True)
class TaskAgent:
    """`send` delivers an order to the agent. Without an agent, tasks are recorded but never start."""

    send: Callable[[Order], None]

    def start(self, task: Any, definition: Any) -> None:
        container = definition.container_definitions[0]
        environment = {variable["name"]: variable["value"] for variable in container.get("environment", [])}
        for override in task.overrides.get("containerOverrides", []):
            if override["name"] == container["name"]:
                environment.update({variable["name"]: variable["value"] for variable in override["environment"]})
        self.send(
            {
                "order": "start",
                "task": task.task_arn,
                "cluster": task.cluster_arn,
                "definition": task.task_definition_arn,
                "container": container["name"],
                "role": getattr(definition, "task_role_arn", ""),
                "environment": environment,
            }
        )

    def stop(self, task: Any) -> None:
        self.send({"order": "stop", "task": task.task_arn})
