"""The permissions of each function."""

from __future__ import annotations

from string import Template
from typing import Any

import pytest

from tests.infrastructure.permissions import Request, grants, is_allowed
from tests.infrastructure.test_worker_access import (
    ADA,
    NAMES,
    git_credential,
    github_app,
    item,
    objects,
    policy_of,
    queue_arn,
    table_arn,
)
from tests.support.applied import AppliedStack
from webordinary.contract.names import attachment_part_key
from webordinary.contract.values import contract

MACHINE = f"arn:aws:states:us-east-1:123456789012:stateMachine:{NAMES.state_machine()}"
FLEET = f"arn:aws:lambda:us-east-1:123456789012:function:{NAMES.live_function('fleet')}"
BROKER = f"arn:aws:lambda:us-east-1:123456789012:function:{NAMES.live_function('broker')}"
ACCESS_ROLE = "arn:aws:iam::123456789012:role/webordinary-worker-access"
ECS = "arn:aws:ecs:us-east-1:123456789012"
CLUSTER = f"{ECS}:cluster/webordinary-workers"
THREAD_SECRET = "arn:aws:ssm:us-east-1:123456789012:parameter/webordinary/thread-secret"

REQUESTS = {
    "start an execution": Request("states:StartExecution", MACHINE),
    "end a task": Request("states:SendTaskSuccess", "*"),
    "keep a task alive": Request("states:SendTaskHeartbeat", "*"),
    "read raw mail": objects(NAMES.bucket("raw_mail"), "GetObject", "mail/1"),
    "read a part of a mail": objects(NAMES.bucket("raw_mail"), "GetObject", attachment_part_key("1", 2)),
    "store a part of a mail": objects(NAMES.bucket("raw_mail"), "PutObject", attachment_part_key("1", 2)),
    "store a mail": objects(NAMES.bucket("raw_mail"), "PutObject", "mail/1"),
    "store an attachment": objects(NAMES.bucket("media"), "PutObject", "media/bakery/ada/photo.jpg"),
    "read a live site": objects(NAMES.bucket("sites"), "GetObject", "bakery/live/index.html"),
    "read a preview": objects(NAMES.bucket("sites"), "GetObject", f"bakery/preview/{'a' * 26}/index.html"),
    "read a release record": objects(NAMES.bucket("sites"), "GetObject", "bakery/releases/live.json"),
    "change a site": objects(NAMES.bucket("sites"), "PutObject", "bakery/live/index.html"),
    "store a picture": objects(NAMES.bucket("media"), "PutObject", "pictures/bakery/ada/1/after.jpg"),
    "read a picture": objects(NAMES.bucket("media"), "GetObject", "pictures/bakery/ada/1/after.jpg"),
    "interrupt a job": Request("sqs:SendMessage", queue_arn("interrupts", ADA)),
    "hand a job over": Request("sqs:SendMessage", queue_arn("input", ADA)),
    "take a job from its queue": Request("sqs:ReceiveMessage", queue_arn("input", ADA)),
    "ask for an owner": Request("sqs:SendMessage", queue_arn("unclaimed")),
    "call the fleet": Request("lambda:InvokeFunction", FLEET),
    "start a worker": Request(
        "ecs:RunTask", f"{ECS}:task-definition/webordinary-workers:7", {"ecs:cluster": [CLUSTER]}
    ),
    "start something else": Request("ecs:RunTask", f"{ECS}:task-definition/miner:1", {"ecs:cluster": [CLUSTER]}),
    "start a worker in another cluster": Request(
        "ecs:RunTask", f"{ECS}:task-definition/webordinary-workers:7", {"ecs:cluster": [f"{ECS}:cluster/other"]}
    ),
    "stop a worker": Request("ecs:StopTask", f"{ECS}:task/webordinary-workers/0123"),
    "give a worker its role": Request(
        "iam:PassRole",
        "arn:aws:iam::123456789012:role/webordinary-worker-task",
        {"iam:PassedToService": ["ecs-tasks.amazonaws.com"]},
    ),
    "give a function the worker's role": Request(
        "iam:PassRole",
        "arn:aws:iam::123456789012:role/webordinary-worker-task",
        {"iam:PassedToService": ["lambda.amazonaws.com"]},
    ),
    "record a job": item("jobs", "UpdateItem", ADA.key),
    "find all open jobs": Request("dynamodb:Query", f"{table_arn('jobs')}/index/{NAMES.index('open_jobs')}"),
    "read whether the fleet is full": item("workers", "GetItem", "shortage"),
    "change an ownership": item("ownership", "UpdateItem", ADA.key),
    "act for a pair": Request("sts:AssumeRole", ACCESS_ROLE),
    "invoke the broker": Request("lambda:InvokeFunction", BROKER),
    "read the thread secret": Request("ssm:GetParameter", THREAD_SECRET),
    "read the key of a GitHub App": Request("ssm:GetParameter", github_app("bakery")),
    "read a token for a repository": Request("ssm:GetParameter", git_credential("bakery")),
    "read dead letters": Request("sqs:ReceiveMessage", queue_arn("input_dead_letters")),
    "make a pair's queue": Request("sqs:CreateQueue", queue_arn("input", ADA)),
    "make any other queue": Request("sqs:CreateQueue", queue_arn("output")),
    "delete a pair's queue": Request("sqs:DeleteQueue", queue_arn("interrupts", ADA)),
    "delete any other queue": Request("sqs:DeleteQueue", queue_arn("input_dead_letters")),
    "send an answer": Request(
        "ses:SendEmail",
        "arn:aws:ses:us-east-1:123456789012:identity/mail.example.com",
        {"ses:FromAddress": ["edit@mail.example.com"]},
    ),
    "send an answer in the SES sandbox": Request(
        "ses:SendEmail",
        "arn:aws:ses:us-east-1:123456789012:identity/ada@example.com",
        {"ses:FromAddress": ["edit@mail.example.com"]},
    ),
    "send as a recipient": Request(
        "ses:SendEmail",
        "arn:aws:ses:us-east-1:123456789012:identity/ada@example.com",
        {"ses:FromAddress": ["ada@example.com"]},
    ),
    "send from another address": Request(
        "ses:SendEmail",
        "arn:aws:ses:us-east-1:123456789012:identity/mail.example.com",
        {"ses:FromAddress": ["director@mail.example.com"]},
    ),
}

