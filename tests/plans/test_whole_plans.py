"""Plans for AWS are complete; their resources are private, encrypted and have minimal permissions."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from local.paths import ROOT
from tests.infrastructure.permissions import Request, grants, is_allowed
from tests.plans.conftest import ENABLED_IN, Planned
from tools.doctor import KEY_USERS
from webordinary.contract.names import Names
from webordinary.contract.values import contract
from webordinary.tables.workers import slot_name

# Resource types that the environment `local` disables.
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
QUEUE_MAKERS = ("-claim", "-dispatch", "-sweep")
FOR_ALL_RESOURCES = {
    "ListQueues",
    "DeliverLogs",
    "LogInToEcr",
    "DescribeRouting",
    "Traces",
    "EndTasks",
    "ExtendAndEndTasks",
}  # as in tests/infrastructure
LIVE_PREVIEWS = {
    "aws_cloudfront_origin_request_policy",
    "aws_cloudfront_vpc_origin",
    "aws_lb",
    "aws_lb_listener",
    "aws_lb_listener_rule",
    "aws_lb_target_group",
    "aws_vpc_security_group_ingress_rule",
}
PORT = contract()["live_previews"]["port"]


def statements(policy: str | None) -> Iterator[dict[str, Any]]:
    """A policy is None if it depends on resources that do not exist yet."""
    found = json.loads(policy)["Statement"] if policy else []
    yield from found if isinstance(found, list) else [found]


def listed(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]


def test_plan_contains_resources_that_local_disables(planned: Planned) -> None:
    assert planned.kinds() >= ON_AWS_ONLY


def test_planned_wildcard_resources_are_listed_exceptions(planned: Planned) -> None:
    wide = {
        (statement.get("Sid"), action)
        for role in planned.of("aws_iam_role_policy")
        for statement in statements(role.get("policy"))
        for action in listed(statement["Action"])
        if statement["Effect"] == "Allow"
        and ("*" in action or ("*" in listed(statement["Resource"]) and statement.get("Sid") not in FOR_ALL_RESOURCES))
    }

    assert wide == set()


def test_planned_buckets_are_private_and_encrypted(planned: Planned) -> None:
    buckets = {one["bucket"] for one in planned.of("aws_s3_bucket")}
    closing = ("block_public_acls", "block_public_policy", "ignore_public_acls", "restrict_public_buckets")
    blocks = planned.of("aws_s3_bucket_public_access_block")
    encrypted = planned.of("aws_s3_bucket_server_side_encryption_configuration")

    assert len(blocks) == len(encrypted) == len(buckets)
    assert all(block[name] for block in blocks for name in closing)
    assert all(one.get("sqs_managed_sse_enabled") or one["kms_master_key_id"] for one in planned.of("aws_sqs_queue"))
    # Without a key of the customer, DynamoDB encrypts with a key that it owns and that costs nothing.
    given = ENABLED_IN[planned.environment].get("kms_key_arn")
    encryption = [one["server_side_encryption"][0] for one in planned.of("aws_dynamodb_table")]
    assert {(one["enabled"], one.get("kms_key_arn")) for one in encryption} == {(given is not None, given)}


def test_functions_reserve_no_concurrency_and_keep_their_log_level(planned: Planned) -> None:
    """A new account has ten executions, of which none can be reserved."""
    functions = planned.of("aws_lambda_function")
    logged = [one["logging_config"][0]["application_log_level"] for one in functions if one.get("logging_config")]

    assert {one["reserved_concurrent_executions"] for one in functions} == {-1}
    assert len(logged) >= len(contract()["functions"])
    assert {level for level in logged if level} == {"DEBUG" if planned.environment == "dev" else "INFO"}


def test_edge_function_outlives_its_destruction(planned: Planned) -> None:
    """AWS refuses to delete it while CloudFront keeps replicas, for hours after the distributions are gone."""
    (edge,) = [one for one in planned.of("aws_lambda_function") if one["function_name"].endswith("-missing-pages")]

    assert edge["skip_destroy"]


def test_all_callers_use_aliases(planned: Planned) -> None:
    """A rollback does not affect callers that bypass the alias."""
    assert all(one["publish"] for one in planned.of("aws_lambda_function") if one["function_name"].count("edge") == 0)
    assert len(planned.of("aws_lambda_alias")) == len(contract()["functions"])
    assert all(one["qualifier"] == "live" for one in planned.of("aws_lambda_function_url"))
    # The load balancer target serves files, like the edge functions, and is not rolled back.
    called = [one for one in planned.of("aws_lambda_permission") if not one["function_name"].endswith("-not-live")]
    assert {one.get("qualifier") for one in called} == {"live"}


def keys(planned: Planned) -> dict[str, set[str | None]]:
    """The encryption keys of each kind of resource; None is AWS's default key."""
    secrets = [one for one in planned.of("aws_ssm_parameter") if one["type"] == "SecureString"]
    buckets = planned.of("aws_s3_bucket_server_side_encryption_configuration")
    defaults = [one["rule"][0]["apply_server_side_encryption_by_default"][0] for one in buckets]
    return {
        "buckets": {one["kms_master_key_id"] or None for one in defaults if one["sse_algorithm"] == "aws:kms"}
        | {None for one in defaults if one["sse_algorithm"] != "aws:kms"},
        "tables": {one["server_side_encryption"][0].get("kms_key_arn") for one in planned.of("aws_dynamodb_table")},
        "queues": {one["kms_master_key_id"] for one in planned.of("aws_sqs_queue")},
        "logs": {one["kms_key_id"] for one in planned.of("aws_cloudwatch_log_group")},
        "topics": {one["kms_master_key_id"] for one in planned.of("aws_sns_topic")},
        "secrets": {one.get("key_id") for one in secrets},
    }


