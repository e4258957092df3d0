"""ECS: tasks that an agent runs.

moto's tasks start and stop immediately. Here an agent runs them and reports their state. Differs from AWS: tasks use
the host's network, and there is always capacity.
"""

import threading
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.models import ec2_backends
from moto.ecs.models import EC2ContainerServiceBackend, Task
from moto.ecs.responses import EC2ContainerServiceResponse

from local.emulator.gaps.patching import Function, add, gap, wrap
from local.emulator.task_agent import TaskAgent

_lock = threading.RLock()


def run_tasks_with(agent: TaskAgent) -> None:
    """RunTask and StopTask send orders to the agent, which reports back with SubmitTaskStateChange."""

    @wrap(EC2ContainerServiceBackend, "run_task")
    def run_task(original: Function, self: Any, *arguments: Any) -> list[Task]:
        tasks: list[Task] = original(self, *arguments)
        for task in tasks:
            if task.last_status == "PROVISIONING":
                task.last_status = "PENDING"
                agent.start(task, self.describe_task_definition(task.task_definition_arn))
        return tasks

    @wrap(EC2ContainerServiceBackend, "stop_task")
    def stop_task(original: Function, self: Any, cluster: str, task: str, reason: str) -> Task:
        stopped: Task = original(self, cluster, task, reason)
        if stopped.last_status != "STOPPED":
            agent.stop(stopped)
        return stopped


@gap(seen_with="5.2.5")
def start_tasks_asynchronously() -> None:
    """A task is PENDING until its agent reports RUNNING, and a client token starts it only once."""

    @wrap(Task, "__init__")
    def create(original: Function, self: Any, *arguments: Any, **named: Any) -> None:
        original(self, *arguments, **named)
        self._transitions = []
        self.last_status = "PROVISIONING"
        for container in self.containers:
            container.exitCode = None

    @wrap(EC2ContainerServiceBackend, "_calculate_task_resource_requirements")
    def requirements(_original: Function, _self: Any, _definition: Any) -> dict[str, Any]:
        # A container of a Fargate task needs no limits of its own, and no instance has to provide them.
        return {"CPU": 0, "MEMORY": 0, "PORTS": [], "PORTS_UDP": []}

    @wrap(EC2ContainerServiceResponse, "run_task")
    def run_task(original: Function, self: Any) -> ActionResult:
        token = self._get_param("clientToken")
        with _lock:
            by_token = self.ecs_backend.__dict__.setdefault("tasks_by_token", {})
            if token not in by_token:
                by_token[token] = original(self)
            result: ActionResult = by_token[token]
        return result

    @wrap(EC2ContainerServiceBackend, "run_task")
    def run(original: Function, self: Any, *arguments: Any) -> list[Task]:
        changed = list(arguments)
        subnets = ec2_backends[self.account_id][self.region_name].describe_subnets()
        # Terraform's subnet does not exist in the emulator, and tasks are local processes anyway.
        changed[7] = {"awsvpcConfiguration": {"subnets": [subnets[0].id], "securityGroups": []}}
        tasks: list[Task] = original(self, *changed)
        return tasks


@gap(seen_with="5.2.5")
def stop_tasks_asynchronously() -> None:
    """StopTask sets the desired status; the task is STOPPED when its agent reports it, with the exit code."""

    @wrap(EC2ContainerServiceBackend, "stop_task")
    def stop_task(original: Function, self: Any, cluster: str, task: str, reason: str) -> Task:
        before = {found.task_arn: found.last_status for found in self.list_tasks(cluster)}
        stopped: Task = original(self, cluster, task, reason)
        stopped.last_status = before[stopped.task_arn]
        return stopped


@gap(seen_with="5.2.5")
def report_missing_tasks() -> None:
    """DescribeTasks reports unknown tasks as failures."""

    @wrap(EC2ContainerServiceResponse, "describe_tasks")
    def describe_tasks(original: Function, self: Any) -> ActionResult:
        action: ActionResult = original(self)
        result: Any = action.result
        known = {task.id for task in result["tasks"]}
        requested = self._get_param("tasks", [])
        result["failures"] = [
            {"arn": task, "reason": "MISSING"} for task in requested if task.rpartition("/")[2] not in known
        ]
        return action


@gap(seen_with="5.2.5")
def accept_task_state_changes() -> None:
    """SubmitTaskStateChange, with which an agent reports the state of a task."""

    def submit_task_state_change(self: Any) -> ActionResult:
        backend, arn = self.ecs_backend, self._get_param("task")
        (task,) = [found for found in backend.list_tasks(self._get_param("cluster")) if found.task_arn == arn]
        task.last_status = self._get_param("status")
        for container in task.containers:
            container.last_status = task.last_status
        if task.last_status == "STOPPED":
            task.desired_status = "STOPPED"
            task.stopped_reason = task.stopped_reason or self._get_param("reason")
            for change, container in zip(self._get_param("containers", []), task.containers, strict=False):
                container.exitCode = change.get("exitCode")
        return ActionResult({"acknowledgment": "ok"})

    add(EC2ContainerServiceResponse, submit_task_state_change)
