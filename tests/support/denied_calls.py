"""Finds calls of functions and workers on the local stack that their policies do not allow.

The emulator evaluates no policies. Its log names the caller, the operation and the resource of a call, but no keys and
no condition keys. tests/infrastructure and tests/peers test the policies themselves.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from urllib.request import urlopen

from local.stack.stack import Stack
from tests.infrastructure.test_function_permissions import CALLS
from tests.infrastructure.test_worker_access import CALLS_BEFORE_A_CLAIM, CALLS_FOR_A_PAIR
from webordinary.contract.names import Names
from webordinary.contract.values import contract

Grants = Mapping[str, set[str]]
# Operations whose action has another name. A transaction names its tables in a part that the log leaves out.
ACTIONS = {
    "s3 GET": "s3:GetObject",
    "s3 HEAD": "s3:GetObject",
    "s3 PUT": "s3:PutObject",
    "s3 DELETE": "s3:DeleteObject",
    "s3 LIST": "s3:ListBucket",
    "lambda invocations": "lambda:InvokeFunction",
    "lambda url": "lambda:GetFunctionUrlConfig",
    "lambda POST": "lambda:InvokeFunctionUrl",
    "ses POST": "ses:SendEmail",
}
NOT_CHECKED = ("dynamodb TransactWriteItems",)
TAG = re.compile(r"\$\{[^}]+\}")


def denied_calls(stack: Stack) -> list[str]:
    with urlopen(f"{stack.emulated.endpoint}/calls/0") as response:  # noqa: S310 - always the emulator's address
        return find_denied(json.load(response)["calls"], stack.names)


def find_denied(calls: Iterable[tuple[str, str]], names: Names) -> list[str]:
    """Callers with the calls that none of their grants fits."""
    granted = _grants_by_caller(names)
    kinds = {(_name_of(caller), call) for caller, call in calls if call and not call.startswith(NOT_CHECKED)}
    return sorted(f"{name}: {call}" for name, call in kinds if name in granted and not _fits(call, granted[name]))


def _grants_by_caller(names: Names) -> dict[str, Grants]:
    functions: dict[str, Grants] = {names.function(key): CALLS[key] for key in contract()["functions"]}
    workers = {"worker-access": CALLS_FOR_A_PAIR, "worker-task": CALLS_BEFORE_A_CLAIM}
    return functions | {f"{names.prefix}-{role}": granted for role, granted in workers.items()}


def _name_of(caller: str) -> str:
    """The function of a process, such as `webordinary-intake` of `function.webordinary-intake.3`, or a role."""
    return caller.removeprefix("function.").rpartition(".")[0] if caller.startswith("function.") else caller


def _fits(call: str, granted: Grants) -> bool:
    service, operation, *resource = call.split()
    action = ACTIONS.get(f"{service} {operation}", f"{service}:{operation}")
    return any(
        action in actions and (not resource or action == "ses:SendEmail" or _names(pattern, resource[0]))
        for pattern, actions in granted.items()
    )


def _names(pattern: str, resource: str) -> bool:
    """Whether an ARN with wildcards names a resource of the log, such as `webordinary-jobs/open-jobs`."""
    text = TAG.sub("*", pattern)
    if text == "*":
        return True
    if text.startswith("arn:aws:s3:::"):
        return text.removeprefix("arn:aws:s3:::").partition("/")[0] == resource
    name = text.split(":", 5)[-1].removeprefix("table/").removeprefix("function:").replace("/index/", "/")
    return fnmatchcase(resource, name.partition(":")[0])
