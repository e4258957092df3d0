"""The applied policies in another evaluator of IAM: the requests of tests/infrastructure get the same verdicts."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.infrastructure.permissions import Request
from tests.infrastructure.test_function_permissions import ALLOWED, CALLS, REQUESTS
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
    tags,
)
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


@pytest.fixture(scope="module")
def verdicts(packages: Path, policies: Policies) -> dict[str, Any]:
    lines = "\n".join(json.dumps(question(case, policies)) for case in CASES)
    done = subprocess.run([NODE, PROGRAM, packages], input=lines, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(zip([case.name for case in CASES], map(json.loads, done.stdout.splitlines()), strict=True))


def test_every_request_gets_the_expected_verdict(verdicts: dict[str, Any]) -> None:
    wrong = [(case.name, verdicts[case.name]) for case in CASES if verdicts[case.name] != expected(case)]

    assert wrong == [], "\n".join(map(str, wrong))
    assert len(verdicts) > 600


def expected(case: Case) -> dict[str, str]:
    return {"verdict": "Allowed" if case.may else "ImplicitlyDenied"}
