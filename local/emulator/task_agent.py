"""What the emulator's ECS says to whoever runs its tasks, and what it is told back.

ECS itself starts nothing: an agent on the machine does. The stack is that agent. It reads these orders from the
emulator's output and answers with ECS's own call for agents, SubmitTaskStateChange.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Order = dict[str, Any]


@dataclass(frozen=True)
class TaskAgent:
    """`give` passes an order on. Without an agent, tasks are recorded and never start."""

    give: Callable[[Order], None]

    def start(self, task: Any, definition: Any) -> None:
        container = definition.container_definitions[0]
        environment = {variable["name"]: variable["value"] for variable in container.get("environment", [])}
        for override in task.overrides.get("containerOverrides", []):
            if override["name"] == container["name"]:
                environment.update({variable["name"]: variable["value"] for variable in override["environment"]})
        self.give(
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
        self.give({"order": "stop", "task": task.task_arn})