def test_customer_managed_key_encrypts_all_data(planned: Planned) -> None:
    given = ENABLED_IN[planned.environment].get("kms_key_arn")

    assert {kind: key for kind, key in keys(planned).items() if key != {given}} == {}
    assert not any(
        one["kms_master_key_id"] and one.get("sqs_managed_sse_enabled") for one in planned.of("aws_sqs_queue")
    )


def test_key_permissions_exist_only_with_a_key(planned: Planned) -> None:
    given = ENABLED_IN[planned.environment].get("kms_key_arn")
    roles = planned.of("aws_iam_role_policy")
    uses = [one for role in roles for one in statements(role.get("policy")) if "kms:Decrypt" in listed(one["Action"])]
    makers = [one for one in planned.of("aws_lambda_function") if one["function_name"].endswith(QUEUE_MAKERS)]
    # The sweep's environment is unknown before the workers' role exists.
    known = [one["environment"][0]["variables"] for one in makers if "variables" in one["environment"][0]]
    keys_used = {variables.get("WEBORDINARY_KMS_KEY_ARN") for variables in known}

    assert keys_used == {given}
    assert bool(uses) is bool(given)
    assert all(listed(one["Resource"]) == [given] and "StringEquals" in one["Condition"] for one in uses)
    policy = planned.outputs.get("key_policy")
    asked = {one["Principal"]["Service"].partition(".")[0] for one in statements(policy)}
    assert asked == (set(KEY_USERS) if given else set())
    assert all("Condition" in one for one in statements(policy))


def test_readers_of_sites_may_decrypt_them(planned: Planned) -> None:
    given = ENABLED_IN[planned.environment].get("kms_key_arn")
    allowed = [
        {action for one in statements(role["policy"]) for action in listed(one["Action"])}
        for role in planned.of("aws_iam_role_policy")
        if role.get("policy")
    ]
    readers = [actions for actions in allowed if "s3:GetObject" in actions]

    assert readers
    assert all(("kms:Decrypt" in actions) is bool(given) for actions in readers)


def is_live(planned: Planned) -> bool:
    return bool(ENABLED_IN[planned.environment].get("live_previews"))