ALLOWED = {
    "start an execution": {"intake", "sweep"},
    "end a task": {"control", "dispatch", "relay_callback", "sweep"},
    "keep a task alive": {"relay_callback", "sweep"},
    "read raw mail": {"parse_email"},
    "read a part of a mail": {"process_attachment"},
    "store a part of a mail": {"parse_email"},
    "store a mail": set(),
    "store an attachment": {"process_attachment"},
    "read a live site": {"picture"},
    "read a preview": {"picture"},
    "read a release record": {"control"},
    "change a site": set(),
    "store a picture": {"picture"},
    "read a picture": {"reply"},
    "interrupt a job": {"control", "dispatch"},
    "hand a job over": {"dispatch", "sweep"},
    "take a job from its queue": {"sweep"},
    "ask for an owner": {"broker", "claim", "dispatch", "fleet", "sweep"},
    "call the fleet": {"broker", "claim", "dispatch", "sweep"},
    "start a worker": {"fleet"},
    "start something else": set(),
    "start a worker in another cluster": set(),
    "stop a worker": {"fleet"},
    "give a worker its role": {"fleet"},
    "give a function the worker's role": set(),
    "record a job": {"control", "dispatch", "relay_callback", "reply", "sweep"},
    "find all open jobs": {"control", "dispatch", "sweep"},
    "read whether the fleet is full": {"broker", "claim", "dispatch", "fleet", "sweep"},
    "change an ownership": {"broker", "fleet"},
    "act for a pair": {"broker"},
    "invoke the broker": set(),
    "read the thread secret": {"parse_email", "reply"},
    "read the key of a GitHub App": {"broker"},
    "read a token for a repository": set(),
    "read dead letters": {"sweep"},
    "make a pair's queue": {"claim", "dispatch", "sweep"},
    "make any other queue": set(),
    "delete a pair's queue": {"sweep"},
    "delete any other queue": set(),
    "send an answer": {"reply"},
    "send an answer in the SES sandbox": {"reply"},
    "send as a recipient": set(),
    "send from another address": set(),
}

