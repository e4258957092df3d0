"""ECS: tasks that really run, somewhere else.

moto's tasks are running from the first moment and stopped at the first word. Here an agent runs them and says what
becomes of them. Differs from AWS: the network is this machine's, and there is always capacity.
"""

import threading
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.models import ec2_backends
from moto.ecs.models import EC2ContainerServiceBackend, Task
from moto.ecs.responses import EC2ContainerServiceResponse

from local.emulator.gaps.patching import Function, add, gap, wrap
from local.emulator.task_agent import TaskAgent

_one_at_a_time = threading.RLock()


def run_tasks_with(agent: TaskAgent) -> None:
    """RunTask and StopTask become orders to the agent, which reports back by SubmitTaskStateChange."""

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
def start_tasks_by_and_by() -> None:
    """A task is not running before its agent says so, and none is started twice for one client token."""

    @wrap(Task, "__init__")
    def create(original: Function, self: Any, *arguments: Any, **named: Any) -> None:
        original(self, *arguments, **named)
        self._transitions = []
        self.last_status = "PROVISIONING"
        for container in self.containers:
            container.exitCode = None

    @wrap(EC2ContainerServiceBackend, "_calculate_task_resource_requirements")
    def requirements(_original: Function, _self: Any, _definition: Any) -> dict[str, Any]:
        # A container of a Fargate task need not say what it takes: the task does, and no instance has to hold it.
        return {"CPU": 0, "MEMORY": 0, "PORTS": [], "PORTS_UDP": []}

    @wrap(EC2ContainerServiceResponse, "run_task")
    def run_task(original: Function, self: Any) -> ActionResult:
        token = self._get_param("clientToken")
        with _one_at_a_time:
            by_token = self.ecs_backend.__dict__.setdefault("tasks_by_token", {})
            if token not in by_token:
                by_token[token] = original(self)
            answer: ActionResult = by_token[token]
        return answer

    @wrap(EC2ContainerServiceBackend, "run_task")
    def run(original: Function, self: Any, *arguments: Any) -> list[Task]:
        given = list(arguments)
        subnets = ec2_backends[self.account_id][self.region_name].describe_subnets()
        # Terraform names a subnet that no emulator knows; the tasks are processes of this machine anyway.
        given[7] = {"awsvpcConfiguration": {"subnets": [subnets[0].id], "securityGroups": []}}
        tasks: list[Task] = original(self, *given)
        return tasks


@gap(seen_with="5.2.5")
def stop_tasks_by_and_by() -> None:
    """StopTask says what is wanted; the task is stopped when its agent says so, with the exit code."""

    @wrap(EC2ContainerServiceBackend, "stop_task")
    def stop_task(original: Function, self: Any, cluster: str, task: str, reason: str) -> Task:
        before = {found.task_arn: found.last_status for found in self.list_tasks(cluster)}
        stopped: Task = original(self, cluster, task, reason)
        stopped.last_status = before[stopped.task_arn]
        return stopped


@gap(seen_with="5.2.5")
def report_missing_tasks() -> None:
    """DescribeTasks names the tasks that it does not know."""

    @wrap(EC2ContainerServiceResponse, "describe_tasks")
    def describe_tasks(original: Function, self: Any) -> ActionResult:
        answer: ActionResult = original(self)
        result: Any = answer.result
        known = {task.id for task in result["tasks"]}
        asked = self._get_param("tasks", [])
        result["failures"] = [
            {"arn": task, "reason": "MISSING"} for task in asked if task.rpartition("/")[2] not in known
        ]
        return answer


@gap(seen_with="5.2.5")
def hear_of_state_changes() -> None:
    """SubmitTaskStateChange, by which an agent tells what became of a task."""

    def submit_task_state_change(self: Any) -> ActionResult:
        backend, wanted = self.ecs_backend, self._get_param("task")
        (task,) = [found for found in backend.list_tasks(self._get_param("cluster")) if found.task_arn == wanted]
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