@pytest.fixture
def live(planned: Planned) -> Planned:
    """The plan with live previews."""
    if not is_live(planned):
        pytest.skip("previews are not live here")
    return planned


def test_live_previews_are_planned_only_if_enabled(planned: Planned) -> None:
    assert planned.kinds() & LIVE_PREVIEWS == (LIVE_PREVIEWS if is_live(planned) else set())
    definition = json.loads(first(planned, "aws_ecs_task_definition")["container_definitions"] or "[{}]")[0]
    variables = {one["name"] for one in definition["environment"]}
    assert ("WEBORDINARY_LIVE_ADDRESS" in variables, "portMappings" in definition) == (
        is_live(planned),
        is_live(planned),
    )


def test_only_cloudfront_reaches_workers_through_the_load_balancer(live: Planned) -> None:
    incoming = live.of("aws_vpc_security_group_ingress_rule")
    leaving = live.of("aws_vpc_security_group_egress_rule")
    worker_rules = [one for one in [*incoming, *leaving] if one["from_port"] != 443]

    assert all(one["internal"] for one in live.of("aws_lb"))
    assert {(one["from_port"], one["to_port"], bool(one["prefix_list_id"])) for one in incoming} == {
        (80, 80, True),
        (PORT, PORT, False),
    }
    assert {(one["from_port"], one["to_port"]) for one in leaving} == {(443, 443), (PORT, PORT)}
    assert not [one for one in worker_rules if one["cidr_ipv4"] or one["cidr_ipv6"]]
    assert [one["port"] for one in live.of("aws_lb_listener")] == [80]


def test_every_slot_has_a_rule_and_a_target_group(live: Planned) -> None:
    settings = (ROOT / f"terraform/environments/{live.environment}.tfvars").read_text(encoding="utf-8")
    maximum = int(re.findall(r"^max_workers\s*=\s*(\d+)$", settings, re.MULTILINE)[0])
    names = Names("webordinary", "123456789012")
    groups = {names.target_group(slot_name(number)) for number in range(1, maximum + 1)}

    assert {one["name"] for one in live.of("aws_lb_target_group") if one["target_type"] == "ip"} == groups
    paths = {
        one["condition"][0]["path_pattern"][0]["values"][0]: one["priority"]
        for one in live.of("aws_lb_listener_rule")
        if one["action"][0]["type"] == "forward"
    }
    assert set(paths) == {f"/{name}" for name in groups}
    assert len(set(paths.values())) == maximum


def test_routing_permissions_are_limited_to_the_load_balancer(live: Planned) -> None:
    elb = "arn:aws:elasticloadbalancing:eu-west-1:123456789012"
    seen = {"DescribeRules", "DescribeTargetGroups", "DescribeTargetHealth"}
    fleet = {
        "*": {f"elasticloadbalancing:{one}" for one in seen},
        f"{elb}:listener-rule/app/webordinary-live/*": {"elasticloadbalancing:ModifyRule"},
        f"{elb}:targetgroup/webordinary-slot-*/*": {"elasticloadbalancing:DeregisterTargets"},
    }
    broker = {
        **fleet,
        f"{elb}:targetgroup/webordinary-slot-*/*": {
            "elasticloadbalancing:DeregisterTargets",
            "elasticloadbalancing:RegisterTargets",
        },
        "arn:aws:ecs:eu-west-1:123456789012:task/webordinary-workers/*": {"ecs:DescribeTasks"},
        "arn:aws:dynamodb:eu-west-1:123456789012:table/webordinary-thread-mappings": {"dynamodb:Query"},
    }
    policies = [json.loads(one["policy"]) for one in live.of("aws_iam_role_policy") if one["name"] == "live-previews"]
    found = sorted((grants(policy) for policy in policies), key=len)

    assert found == [fleet, broker]
    thread = Request(
        "dynamodb:Query",
        "arn:aws:dynamodb:eu-west-1:123456789012:table/webordinary-thread-mappings",
        {"dynamodb:Attributes": ["pk", "projectKey"], "dynamodb:Select": ["SPECIFIC_ATTRIBUTES"]},
    )
    (of_broker,) = [policy for policy in policies if len(grants(policy)) == len(broker)]
    assert is_allowed(of_broker, thread)
    for attributes, select in ((["pk", "said"], "SPECIFIC_ATTRIBUTES"), ([], "ALL_ATTRIBUTES")):
        context = {"dynamodb:Attributes": attributes, "dynamodb:Select": [select]}
        assert not is_allowed(of_broker, replace(thread, context=context))


