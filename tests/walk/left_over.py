"""Lists the resources that remain in an account after a removal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from local.aws import EmulatedAws

# Created by `make bootstrap`, or stored instead of `make push` and the API key.
BOOTSTRAP_RESOURCES = ("terraform-state", "-worker", "/worker-image", "/anthropic-api-key", "/bootstrap/thread-secret")

# Service, list call, key of the list in the response, key of the name.
LISTS: list[tuple[str, str, str, str | None]] = [
    ("sqs", "list_queues", "QueueUrls", None),
    ("dynamodb", "list_tables", "TableNames", None),
    ("lambda", "list_functions", "Functions", "FunctionName"),
    ("lambda", "list_layers", "Layers", "LayerName"),
    ("lambda", "list_event_source_mappings", "EventSourceMappings", "FunctionArn"),
    ("stepfunctions", "list_state_machines", "stateMachines", "name"),
    ("iam", "list_roles", "Roles", "RoleName"),
    ("s3", "list_buckets", "Buckets", "Name"),
    ("logs", "describe_log_groups", "logGroups", "logGroupName"),
    ("ssm", "describe_parameters", "Parameters", "Name"),
    ("events", "list_rules", "Rules", "Name"),
    ("sns", "list_topics", "Topics", "TopicArn"),
    ("cloudwatch", "describe_alarms", "MetricAlarms", "AlarmName"),
    ("cloudwatch", "list_dashboards", "DashboardEntries", "DashboardName"),
    ("ecs", "list_task_definitions", "taskDefinitionArns", None),
    ("ecr", "describe_repositories", "repositories", "repositoryName"),
    ("ses", "list_receipt_rule_sets", "RuleSets", "Name"),
    ("sesv2", "list_configuration_sets", "ConfigurationSets", None),
]


def left_over(emulated: EmulatedAws, prefix: str) -> list[str]:
    found = [f"{service} {name}" for service, name in _everything(emulated) if prefix in name]
    found += [f"ses {name}" for name in emulated.client("ses").list_identities()["Identities"]]
    own = emulated.client("ec2").describe_vpcs(Filters=[{"Name": "tag:Application", "Values": [prefix]}])["Vpcs"]
    found += [f"ec2 {network['VpcId']}" for network in own]
    return sorted(one for one in found if not one.endswith(BOOTSTRAP_RESOURCES))


def _everything(emulated: EmulatedAws) -> Iterator[tuple[str, str]]:
    for service, call, key, name in LISTS:
        for one in _listed(emulated.client(service), call, key):
            yield service, str(one if name is None else one[name])
    # Deleted clusters may be listed as inactive for a while.
    ecs = emulated.client("ecs")
    for cluster in ecs.describe_clusters(clusters=_listed(ecs, "list_clusters", "clusterArns"))["clusters"]:
        if cluster["status"] == "ACTIVE":
            yield "ecs", cluster["clusterName"]


def _listed(client: Any, call: str, key: str) -> list[Any]:
    if not client.can_paginate(call):
        return list(getattr(client, call)().get(key, []))
    return [one for page in client.get_paginator(call).paginate() for one in page.get(key, [])]
