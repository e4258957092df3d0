"""The load balancer routes one thread to the worker of a slot, at the address that ECS reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from moto.moto_api._internal.models import moto_api_backend

from tests.support.world import THREAD, client
from webordinary.aws.alb_routes import LiveRoutes, NoRouteError
from webordinary.contract.names import Names

NAMES = Names("webordinary", "123456789012")
SLOTS = ("slot-0001", "slot-0002")
OTHER = "b" * 26
Routes = dict[str, tuple[str, list[tuple[str, int]]]]
PATH = f"/bakery/preview/{THREAD}/*"


@dataclass(frozen=True)
class Balancer:
    """A load balancer as in terraform/modules/live_previews, and ECS tasks."""

    routes: LiveRoutes
    subnet: str
    group: str

    @classmethod
    def create(cls) -> Balancer:
        ec2, elb, ecs = client("ec2"), client("elbv2"), client("ecs")
        vpc = ec2.create_vpc(CidrBlock="10.20.0.0/24")["Vpc"]["VpcId"]
        ec2.modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": True})
        subnets = [
            ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.20.0.{start}/27", AvailabilityZone=zone)["Subnet"]["SubnetId"]
            for start, zone in ((32, "eu-west-1a"), (64, "eu-west-1b"))
        ]
        group = ec2.create_security_group(GroupName="workers", Description="-", VpcId=vpc)["GroupId"]
        load_balancer = elb.create_load_balancer(Name="webordinary-live", Subnets=subnets, Scheme="internal")
        listener = elb.create_listener(
            LoadBalancerArn=load_balancer["LoadBalancers"][0]["LoadBalancerArn"],
            Protocol="HTTP",
            Port=80,
            DefaultActions=[{"Type": "fixed-response", "FixedResponseConfig": {"StatusCode": "503"}}],
        )["Listeners"][0]["ListenerArn"]
        for number, slot in enumerate(SLOTS, 1):
            name = NAMES.target_group(slot)
            target_group = elb.create_target_group(Name=name, Protocol="HTTP", Port=8026, VpcId=vpc, TargetType="ip")
            elb.create_rule(
                ListenerArn=listener,
                Priority=number,
                Conditions=[{"Field": "path-pattern", "PathPatternConfig": {"Values": [f"/{name}"]}}],
                Actions=[{"Type": "forward", "TargetGroupArn": target_group["TargetGroups"][0]["TargetGroupArn"]}],
            )
        ecs.create_cluster(clusterName="workers")
        ecs.register_task_definition(
            family="workers",
            networkMode="awsvpc",
            requiresCompatibilities=["FARGATE"],
            cpu="256",
            memory="512",
            containerDefinitions=[{"name": "worker", "image": "any", "memory": 512}],
        )
        return cls(LiveRoutes(elb, ecs, NAMES, "workers", listener), subnets[0], group)

    def start_task(self) -> tuple[str, str]:
        """Starts a task. Returns its id and address."""
        network = {"awsvpcConfiguration": {"subnets": [self.subnet], "securityGroups": [self.group]}}
        answer = client("ecs").run_task(
            cluster="workers", taskDefinition="workers", launchType="FARGATE", networkConfiguration=network
        )
        task = answer["tasks"][0]
        details = {one["name"]: one["value"] for one in task["attachments"][0]["details"]}
        return task["taskArn"].rpartition("/")[2], details["privateIPv4Address"]

    def current_routes(self) -> Routes:
        """The path and the targets of each slot."""
        found: Routes = {}
        for slot in SLOTS:
            group = self._group(slot)
            health = client("elbv2").describe_target_health(TargetGroupArn=group)["TargetHealthDescriptions"]
            rules: list[Any] = client("elbv2").describe_rules(ListenerArn=self.routes.listener_arn)["Rules"]
            (path,) = [
                rule["Conditions"][0]["PathPatternConfig"]["Values"][0]
                for rule in rules
                if rule["Actions"][0].get("TargetGroupArn") == group
            ]
            found[slot] = (path, [(one["Target"]["Id"], one["Target"]["Port"]) for one in health])
        return found

    def _group(self, slot: str) -> str:
        found = client("elbv2").describe_target_groups(Names=[NAMES.target_group(slot)])
        return str(found["TargetGroups"][0]["TargetGroupArn"])


@pytest.fixture
def balancer(memory_aws: None) -> Balancer:
    moto_api_backend.reset()  # remove the state of other tests
    return Balancer.create()


UNROUTED: Routes = {slot: (f"/webordinary-{slot}", []) for slot in SLOTS}


def test_show_routes_a_thread_to_the_tasks_ecs_address(balancer: Balancer) -> None:
    task_id, address = balancer.start_task()

    balancer.routes.show(SLOTS[1], task_id, "bakery", THREAD)

    assert balancer.current_routes() == {**UNROUTED, SLOTS[1]: (PATH, [(address, 8026)])}


def test_show_removes_the_previous_target_of_the_slot(balancer: Balancer) -> None:
    (before, _), (task_id, address) = balancer.start_task(), balancer.start_task()
    balancer.routes.show(SLOTS[0], before, "bakery", OTHER)

    balancer.routes.show(SLOTS[0], task_id, "bakery", THREAD)

    assert balancer.current_routes() == {**UNROUTED, SLOTS[0]: (PATH, [(address, 8026)])}


def test_show_moves_the_route_of_a_thread_to_the_last_worker(balancer: Balancer) -> None:
    """The previous worker died, its route still exists, and its rule has a higher priority."""
    (before, old), (task_id, address) = balancer.start_task(), balancer.start_task()
    balancer.routes.show(SLOTS[0], before, "bakery", THREAD)

    balancer.routes.show(SLOTS[1], task_id, "bakery", THREAD)

    expected = {SLOTS[0]: (UNROUTED[SLOTS[0]][0], [(old, 8026)]), SLOTS[1]: (PATH, [(address, 8026)])}
    assert balancer.current_routes() == expected


def test_hide_removes_the_route(balancer: Balancer) -> None:
    task_id, _ = balancer.start_task()
    balancer.routes.show(SLOTS[0], task_id, "bakery", THREAD)

    balancer.routes.hide(SLOTS[0], "bakery", THREAD)

    assert balancer.current_routes() == UNROUTED


def test_late_hide_keeps_the_route_of_another_thread(balancer: Balancer) -> None:
    task_id, _ = balancer.start_task()
    balancer.routes.show(SLOTS[0], task_id, "bakery", THREAD)
    shown = balancer.current_routes()

    balancer.routes.hide(SLOTS[0], "bakery", OTHER)

    assert balancer.current_routes() == shown


def test_clear_removes_the_route_of_one_slot_only(balancer: Balancer) -> None:
    (first, _), (second, _) = balancer.start_task(), balancer.start_task()
    balancer.routes.show(SLOTS[0], first, "bakery", THREAD)
    balancer.routes.show(SLOTS[1], second, "garden", OTHER)
    shown = balancer.current_routes()

    balancer.routes.clear(SLOTS[0])
    balancer.routes.clear(SLOTS[0])

    assert balancer.current_routes() == {**UNROUTED, SLOTS[1]: shown[SLOTS[1]]}


def test_task_unknown_to_ecs_gets_no_route(balancer: Balancer) -> None:
    with pytest.raises(NoRouteError):
        balancer.routes.show(SLOTS[0], "0" * 32, "bakery", THREAD)

    assert balancer.current_routes() == UNROUTED


def test_slot_without_a_target_group_shows_the_deployed_files(balancer: Balancer) -> None:
    before = balancer.current_routes()

    balancer.routes.show("slot-0100", "any", "bakery", THREAD)
    balancer.routes.hide("slot-0100", "bakery", THREAD)
    balancer.routes.clear("slot-0100")

    assert balancer.current_routes() == before