# Mutations of a plan, each with the test that must fail.


def first(planned: Planned, kind: str) -> dict[str, Any]:
    return planned.of(kind)[0]


def _wildcard(planned: Planned) -> None:
    statement = {"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*", "Sid": "New"}
    first(planned, "aws_iam_role_policy")["policy"] = json.dumps({"Statement": [statement]})


def _whole_service(planned: Planned) -> None:
    statement = {"Effect": "Allow", "Action": ["s3:*"], "Resource": "arn:aws:s3:::one/key"}
    first(planned, "aws_iam_role_policy")["policy"] = json.dumps({"Statement": statement})


def _open_bucket(planned: Planned) -> None:
    first(planned, "aws_s3_bucket_public_access_block")["block_public_policy"] = False


def _bucket_without_access_block(planned: Planned) -> None:
    planned.resources.append({"type": "aws_s3_bucket", "values": {"bucket": "another"}})


def _unencrypted_queue(planned: Planned) -> None:
    first(planned, "aws_sqs_queue").update(sqs_managed_sse_enabled=False, kms_master_key_id=None)


def _table_with_unknown_key(planned: Planned) -> None:
    other = {"enabled": True, "kms_key_arn": "arn:aws:kms:eu-west-1:123456789012:key/other"}
    first(planned, "aws_dynamodb_table")["server_side_encryption"] = [other]


def _call_without_alias(planned: Planned) -> None:
    first(planned, "aws_lambda_permission")["qualifier"] = None


def _function_without_versions(planned: Planned) -> None:
    next(one for one in planned.of("aws_lambda_function") if "reply" in one["function_name"])["publish"] = False


def _queue_with_another_key(planned: Planned) -> None:
    first(planned, "aws_sqs_queue")["kms_master_key_id"] = "alias/another"


def _table_with_another_key(planned: Planned) -> None:
    first(planned, "aws_dynamodb_table")["server_side_encryption"][0]["kms_key_arn"] = "another"


def _bucket_with_another_key(planned: Planned) -> None:
    rule = first(planned, "aws_s3_bucket_server_side_encryption_configuration")["rule"][0]
    rule["apply_server_side_encryption_by_default"][0].update(sse_algorithm="aws:kms", kms_master_key_id="another")


def _log_with_another_key(planned: Planned) -> None:
    first(planned, "aws_cloudwatch_log_group")["kms_key_id"] = "another"


def _topic_with_another_key(planned: Planned) -> None:
    first(planned, "aws_sns_topic")["kms_master_key_id"] = "alias/aws/sns"


def _secret_with_another_key(planned: Planned) -> None:
    next(one for one in planned.of("aws_ssm_parameter") if one["type"] == "SecureString")["key_id"] = "another"


def _public_load_balancer(planned: Planned) -> None:
    first(planned, "aws_lb")["internal"] = False


def _open_load_balancer(planned: Planned) -> None:
    rule = next(one for one in planned.of("aws_vpc_security_group_ingress_rule") if one["from_port"] == 80)
    rule["cidr_ipv4"] = "0.0.0.0/0"


def _public_worker_port(planned: Planned) -> None:
    rule = next(one for one in planned.of("aws_vpc_security_group_ingress_rule") if one["from_port"] == PORT)
    rule["cidr_ipv4"] = "10.0.0.0/8"


def _wider_worker_ports(planned: Planned) -> None:
    next(one for one in planned.of("aws_vpc_security_group_ingress_rule") if one["from_port"] == PORT)["to_port"] = 9000