IDENTITY = "arn:aws:ses:us-east-1:123456789012:identity/mail.example.com"
RECIPIENT = "arn:aws:ses:us-east-1:123456789012:identity/ada@example.com"
CONFIGURATION_SET = "arn:aws:ses:us-east-1:123456789012:configuration-set/webordinary-replies"
RAW_MAIL = f"arn:aws:s3:::{NAMES.bucket('raw_mail')}/mail/*"
PARTS = f"arn:aws:s3:::{NAMES.bucket('raw_mail')}/parts/*"
MEDIA = f"arn:aws:s3:::{NAMES.bucket('media')}/media/*"
PICTURES = f"arn:aws:s3:::{NAMES.bucket('media')}/pictures/*"
LIVE_SITES = f"arn:aws:s3:::{NAMES.bucket('sites')}/*/live/*"
RELEASES = f"arn:aws:s3:::{NAMES.bucket('sites')}/*/releases/*"
PREVIEWS = f"arn:aws:s3:::{NAMES.bucket('sites')}/*/preview/*/*"

FEED = {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}  # Lambda's own poller
SEND = {"sqs:SendMessage"}
MAKE = {"sqs:GetQueueAttributes", "sqs:CreateQueue", "sqs:SetQueueAttributes", "sqs:TagQueue"}
DRAIN = {"sqs:ReceiveMessage", "sqs:DeleteMessage"}
TAKE = DRAIN | {"sqs:ChangeMessageVisibility"}
READ, READ_MANY, QUERY, PUT, UPDATE, DELETE, SCAN = (
    {f"dynamodb:{action}"}
    for action in ("GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "Scan")
)
END_TASKS = {"states:SendTaskSuccess", "states:SendTaskFailure"}
BEAT = {"states:SendTaskHeartbeat"}


def pair_queue_pattern(kind: str) -> str:
    name = Template(contract()["queues"][kind]).substitute(prefix="webordinary", project="*", user="*")
    return f"arn:aws:sqs:us-east-1:123456789012:{name}"


OPEN_JOBS = f"{table_arn('jobs')}/index/{NAMES.index('open_jobs')}"
OWNED_PAIRS = f"{table_arn('ownership')}/index/{NAMES.index('by_container')}"

# The AWS calls of each function, by resource. The policies must grant exactly these.
CALLS: dict[str, dict[str, set[str]]] = {
    "intake": {queue_arn("email"): FEED, MACHINE: {"states:StartExecution"}},
    "parse_email": {
        RAW_MAIL: {"s3:GetObject"},
        PARTS: {"s3:PutObject"},
        table_arn("project_configs"): READ,
        table_arn("thread_mappings"): READ | PUT | UPDATE,
        table_arn("idempotency"): UPDATE,
        table_arn("spending"): QUERY | UPDATE,
        THREAD_SECRET: {"ssm:GetParameter"},
    },
    "process_attachment": {PARTS: {"s3:GetObject"}, MEDIA: {"s3:PutObject"}},
    "check_ownership": {table_arn("ownership"): READ},
    "claim": {
        table_arn("project_configs"): READ,
        table_arn("worker_requests"): READ | UPDATE,
        table_arn("workers"): READ,
        queue_arn("unclaimed"): SEND,
        pair_queue_pattern("input"): MAKE,
        pair_queue_pattern("interrupts"): MAKE,
        FLEET: {"lambda:InvokeFunction"},
    },
    "control": {
        RELEASES: {"s3:GetObject"},
        OPEN_JOBS: QUERY,
        table_arn("jobs"): READ | READ_MANY | UPDATE,
        table_arn("unfinished_jobs"): QUERY | DELETE,
        table_arn("thread_mappings"): READ,
        pair_queue_pattern("interrupts"): SEND,
        "*": END_TASKS,
    },
    "dispatch": {
        table_arn("project_configs"): READ,
        OPEN_JOBS: QUERY,
        table_arn("jobs"): READ_MANY | UPDATE,
        table_arn("unfinished_jobs"): QUERY | PUT | DELETE,
        table_arn("conversations"): UPDATE,
        pair_queue_pattern("input"): SEND | MAKE,
        pair_queue_pattern("interrupts"): SEND | MAKE,
        table_arn("ownership"): READ,
        table_arn("worker_requests"): READ | UPDATE,
        table_arn("workers"): READ,
        queue_arn("unclaimed"): SEND,
        FLEET: {"lambda:InvokeFunction"},
        "*": END_TASKS,
    },
    "fleet": {
        table_arn("project_configs"): READ,
        table_arn("workers"): READ | SCAN | UPDATE,
        table_arn("ownership"): READ | UPDATE,
        table_arn("worker_requests"): READ | UPDATE | SCAN,
        queue_arn("unclaimed"): SEND,
        f"{ECS}:task-definition/webordinary-workers:*": {"ecs:RunTask"},
        f"{ECS}:task/webordinary-workers/*": {"ecs:DescribeTasks", "ecs:StopTask"},
        "arn:aws:iam::123456789012:role/webordinary-worker-task": {"iam:PassRole"},
        "arn:aws:iam::123456789012:role/webordinary-worker-execution": {"iam:PassRole"},
    },
    "broker": {
        github_app("*"): {"ssm:GetParameter"},
        table_arn("project_configs"): READ,
        table_arn("workers"): READ | UPDATE,
        queue_arn("unclaimed"): TAKE | SEND,
        table_arn("ownership"): READ | UPDATE,
        table_arn("jobs"): QUERY,  # whether any wait; see below
        table_arn("unfinished_jobs"): QUERY,
        table_arn("worker_requests"): READ | UPDATE | DELETE,
        FLEET: {"lambda:InvokeFunction"},
        ACCESS_ROLE: {"sts:AssumeRole", "sts:TagSession"},
    },
    "picture": {LIVE_SITES: {"s3:GetObject"}, PREVIEWS: {"s3:GetObject"}, PICTURES: {"s3:PutObject"}},
    "relay_callback": {
        table_arn("idempotency"): UPDATE,
        table_arn("spending"): UPDATE,
        queue_arn("output"): FEED,
        queue_arn("output_dead_letters"): SEND,
        table_arn("jobs"): READ | UPDATE,
        table_arn("unfinished_jobs"): DELETE,
        table_arn("ownership"): READ,
        "*": END_TASKS | BEAT,
    },
    "reply": {
        table_arn("conversations"): UPDATE,
        table_arn("jobs"): READ | UPDATE,
        table_arn("unfinished_jobs"): DELETE,
        table_arn("idempotency"): UPDATE,
        table_arn("thread_mappings"): PUT | UPDATE,
        table_arn("project_configs"): READ,
        IDENTITY: {"ses:SendEmail", "ses:SendRawEmail"},
        CONFIGURATION_SET: {"ses:SendEmail", "ses:SendRawEmail"},
        RECIPIENT: {"ses:SendEmail", "ses:SendRawEmail"},  # in the SES sandbox
        THREAD_SECRET: {"ssm:GetParameter"},
        PICTURES: {"s3:GetObject"},
    },
    "sweep": {
        MACHINE: {"states:StartExecution"},
        OPEN_JOBS: QUERY,
        table_arn("jobs"): READ | QUERY | UPDATE,
        table_arn("unfinished_jobs"): QUERY | PUT | DELETE,
        table_arn("ownership"): READ,
        OWNED_PAIRS: SCAN,
        table_arn("worker_requests"): READ | UPDATE,
        table_arn("idempotency"): READ | PUT | UPDATE | DELETE,
        table_arn("spending"): UPDATE,
        table_arn("project_configs"): READ,
        pair_queue_pattern("input"): SEND | TAKE | MAKE | {"sqs:DeleteQueue"},
        pair_queue_pattern("interrupts"): MAKE | {"sqs:DeleteQueue"},
        "*": {"sqs:ListQueues"} | END_TASKS | BEAT,
        table_arn("workers"): READ,
        queue_arn("unclaimed"): SEND,
        FLEET: {"lambda:InvokeFunction"},
        queue_arn("input_dead_letters"): DRAIN,
        queue_arn("output_dead_letters"): TAKE,
        queue_arn("unclaimed_dead_letters"): DRAIN,
    },
}


@pytest.fixture(scope="module")
def policies(applied: AppliedStack) -> dict[str, dict[str, Any]]:
    return {key: policy_of(applied, NAMES.function(key), "function") for key in contract()["functions"]}


@pytest.mark.parametrize("name", REQUESTS)
def test_request_is_allowed_for_listed_functions_only(policies: dict[str, dict[str, Any]], name: str) -> None:
    allowed = {function for function, policy in policies.items() if is_allowed(policy, REQUESTS[name])}

    assert allowed == ALLOWED[name]


@pytest.mark.parametrize("function", contract()["functions"])
def test_function_policy_grants_exactly_its_calls(policies: dict[str, dict[str, Any]], function: str) -> None:
    own_log = f"arn:aws:logs:us-east-1:123456789012:log-group:/aws/lambda/{NAMES.function(function)}:*"
    logging = {own_log: {"logs:CreateLogStream", "logs:PutLogEvents"}}

    assert grants(policies[function]) == {**CALLS[function], **logging}


@pytest.mark.parametrize("function", contract()["functions"])
def test_function_policy_has_no_wildcard_actions(policies: dict[str, dict[str, Any]], function: str) -> None:
    statements = policies[function]["Statement"]
    actions = [action for statement in statements for action in _listed(statement["Action"])]

    assert [action for action in actions if "*" in action] == []


# Statements with wildcard resources, because AWS supports no narrower ones.
FOR_ALL_RESOURCES = {
    "control": ["EndTasks"],
    "dispatch": ["EndTasks"],
    "relay_callback": ["ExtendAndEndTasks"],
    "sweep": ["ListQueues", "ExtendAndEndTasks"],
}


@pytest.mark.parametrize("function", contract()["functions"])
def test_function_policy_has_no_unlisted_wildcard_resources(policies: dict[str, dict[str, Any]], function: str) -> None:
    statements = policies[function]["Statement"]
    reaching = [statement["Sid"] for statement in statements if "*" in _listed(statement["Resource"])]

    assert reaching == FOR_ALL_RESOURCES.get(function, [])


@pytest.mark.parametrize(
    ("attributes", "select", "may"),
    [
        (["projectKey", "jobId", "state", "open"], "SPECIFIC_ATTRIBUTES", True),
        (["projectKey", "jobId", "state", "taskToken"], "SPECIFIC_ATTRIBUTES", False),
        (["job"], "SPECIFIC_ATTRIBUTES", False),
        ([], "ALL_ATTRIBUTES", False),
    ],
    ids=str,
)
def test_broker_reads_only_the_state_of_jobs(
    policies: dict[str, dict[str, Any]], attributes: list[str], select: str, may: bool
) -> None:
    context = {"dynamodb:Attributes": attributes, "dynamodb:Select": [select]}

    assert is_allowed(policies["broker"], Request("dynamodb:Query", table_arn("jobs"), context)) is may


def test_state_machine_may_invoke_only_its_functions(applied: AppliedStack) -> None:
    policy = policy_of(applied, NAMES.state_machine(), "state-machine")
    arn = "arn:aws:lambda:us-east-1:123456789012:function:"
    invoked = {
        key
        for key in contract()["functions"]
        if is_allowed(policy, Request("lambda:InvokeFunction", arn + NAMES.live_function(key)))
    }

    named = {"parse_email", "process_attachment", "check_ownership", "claim", "control", "dispatch", "picture", "reply"}
    assert invoked == named


def _listed(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]
