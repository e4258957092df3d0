"""Each function may do what it is for, and not what the others are for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.infrastructure.permissions import Request, is_allowed
from tests.infrastructure.test_worker_access import ADA, NAMES, item, objects, policy_of, queue_arn, table_arn
from tests.support.applied import Applied
from webordinary.platform.contract import contract
from webordinary.platform.names import attachment_part_key

MACHINE = f"arn:aws:states:us-east-1:123456789012:stateMachine:{NAMES.state_machine()}"
THREAD_SECRET = "arn:aws:ssm:us-east-1:123456789012:parameter/webordinary/thread-secret"

WISHES = {
    "start an execution": Request("states:StartExecution", MACHINE),
    "end a task": Request("states:SendTaskSuccess", MACHINE),
    "keep a task alive": Request("states:SendTaskHeartbeat", MACHINE),
    "read raw mail": objects(NAMES.bucket("raw_mail"), "GetObject", "mail/1"),
    "read a part of a mail": objects(NAMES.bucket("raw_mail"), "GetObject", attachment_part_key("1", 2)),
    "store a part of a mail": objects(NAMES.bucket("raw_mail"), "PutObject", attachment_part_key("1", 2)),
    "store a mail": objects(NAMES.bucket("raw_mail"), "PutObject", "mail/1"),
    "store an attachment": objects(NAMES.bucket("media"), "PutObject", "media/bakery/ada/photo.jpg"),
    "interrupt a job": Request("sqs:SendMessage", queue_arn("interrupts", ADA)),
    "hand a job over": Request("sqs:SendMessage", queue_arn("input", ADA)),
    "take a job from its queue": Request("sqs:ReceiveMessage", queue_arn("input", ADA)),
    "ask for an owner": Request("sqs:SendMessage", queue_arn("unclaimed")),
    "record a job": item("jobs", "UpdateItem", ADA.key),
    "find all open jobs": Request("dynamodb:Query", f"{table_arn('jobs')}/index/{NAMES.index('open_jobs')}"),
    "change an ownership": item("ownership", "UpdateItem", ADA.key),
    "read the thread secret": Request("ssm:GetParameter", THREAD_SECRET),
    "read dead letters": Request("sqs:ReceiveMessage", queue_arn("input_dead_letters", ADA)),
    "send an answer": Request(
        "ses:SendEmail",
        "arn:aws:ses:us-east-1:123456789012:identity/mail.example.com",
        {"ses:FromAddress": ["edit@mail.example.com"]},
    ),
    "send from another address": Request(
        "ses:SendEmail",
        "arn:aws:ses:us-east-1:123456789012:identity/mail.example.com",
        {"ses:FromAddress": ["director@mail.example.com"]},
    ),
}

MAY = {
    "start an execution": {"intake"},
    "end a task": {"dispatch", "relay_callback", "sweep"},
    "keep a task alive": {"relay_callback", "sweep"},
    "read raw mail": {"parse_email"},
    "read a part of a mail": {"process_attachment"},
    "store a part of a mail": {"parse_email"},
    "store a mail": set(),
    "store an attachment": {"process_attachment"},
    "interrupt a job": {"check_ownership"},
    "hand a job over": {"dispatch", "sweep"},
    "take a job from its queue": {"sweep"},
    "ask for an owner": {"claim", "dispatch", "sweep"},
    "record a job": {"dispatch", "relay_callback", "reply", "sweep"},
    "find all open jobs": {"sweep"},
    "change an ownership": set(),
    "read the thread secret": {"parse_email", "reply"},
    "read dead letters": {"sweep"},
    "send an answer": {"reply"},
    "send from another address": set(),
}


@pytest.fixture(scope="module")
def policies(applied: Applied) -> dict[str, dict[str, Any]]:
    return {key: policy_of(applied, NAMES.function(key), "function") for key in contract()["functions"]}


@pytest.mark.parametrize("wish", WISHES)
def test_only_the_functions_that_are_for_it_may(policies: dict[str, dict[str, Any]], wish: str) -> None:
    allowed = {function for function, policy in policies.items() if is_allowed(policy, WISHES[wish])}

    assert allowed == MAY[wish]


@pytest.mark.parametrize("function", contract()["functions"])
def test_no_function_may_do_everything_of_a_service(policies: dict[str, dict[str, Any]], function: str) -> None:
    statements = policies[function]["Statement"]
    actions = [action for statement in statements for action in _listed(statement["Action"])]

    assert [action for action in actions if "*" in action] == []


@pytest.mark.parametrize("function", contract()["functions"])
def test_no_function_reaches_all_resources(policies: dict[str, dict[str, Any]], function: str) -> None:
    statements = policies[function]["Statement"]

    assert [statement["Sid"] for statement in statements if "*" in _listed(statement["Resource"])] == []


def test_the_state_machine_may_invoke_the_functions_it_names_and_no_other(applied: Applied) -> None:
    policy = policy_of(applied, NAMES.state_machine(), "state-machine")
    arn = "arn:aws:lambda:us-east-1:123456789012:function:"
    invoked = {
        key
        for key in contract()["functions"]
        if is_allowed(policy, Request("lambda:InvokeFunction", arn + NAMES.function(key)))
    }

    assert invoked == {"parse_email", "process_attachment", "check_ownership", "claim", "dispatch", "reply"}


def _listed(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]
