"""Routes of the live-preview load balancer: which worker serves which thread.

    /<project>/preview/<thread>/*  ─▶ the rule of the worker's slot ─▶ the target group of that slot ─▶ the worker

Terraform creates a rule and a target group for each of the first slots of the fleet and ignores changes of their
targets. A load balancer has 100 target groups, so workers of later slots have no route: visitors see their deployed
files. The fleet takes the lowest free slots first. A worker has one slot, so it serves one thread at a time. Its
address comes from ECS, never from the worker: no worker can route requests to another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from webordinary.aws import clients
from webordinary.contract.errors import WebordinaryError
from webordinary.contract.names import Names, preview_prefix
from webordinary.contract.settings import BrokerSettings, FleetSettings
from webordinary.contract.values import contract

if TYPE_CHECKING:
    from mypy_boto3_ecs import ECSClient

ADDRESS = "privateIPv4Address"


class NoRouteError(WebordinaryError):
    """The worker cannot be routed to. Visitors see the deployed files."""

    def __init__(self, slot: str, reason: str) -> None:
        super().__init__(f"The load balancer has no route to the worker of {slot}: {reason}.")


@dataclass(frozen=True)
class LiveRoutes:
    """`elb` is the elbv2 client. The load balancer has a single listener."""

    elb: Any
    ecs: ECSClient
    names: Names
    cluster: str
    listener_arn: str

    @classmethod
    def from_settings(cls, settings: BrokerSettings | FleetSettings) -> Self | None:
        """None without a load balancer: there are no live previews."""
        if not settings.live_listener_arn:
            return None
        return cls(
            clients.load_balancers(), clients.ecs(), settings.names, settings.cluster, settings.live_listener_arn
        )

    def show(self, slot: str, task_id: str, project: str, thread_id: str) -> None:
        """Routes a thread to the worker of a slot, and to no other worker."""
        if not has_route(slot):
            return
        target_group = self._target_group(slot)
        self._keep_only(target_group, self._address(slot, task_id))
        for owner, rule in self._rules().items():
            if owner == target_group:
                self._set_path(rule, path_of(project, thread_id))
            elif rule.path == path_of(project, thread_id):  # still routed to a previous worker
                self._set_path(rule, unassigned_path(owner))

    def hide(self, slot: str, project: str, thread_id: str) -> None:
        """Removes the route of a thread to the worker of a slot. A route of another thread stays."""
        if not has_route(slot):
            return
        target_group = self._target_group(slot)
        rule = self._rules().get(target_group)
        if rule is not None and rule.path == path_of(project, thread_id):
            self.clear(slot)

    def clear(self, slot: str) -> None:
        """Removes the route of a slot without a worker: requests would wait until they time out."""
        if not has_route(slot):
            return
        target_group = self._target_group(slot)
        rule = self._rules().get(target_group)
        if rule is not None and rule.path != unassigned_path(target_group):
            self._set_path(rule, unassigned_path(target_group))
        self._keep_only(target_group, None)

    def _target_group(self, slot: str) -> str:
        found = self.elb.describe_target_groups(Names=[self.names.target_group(slot)])["TargetGroups"]
        return str(found[0]["TargetGroupArn"])

    def _rules(self) -> dict[str, _Rule]:
        """The rules of all slots by target group."""
        pages = self.elb.get_paginator("describe_rules").paginate(ListenerArn=self.listener_arn)
        return {
            action["TargetGroupArn"]: _Rule(rule["RuleArn"], condition["PathPatternConfig"]["Values"][0])
            for page in pages
            for rule in page["Rules"]
            for condition in rule["Conditions"]
            for action in rule["Actions"]
            if "TargetGroupArn" in action
        }

    def _set_path(self, rule: _Rule, path: str) -> None:
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
            raise NoRouteError(slot, f"ECS reports {len(found)} addresses of its task")
        return found[0]


@dataclass(frozen=True)
class _Rule:
    arn: str
    path: str


def has_route(slot: str) -> bool:
    """Whether the load balancer has a rule and a target group for a slot."""
    return int(slot.rpartition("-")[2]) <= int(contract()["live_previews"]["slots"])


def path_of(project: str, thread_id: str) -> str:
    """The path pattern of a thread, as the edge requests it: by the keys of its files."""
    return f"/{preview_prefix(project, thread_id)}*"


def unassigned_path(target_group: str) -> str:
    """A path that the edge never requests: the initial path of each rule in Terraform."""
    return "/" + target_group.rpartition(":")[2].split("/")[1]
