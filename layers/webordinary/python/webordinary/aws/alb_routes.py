"""Which worker the load balancer of live previews asks for which thread.

    /<project>/preview/<thread>/*  ─▶ the rule of the worker's slot ─▶ the target group of that slot ─▶ the worker

Terraform makes a rule and a target group for every slot of the fleet, and leaves what they lead to alone. A worker
has one slot, so it is asked for one thread at a time. Its address is what ECS says of its task, never what it says
itself: no worker can have another one asked in its name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from webordinary.aws import clients
from webordinary.contract.errors import WebordinaryError
from webordinary.contract.names import Names, preview_prefix
from webordinary.contract.values import contract

if TYPE_CHECKING:
    from mypy_boto3_ecs import ECSClient

ADDRESS = "privateIPv4Address"


class NoRouteError(WebordinaryError):
    """The worker cannot be asked for what it edits. Whoever looks sees the deployed files."""

    def __init__(self, slot: str, reason: str) -> None:
        super().__init__(f"The worker of {slot} is not shown by the load balancer: {reason}.")


@dataclass(frozen=True)
class LiveRoutes:
    """`elb` is the client of elbv2. The listener is the load balancer's only one."""

    elb: Any
    ecs: ECSClient
    names: Names
    cluster: str
    listener_arn: str

    @classmethod
    def by(cls, names: Names, cluster: str, listener_arn: str) -> Self | None:
        """None where there is no load balancer: nothing is shown live."""
        return cls(clients.load_balancers(), clients.ecs(), names, cluster, listener_arn) if listener_arn else None

    def show(self, slot: str, task_id: str, project: str, thread_id: str) -> None:
        """Has the worker of a slot asked for a thread, and nobody else."""
        target_group = self._target_group(slot)
        self._keep_only(target_group, self._address(slot, task_id))
        for owner, rule in self._rules().items():
            if owner == target_group:
                self._lead(rule, path_of(project, thread_id))
            elif rule.path == path_of(project, thread_id):  # of a worker before, which has not been missed yet
                self._lead(rule, nobodys(owner))

    def hide(self, slot: str, project: str, thread_id: str) -> None:
        """The worker of a slot is not asked for this thread any more. What it shows by now stays."""
        target_group = self._target_group(slot)
        rule = self._rules().get(target_group)
        if rule is not None and rule.path == path_of(project, thread_id):
            self.clear(slot)

    def clear(self, slot: str) -> None:
        """Nobody has this slot (any more): a request would wait for an answer that does not come."""
        target_group = self._target_group(slot)
        rule = self._rules().get(target_group)
        if rule is not None and rule.path != nobodys(target_group):
            self._lead(rule, nobodys(target_group))
        self._keep_only(target_group, None)

    def _target_group(self, slot: str) -> str:
        found = self.elb.describe_target_groups(Names=[self.names.target_group(slot)])["TargetGroups"]
        return str(found[0]["TargetGroupArn"])

    def _rules(self) -> dict[str, _Rule]:
        """The rules of slots, by the target group that they lead to."""
        pages = self.elb.get_paginator("describe_rules").paginate(ListenerArn=self.listener_arn)
        return {
            action["TargetGroupArn"]: _Rule(rule["RuleArn"], condition["PathPatternConfig"]["Values"][0])
            for page in pages
            for rule in page["Rules"]
            for condition in rule["Conditions"]
            for action in rule["Actions"]
            if "TargetGroupArn" in action
        }

    def _lead(self, rule: _Rule, path: str) -> None:
        condition = {"Field": "path-pattern", "PathPatternConfig": {"Values": [path]}}
        self.elb.modify_rule(RuleArn=rule.arn, Conditions=[condition])

    def _keep_only(self, target_group: str, address: str | None) -> None:
        answer = self.elb.describe_target_health(TargetGroupArn=target_group)
        others = [one["Target"] for one in answer["TargetHealthDescriptions"] if one["Target"]["Id"] != address]
        if others:
            self.elb.deregister_targets(TargetGroupArn=target_group, Targets=others)
        if address is not None:
            target = {"Id": address, "Port": contract()["live_previews"]["port"]}
            self.elb.register_targets(TargetGroupArn=target_group, Targets=[target])

    def _address(self, slot: str, task_id: str) -> str:
        tasks = self.ecs.describe_tasks(cluster=self.cluster, tasks=[task_id])["tasks"]
        details = [one for task in tasks for attached in task["attachments"] for one in attached["details"]]
        found = [one["value"] for one in details if one["name"] == ADDRESS]
        if len(found) != 1:
            raise NoRouteError(slot, f"ECS knows {len(found)} addresses of its task")
        return found[0]


@dataclass(frozen=True)
class _Rule:
    arn: str
    path: str


def path_of(project: str, thread_id: str) -> str:
    """As the edge asks for a thread: by the keys of its files."""
    return f"/{preview_prefix(project, thread_id)}*"


def nobodys(target_group: str) -> str:
    """A path that the edge never asks for. Terraform gives each rule the same one to begin with."""
    return "/" + target_group.rpartition(":")[2].split("/")[1]
