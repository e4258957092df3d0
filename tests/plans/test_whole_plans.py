"""What goes to AWS is planned in full, and is closed, encrypted and no wider than it has to be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.plans.conftest import Planned
from webordinary.platform.contract import contract

# What the environment `local` leaves out.
ON_AWS_ONLY = {
    "aws_acm_certificate",
    "aws_acm_certificate_validation",
    "aws_budgets_budget",
    "aws_cloudfront_distribution",
    "aws_cloudfront_function",
    "aws_cloudfront_origin_access_control",
    "aws_cloudfront_response_headers_policy",
    "aws_cloudwatch_dashboard",
    "aws_cloudwatch_metric_alarm",
    "aws_flow_log",
    "aws_route53_record",
    "aws_s3_bucket_lifecycle_configuration",
    "aws_security_group",
    "aws_sns_topic_subscription",
    "aws_subnet",
    "aws_vpc",
}
FOR_ALL_RESOURCES = {"FindQuietPairs", "DeliverLogs", "LogIn", "Traces"}  # as in tests/infrastructure


def statements(policy: str | None) -> Iterator[dict[str, Any]]:
    """None: Terraform cannot know the policy before it has made what it names."""
    found = json.loads(policy)["Statement"] if policy else []
    yield from found if isinstance(found, list) else [found]


def listed(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]


def test_everything_that_is_made_on_aws_only_is_in_the_plan(planned: Planned) -> None:
    assert planned.kinds() >= ON_AWS_ONLY


def test_no_statement_of_the_plan_reaches_everything_without_a_reason(planned: Planned) -> None:
    wide = {
        (statement.get("Sid"), action)
        for role in planned.of("aws_iam_role_policy")
        for statement in statements(role.get("policy"))
        for action in listed(statement["Action"])
        if statement["Effect"] == "Allow"
        and ("*" in action or ("*" in listed(statement["Resource"]) and statement.get("Sid") not in FOR_ALL_RESOURCES))
    }

    assert wide == set()


def test_every_bucket_of_the_plan_is_closed_and_encrypted(planned: Planned) -> None:
    buckets = {one["bucket"] for one in planned.of("aws_s3_bucket")}
    closing = ("block_public_acls", "block_public_policy", "ignore_public_acls", "restrict_public_buckets")
    blocks = planned.of("aws_s3_bucket_public_access_block")
    encrypted = planned.of("aws_s3_bucket_server_side_encryption_configuration")

    assert len(blocks) == len(encrypted) == len(buckets)
    assert all(block[name] for block in blocks for name in closing)
    assert all(one["sqs_managed_sse_enabled"] or one["kms_master_key_id"] for one in planned.of("aws_sqs_queue"))
    assert all(one["server_side_encryption"][0]["enabled"] for one in planned.of("aws_dynamodb_table"))


def test_everybody_calls_an_alias(planned: Planned) -> None:
    """A function that is called past its alias would not be rolled back."""
    assert all(one["publish"] for one in planned.of("aws_lambda_function") if one["function_name"].count("edge") == 0)
    assert len(planned.of("aws_lambda_alias")) == len(contract()["functions"])
    assert all(one["qualifier"] == "live" for one in planned.of("aws_lambda_function_url"))
    assert {one.get("qualifier") for one in planned.of("aws_lambda_permission")} == {"live"}
