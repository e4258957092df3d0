"""An emulator that was restored from a snapshot shows the same resources as one that Terraform was applied to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from local.emulator.process import EmulatorProcess
from local.paths import BUILD
from tests.support.applied import apply

TIMES = re.compile(r".*(?:date|time|timestamp|modified)$", re.IGNORECASE)
# An upload in parts is replayed as one: same content, other checksums. CodeSha256 of functions and layers is compared.
DIFFERENT = ("ResponseMetadata", "ETag", "ChecksumAlgorithm", "ChecksumType")


class Resources:
    """What the API of an emulator shows, without times and ports."""

    def __init__(self, emulator: EmulatorProcess) -> None:
        self._emulator = emulator

    def call(self, service: str, operation: str, **arguments: Any) -> Any:
        client = self._emulator.client(service)
        if client.can_paginate(operation):
            answer = client.get_paginator(operation).paginate(**arguments).build_full_result()
        else:
            answer = getattr(client, operation)(**arguments)
        return self._normalised(answer)

    def _normalised(self, value: Any) -> Any:
        if isinstance(value, dict):
            kept = {name: part for name, part in value.items() if name not in DIFFERENT and not TIMES.match(name)}
            return {name: self._normalised(part) for name, part in kept.items()}
        if isinstance(value, list):
            return sorted((self._normalised(part) for part in value), key=repr)
        return value.replace(self._emulator.endpoint, "ENDPOINT") if isinstance(value, str) else value

    def queues(self) -> Any:
        urls = self._emulator.client("sqs").list_queues()["QueueUrls"]
        wanted = {"AttributeNames": ["All"]}
        return {
            url.rpartition("/")[2]: (
                self.call("sqs", "get_queue_attributes", QueueUrl=url, **wanted),
                self.call("sqs", "list_queue_tags", QueueUrl=url),
            )
            for url in urls
        }

    def tables(self) -> Any:
        names = self.call("dynamodb", "list_tables")["TableNames"]
        calls = ("describe_table", "describe_time_to_live", "describe_continuous_backups")
        return {name: [self.call("dynamodb", call, TableName=name) for call in calls] for name in names}

    def functions(self) -> Any:
        names = [found["FunctionName"] for found in self.call("lambda", "list_functions")["Functions"]]
        calls = ("get_function", "get_function_concurrency", "list_versions_by_function", "list_aliases")
        return {name: [self.call("lambda", call, FunctionName=name) for call in calls] for name in names}

    def callers_of_functions(self) -> Any:
        lambdas = self._emulator.client("lambda")
        names = [found["FunctionName"] for found in self.call("lambda", "list_functions")["Functions"]]
        found: dict[str, Any] = {"mappings": self.call("lambda", "list_event_source_mappings")}
        for name in names:
            try:
                found[name] = self.call("lambda", "get_policy", FunctionName=name, Qualifier="live")
            except lambdas.exceptions.ResourceNotFoundException:
                found[name] = None
        return found

    def layers(self) -> Any:
        names = [found["LayerName"] for found in self.call("lambda", "list_layers")["Layers"]]
        return {name: self.call("lambda", "list_layer_versions", LayerName=name) for name in names}

    def roles(self) -> Any:
        found = {}
        for role in self.call("iam", "list_roles")["Roles"]:
            name = role["RoleName"]
            inline = self.call("iam", "list_role_policies", RoleName=name)["PolicyNames"]
            policies = [self.call("iam", "get_role_policy", RoleName=name, PolicyName=policy) for policy in inline]
            found[name] = (role, policies, self.call("iam", "list_attached_role_policies", RoleName=name))
        return found

    def rules(self) -> Any:
        rules = self.call("events", "list_rules")["Rules"]
        return {rule["Name"]: (rule, self.call("events", "list_targets_by_rule", Rule=rule["Name"])) for rule in rules}

    def state_machines(self) -> Any:
        machines = self.call("stepfunctions", "list_state_machines")["stateMachines"]
        arns = [machine["stateMachineArn"] for machine in machines]
        calls = ("describe_state_machine", "list_state_machine_versions", "list_state_machine_aliases")
        return {arn: [self.call("stepfunctions", call, stateMachineArn=arn) for call in calls] for arn in arns}

    def buckets(self) -> Any:
        names = [bucket["Name"] for bucket in self.call("s3", "list_buckets")["Buckets"]]
        calls = (
            "get_bucket_policy",
            "get_bucket_encryption",
            "get_bucket_ownership_controls",
            "get_bucket_versioning",
            "get_bucket_notification_configuration",
            "get_public_access_block",
            "list_objects_v2",
        )
        return {name: [self.call("s3", call, Bucket=name) for call in calls] for name in names}

    def mail(self) -> Any:
        return [
            self.call("ses", "describe_active_receipt_rule_set"),
            self.call("sesv2", "list_email_identities"),
            self.call("sesv2", "get_email_identity", EmailIdentity="mail.example.com"),
            self.call("sesv2", "list_configuration_sets"),
        ]

    def tasks(self) -> Any:
        arns = self.call("ecs", "list_task_definitions")["taskDefinitionArns"]
        definitions = [self.call("ecs", "describe_task_definition", taskDefinition=arn) for arn in arns]
        return [self.call("ecs", "list_clusters"), definitions]

    def monitoring(self) -> Any:
        return [
            self.call("cloudwatch", "describe_alarms"),
            self.call("cloudwatch", "list_dashboards"),
            self.call("logs", "describe_log_groups"),
            self.call("sns", "list_topics"),
            self.call("ssm", "describe_parameters"),
        ]


KINDS = [name for name in vars(Resources) if not name.startswith("_") and name != "call"]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Resources, Resources]]:
    """The resources that Terraform created, and those that were restored."""
    folder = tmp_path_factory.mktemp("snapshots")
    with (
        EmulatorProcess(state=folder / "first", runtime=BUILD / "runtime") as first,
        EmulatorProcess(state=folder / "second", runtime=BUILD / "runtime") as second,
    ):
        reports: list[str] = []
        for emulator in (first, second):
            state = folder / emulator.endpoint.rpartition(":")[2]
            apply(emulator, BUILD, state, report=reports.append, snapshots_in=folder / "stored")
        assert [re.sub(r"\d+", "N", report) for report in reports] == ["N resources restored from an earlier apply"]
        yield Resources(first), Resources(second)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", KINDS)
def test_restored_resources_equal_applied_ones(both: tuple[Resources, Resources], kind: str) -> None:
    applied, restored = (getattr(resources, kind)() for resources in both)

    assert applied
    assert restored == applied
