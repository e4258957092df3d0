"""ECS in virtual time: tasks start late or never, responses get lost, requests arrive late or twice.

A running task is a worker process of the model. Two requests with one client token start one task.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import EndpointConnectionError

from webordinary.aws.ecs_tasks import Launch, TaskNotStartedError, TaskState

if TYPE_CHECKING:
    from tests.model.world import World


NEVER = 10_000_000_000
# A worker's health check fails after SILENT; a stopped task is killed after GRACE.
SILENT, GRACE = 90_000, 120_000


@dataclass
class ModelTask:
    task_id: str
    launch: Launch
    starts_at: int
    running: bool = False
    stopped: bool = False
    reported_at: int = 0  # when ECS reports it as stopped


class EcsStandIn:
    """Replaces `webordinary.aws.ecs_tasks` for the fleet."""

    definition = "workers:1"

    def __init__(self, world: World) -> None:
        self.tasks: dict[str, ModelTask] = {}
        self.before_call: Callable[[str], None] = lambda _: None
        self._world = world
        self._by_token: dict[str, ModelTask] = {}
        self._reported_unhealthy_at: dict[str, int] = {}

    def run(self, launch: Launch) -> str:
        self.before_call("run_task")
        faults, random = self._world.faults, self._world.random
        if launch.launch_id not in self._by_token and random.random() < faults.launch_refused:
            raise TaskNotStartedError(launch, "Capacity is unavailable at this time")
        if random.random() < faults.launch_lost:
            if random.random() < 0.5:  # the request still arrives
                self._world.later(lambda: self._start(launch))
            raise EndpointConnectionError(endpoint_url="memory://ecs")
        return self._start(launch).task_id

    def stop(self, task_id: str, reason: str) -> None:
        self.before_call("stop_task")
        if self._world.random.random() < self._world.faults.stop_lost:
            raise EndpointConnectionError(endpoint_url="memory://ecs")
        self._world.stop_task(task_id, reason)

    def states(self, task_ids: Iterable[str]) -> dict[str, TaskState]:
        self.before_call("describe_tasks")
        known = {task_id: self.tasks[task_id] for task_id in task_ids if task_id in self.tasks}
        ended = {task_id for task_id, task in known.items() if task.stopped and task.reported_at <= self._world.now}
        unhealthy = self._unhealthy() - ended
        self._reported_unhealthy_at.update(dict.fromkeys(unhealthy, self._world.now))
        states = {task_id: TaskState.ENDED if task_id in ended else TaskState.RUNNING for task_id in known}
        return states | {task_id: TaskState.UNHEALTHY for task_id in unhealthy if task_id in known}

    def was_reported_unhealthy(self, task_id: str) -> bool:
        """Within the grace period: the fleet may still act on that report after the worker has recovered."""
        return self._world.now - self._reported_unhealthy_at.get(task_id, -NEVER) <= GRACE

    def _unhealthy(self) -> set[str]:
        if not self._world.faults.health_checks:
            return set()
        paused = [process for process in self._world.processes if process.is_paused]
        return {one.host.container_id for one in paused if self._world.now - one.paused_since > SILENT}

    def end(self, task_id: str) -> None:
        task = self.tasks[task_id]
        task.stopped = True
        task.reported_at = self._world.now + self._world.random.choice(self._world.faults.slow_ends)

    def due(self) -> list[ModelTask]:
        """Tasks whose container starts now."""
        now = self._world.now
        return [task for task in self.tasks.values() if not task.running and not task.stopped and task.starts_at <= now]

    def next_start(self) -> list[int]:
        return [task.starts_at for task in self.tasks.values() if not task.running and not task.stopped]

    def _start(self, launch: Launch) -> ModelTask:
        task = self._by_token.get(launch.launch_id)
        if task is None:
            random, faults = self._world.random, self._world.faults
            never = random.random() < faults.never_starts
            delay = NEVER if never else random.choice([500, 5_000, 30_000, *faults.slow_starts])
            task = ModelTask(f"task-{len(self.tasks) + 1}", launch, self._world.now + delay)
            self.tasks[task.task_id] = self._by_token[launch.launch_id] = task
            self._world.monitor.note(f"{task.task_id} is started for {launch.slot}")
        return task
