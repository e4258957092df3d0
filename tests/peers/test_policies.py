"""The applied policies in another evaluator of IAM.

The requests of tests/infrastructure get the same verdicts. The calls of each function in the tests of its step are
allowed, and each permission is used by one of them.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from tests.infrastructure.permissions import Request, grants
from tests.infrastructure.test_function_permissions import ALLOWED, CALLS, FEED, REQUESTS, pair_queue_pattern
from tests.infrastructure.test_worker_access import (
    ADA,
    CALLS_BEFORE_A_CLAIM,
    NAMES,
    NEVER,
    OF_ONE_PAIR,
    OF_ONE_PROJECT,
    OF_PUBLISHERS,
    OTHERS,
    policy_of,
    queue_arn,
    table_arn,
    tags,
)
from tests.peers.conftest import DynaliteRun
from tests.peers.recorded_calls import SERVICES
from tests.support.applied import AppliedStack
from tests.unit.sites.edge import NODE
from webordinary.contract.messages.base import Pair
from webordinary.contract.values import contract

PROGRAM = Path(__file__).with_name("simulate.mjs")
# Condition keys with several values; all others have one.
LISTS = ("dynamodb:Attributes", "dynamodb:LeadingKeys", "aws:TagKeys")
Policies = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Case:
    name: str
    role: str
    request: Request
    may: bool
    tags: tuple[tuple[str, str], ...] = ()


def function_cases() -> Iterator[Case]:
    for name, request in REQUESTS.items():
        for function in contract()["functions"]:
            yield Case(f"{function}: {name}", function, request, function in ALLOWED[name])
    for function, calls in CALLS.items():
        for resource, actions in calls.items():
            for action in sorted(actions):
                request = Request(
                    action, resource if resource == "*" else resource.replace("*", "x"), _context_of(action)
                )
                yield Case(f"{function}: {action} on {resource}", function, request, may=True)


def _context_of(action: str) -> dict[str, list[str]]:
    """What AWS sets for a call with a condition in its policy."""
    conditions: dict[str, dict[str, list[str]]] = {
        "ecs:RunTask": {"ecs:cluster": ["arn:aws:ecs:us-east-1:123456789012:cluster/webordinary-workers"]},
        "iam:PassRole": {"iam:PassedToService": ["ecs-tasks.amazonaws.com"]},
        "ses:SendEmail": {"ses:FromAddress": ["edit@mail.example.com"]},
        "ses:SendRawEmail": {"ses:FromAddress": ["edit@mail.example.com"]},
        "dynamodb:Query": {"dynamodb:Attributes": ["jobId", "state"], "dynamodb:Select": ["SPECIFIC_ATTRIBUTES"]},
    }
    return conditions.get(action, {})


def worker_cases() -> Iterator[Case]:
    own = tuple(tags(ADA).items())
    of_pair: dict[str, Callable[[Pair], Request]] = OF_ONE_PAIR
    of_project: dict[str, Callable[[str], Request]] = OF_ONE_PROJECT
    for name, request_of in of_pair.items():
        yield Case(f"worker: {name}", "access", request_of(ADA), may=True, tags=own)
        yield Case(f"worker without tags: {name}", "access", request_of(ADA), may=False)
        for other in OTHERS:
            yield Case(f"worker: {name} of {other}", "access", request_of(other), may=False, tags=own)
    for name, request_for in of_project.items():
        yield Case(f"worker: {name}", "access", request_for("bakery"), may=True, tags=own)
        yield Case(f"worker: {name} of garden", "access", request_for("garden"), may=False, tags=own)
    editor = tuple(tags(ADA, "editor").items())
    for name, request in OF_PUBLISHERS.items():
        yield Case(f"editor: {name}", "access", request, may=False, tags=editor)
        yield Case(f"publisher: {name}", "access", request, may=True, tags=own)
    for name, request in NEVER.items():
        yield Case(f"worker: {name}", "access", request, may=False, tags=own)
    for resource, actions in CALLS_BEFORE_A_CLAIM.items():
        for action in sorted(actions):
            context = {"lambda:FunctionUrlAuthType": ["AWS_IAM"], "lambda:InvokedViaFunctionUrl": ["true"]}
            needed = {"lambda:InvokeFunctionUrl": 0, "lambda:InvokeFunction": 1}
            keys = [list(context)[needed[action]]] if action in needed else []
            request = Request(action, resource, {key: context[key] for key in keys})
            yield Case(f"unclaimed worker: {action} on {resource}", "unclaimed", request, may=True)


CASES = [*function_cases(), *worker_cases()]


@pytest.fixture(scope="module")
def policies(applied: AppliedStack) -> Policies:
    found = {key: policy_of(applied, NAMES.function(key), "function") for key in contract()["functions"]}
    found["access"] = policy_of(applied, "webordinary-worker-access", "one-pair")
    found["unclaimed"] = policy_of(applied, "webordinary-worker-task", "unclaimed-worker")
    return found


def question(case: Case, policies: Policies) -> dict[str, Any]:
    context: dict[str, Any] = {
        key: list(values) if key in LISTS else values[0] for key, values in case.request.context.items()
    }
    given = {f"aws:PrincipalTag/{name}": value for name, value in case.tags}
    return {
        "policy": _with_queue_names(policies[case.role], dict(case.tags)),
        "principal": f"arn:aws:sts::123456789012:assumed-role/{case.role}/session",
        "action": case.request.action,
        # IAM knows no resources for these.
        "resource": "*" if case.request.action.startswith("states:SendTask") else case.request.resource,
        "context": {**context, **given},
    }


def _with_queue_names(policy: dict[str, Any], given: dict[str, str]) -> dict[str, Any]:
    """This evaluator cannot parse variables inside the names of queues, so they are filled in."""

    def fill(text: Any) -> Any:
        if isinstance(text, list):
            return [fill(one) for one in text]
        if isinstance(text, str) and text.startswith("arn:aws:sqs:"):
            return re.sub(r"\$\{aws:PrincipalTag/(\w+)\}", lambda name: given.get(name[1], "no-such-tag"), text)
        return text

    return {**policy, "Statement": [{**one, "Resource": fill(one["Resource"])} for one in policy["Statement"]]}


def evaluate(packages: Path, policies: Policies, cases: list[Case]) -> dict[str, Any]:
    """The verdicts by the names of the cases."""
    lines = "\n".join(json.dumps(question(case, policies)) for case in cases)
    done = subprocess.run([NODE, PROGRAM, packages], input=lines, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(zip([case.name for case in cases], map(json.loads, done.stdout.splitlines()), strict=True))


def test_every_request_gets_the_expected_verdict(packages: Path, policies: Policies) -> None:
    verdicts = evaluate(packages, policies, CASES)
    wrong = [(case.name, verdicts[case.name]) for case in CASES if verdicts[case.name] != expected(case)]

    assert wrong == [], "\n".join(map(str, wrong))
    assert len(verdicts) > 600


def expected(case: Case) -> dict[str, str]:
    return {"verdict": "Allowed" if case.may else "ImplicitlyDenied"}


# Another policy allows it, which tests/plans checks: it exists only with live previews.
WITH_LIVE_PREVIEWS = ("broker", "dynamodb:Query", table_arn("thread_mappings"))

# Permissions that no test of a step uses. Lambda itself uses the first; the other calls are made by parts that these
# tests replace, and that every mail of the local stack uses.
OF_LAMBDA = {
    (name, action, queue_arn(queue))
    for name, queue in (("intake", "email"), ("relay_callback", "output"))
    for action in FEED
}
CREATING = ("sqs:GetQueueAttributes", "sqs:CreateQueue", "sqs:SetQueueAttributes", "sqs:TagQueue")
OF_QUEUE_CREATION = {
    (name, action, pair_queue_pattern(kind))
    for name in ("claim", "dispatch", "sweep")
    for action in CREATING
    for kind in ("input", "interrupts")
}
OF_PAUSES_AND_SHORTAGES = {
    ("claim", "dynamodb:GetItem", table_arn("project_configs")),
    ("fleet", "dynamodb:GetItem", table_arn("project_configs")),
    *((name, "dynamodb:GetItem", table_arn("workers")) for name in ("claim", "dispatch", "fleet", "sweep")),
}
NOT_RECORDED = OF_LAMBDA | OF_QUEUE_CREATION | OF_PAUSES_AND_SHORTAGES


def test_every_recorded_call_is_allowed(packages: Path, policies: Policies, dynalite_run: DynaliteRun) -> None:
    cases = [
        Case(json.dumps(call), call["function"], Request(call["action"], call["resource"], call["context"]), may=True)
        for call in dynalite_run.calls
        if (call["function"], call["action"], call["resource"]) != WITH_LIVE_PREVIEWS
    ]
    verdicts = evaluate(packages, policies, cases)

    denied = [case.name for case in cases if verdicts[case.name] != expected(case)]
    assert denied == [], "\n".join(denied)
    assert {case.role for case in cases} == set(contract()["functions"]) - {"intake"}  # starts executions only


def test_every_permission_is_used_by_a_recorded_call(policies: Policies, dynalite_run: DynaliteRun) -> None:
    unused = {
        (function, action, resource)
        for function in contract()["functions"]
        for resource, actions in grants(policies[function]).items()
        for action in actions
        if action.partition(":")[0] in SERVICES
        and not any(
            (call["function"], call["action"]) == (function, action) and fnmatchcase(call["resource"], resource)
            for call in dynalite_run.calls
        )
    }

    assert sorted(unused - NOT_RECORDED) == []
