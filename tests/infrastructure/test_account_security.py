"""Applied resources are private, encrypted and have minimal permissions; read from the Terraform state."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.applied import AppliedStack

# Statements with wildcard resources, because AWS supports no narrower ones. A new one needs a reason.
FOR_ALL_RESOURCES = {
    "ListQueues",  # SQS supports no resources for it
    "DeliverLogs",  # log delivery supports no resources
    "LogInToEcr",  # ECR's token is not limited to a repository
    "Traces",  # X-Ray supports no resources
    "EndTasks",  # Step Functions supports no resources for task tokens, which are secret
    "ExtendAndEndTasks",
}
# Principals that a bucket or queue policy allows without a condition.
UNCONDITIONAL: set[str] = set()


@pytest.fixture(scope="module")
def resources(applied: AppliedStack) -> list[dict[str, Any]]:
    assert applied.workspace.state_dir is not None
    state = json.loads((applied.workspace.state_dir / "terraform.tfstate").read_text(encoding="utf-8"))
    return [
        {"type": resource["type"], "address": _address(resource, instance), **instance["attributes"]}
        for resource in state["resources"]
        if resource["mode"] == "managed"
        for instance in resource["instances"]
    ]


def of(resources: list[dict[str, Any]], *kinds: str) -> list[dict[str, Any]]:
    found = [resource for resource in resources if resource["type"] in kinds]
    assert found, f"there is no {kinds}"
    return found


def statements(policy: str) -> Iterator[dict[str, Any]]:
    found = json.loads(policy)["Statement"]
    yield from found if isinstance(found, list) else [found]


def listed(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]


def test_wildcard_resources_are_listed_exceptions(resources: list[dict[str, Any]]) -> None:
    roles = of(resources, "aws_iam_role_policy")
    wide = {
        statement.get("Sid", role["address"])
        for role in roles
        for statement in statements(role["policy"])
        if "*" in listed(statement["Resource"]) and statement["Effect"] == "Allow"
    }

    assert wide <= FOR_ALL_RESOURCES


def test_no_statement_allows_a_whole_service(resources: list[dict[str, Any]]) -> None:
    wide = [
        (role["address"], action)
        for role in of(resources, "aws_iam_role_policy")
        for statement in statements(role["policy"])
        for action in listed(statement["Action"])
        if "*" in action
    ]

    assert wide == []


def test_service_principals_are_limited_to_this_account(resources: list[dict[str, Any]]) -> None:
    """Otherwise resources of other accounts could act through the service."""
    policies = [(one["address"], one["policy"]) for one in of(resources, "aws_s3_bucket_policy", "aws_sqs_queue")]
    open_to_all = {
        address
        for address, policy in policies
        if policy
        for statement in statements(policy)
        if statement["Effect"] == "Allow" and "Condition" not in statement
    }

    assert open_to_all == UNCONDITIONAL


def test_buckets_and_queues_require_tls(resources: list[dict[str, Any]]) -> None:
    queues = {one["name"]: one["policy"] for one in of(resources, "aws_sqs_queue")}
    buckets = {one["bucket"]: one["policy"] for one in of(resources, "aws_s3_bucket_policy")}
    assert set(buckets) == {one["bucket"] for one in of(resources, "aws_s3_bucket")}

    without = [name for name, policy in {**queues, **buckets}.items() if "aws:SecureTransport" not in (policy or "")]
    assert without == []


def test_buckets_block_public_access(resources: list[dict[str, Any]]) -> None:
    names = {one["bucket"] for one in of(resources, "aws_s3_bucket")}
    closed = {
        one["bucket"]
        for one in of(resources, "aws_s3_bucket_public_access_block")
        if one["block_public_acls"]
        and one["block_public_policy"]
        and one["ignore_public_acls"]
        and one["restrict_public_buckets"]
    }

    assert closed == names


def test_buckets_and_queues_are_encrypted(resources: list[dict[str, Any]]) -> None:
    encrypted = {one["bucket"] for one in of(resources, "aws_s3_bucket_server_side_encryption_configuration")}
    assert encrypted == {one["bucket"] for one in of(resources, "aws_s3_bucket")}
    assert all(one["sqs_managed_sse_enabled"] for one in of(resources, "aws_sqs_queue"))


def test_log_groups_have_a_retention(resources: list[dict[str, Any]]) -> None:
    assert all(one["retention_in_days"] > 0 for one in of(resources, "aws_cloudwatch_log_group"))


def _address(resource: dict[str, Any], instance: dict[str, Any]) -> str:
    key = f"[{instance['index_key']}]" if "index_key" in instance else ""
    return f"{resource.get('module', '')}.{resource['type']}.{resource['name']}{key}"