def _wide_load_balancer_egress(planned: Planned) -> None:
    next(one for one in planned.of("aws_vpc_security_group_egress_rule") if one["from_port"] == PORT)["from_port"] = 0


def _remove(planned: Planned, kind: str, fits: Callable[[dict[str, Any]], bool]) -> None:
    planned.resources.remove(next(one for one in planned.resources if one["type"] == kind and fits(one["values"])))


def _rule_without_a_slot(planned: Planned) -> None:
    _remove(planned, "aws_lb_target_group", lambda one: one["target_type"] == "ip")


def _slot_without_a_rule(planned: Planned) -> None:
    _remove(planned, "aws_lb_listener_rule", lambda one: one["action"][0]["type"] == "forward")


def _permissions_for_every_load_balancer(planned: Planned) -> None:
    policy = next(one for one in planned.of("aws_iam_role_policy") if one["name"] == "live-previews")
    policy["policy"] = policy["policy"].replace("app/webordinary-live/*", "*")


Test = Callable[[Planned], None]
MISTAKES: list[tuple[Callable[[Planned], None], Test]] = [
    (_wildcard, test_planned_wildcard_resources_are_listed_exceptions),
    (_whole_service, test_planned_wildcard_resources_are_listed_exceptions),
    (_open_bucket, test_planned_buckets_are_private_and_encrypted),
    (_bucket_without_access_block, test_planned_buckets_are_private_and_encrypted),
    (_unencrypted_queue, test_planned_buckets_are_private_and_encrypted),
    (_table_with_unknown_key, test_planned_buckets_are_private_and_encrypted),
    (_call_without_alias, test_all_callers_use_aliases),
    (_function_without_versions, test_all_callers_use_aliases),
    (_queue_with_another_key, test_customer_managed_key_encrypts_all_data),
    (_table_with_another_key, test_customer_managed_key_encrypts_all_data),
    (_bucket_with_another_key, test_customer_managed_key_encrypts_all_data),
    (_log_with_another_key, test_customer_managed_key_encrypts_all_data),
    (_topic_with_another_key, test_customer_managed_key_encrypts_all_data),
    (_secret_with_another_key, test_customer_managed_key_encrypts_all_data),
]


@pytest.mark.parametrize(("make", "finds"), MISTAKES, ids=[make.__name__.strip("_") for make, _ in MISTAKES])
def test_mutated_plan_fails_its_test(planned: Planned, make: Callable[[Planned], None], finds: Test) -> None:
    mistaken = copy.deepcopy(planned)
    make(mistaken)

    with pytest.raises(AssertionError):
        finds(mistaken)


OF_LIVE_PREVIEWS: list[tuple[Callable[[Planned], None], Test]] = [
    (_public_load_balancer, test_only_cloudfront_reaches_workers_through_the_load_balancer),
    (_open_load_balancer, test_only_cloudfront_reaches_workers_through_the_load_balancer),
    (_public_worker_port, test_only_cloudfront_reaches_workers_through_the_load_balancer),
    (_wider_worker_ports, test_only_cloudfront_reaches_workers_through_the_load_balancer),
    (_wide_load_balancer_egress, test_only_cloudfront_reaches_workers_through_the_load_balancer),
    (_rule_without_a_slot, test_every_slot_has_a_rule_and_a_target_group),
    (_slot_without_a_rule, test_every_slot_has_a_rule_and_a_target_group),
    (_permissions_for_every_load_balancer, test_routing_permissions_are_limited_to_the_load_balancer),
]


@pytest.mark.parametrize(
    ("make", "finds"), OF_LIVE_PREVIEWS, ids=[make.__name__.strip("_") for make, _ in OF_LIVE_PREVIEWS]
)
def test_mutated_live_previews_plan_fails_its_test(live: Planned, make: Callable[[Planned], None], finds: Test) -> None:
    mistaken = copy.deepcopy(live)
    make(mistaken)

    with pytest.raises(AssertionError):
        finds(mistaken)
