"""Decides what a rendered IAM policy allows, as far as this project's policies go.

Knows: Allow and Deny, wildcards in actions and resources, policy variables of session tags, and the condition operators
below. Anything else raises, so that nothing is taken for allowed or denied that was not understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

VARIABLE = re.compile(r"\$\{([^}]+)\}")
UNDERSTOOD = {"Sid", "Effect", "Action", "Resource", "Condition"}

Values = Sequence[str]


class NotUnderstoodError(Exception):
    """The policy uses something that this evaluator does not know."""


@dataclass(frozen=True)
class Request:
    """Somebody wants to do `action` to `resource`. `context` holds the condition keys that AWS would fill in."""

    action: str
    resource: str
    context: Mapping[str, Values] = field(default_factory=dict)


def is_allowed(policy: Mapping[str, Any], request: Request, tags: Mapping[str, str] | None = None) -> bool:
    """Whether a session with these principal tags may do it. An explicit Deny wins; without an Allow it is denied."""
    variables = {f"aws:PrincipalTag/{name}": value for name, value in (tags or {}).items()}
    effects = {
        statement["Effect"] for statement in _listed(policy["Statement"]) if _matches(statement, request, variables)
    }
    return "Allow" in effects and "Deny" not in effects


def grants(policy: Mapping[str, Any]) -> dict[str, set[str]]:
    """All that a policy allows: the actions by the resource that they are allowed on. Conditions are left aside."""
    granted: dict[str, set[str]] = {}
    for statement in _listed(policy["Statement"]):
        if statement["Effect"] != "Allow":
            raise NotUnderstoodError(f"a statement with {statement['Effect']}")
        for resource in _listed(statement["Resource"]):
            granted.setdefault(resource, set()).update(_listed(statement["Action"]))
    return granted


def _matches(statement: Mapping[str, Any], request: Request, variables: Mapping[str, str]) -> bool:
    if unknown := set(statement) - UNDERSTOOD:
        raise NotUnderstoodError(f"statement with {sorted(unknown)}")
    return (
        any(_fits(pattern.lower(), request.action.lower(), {}) for pattern in _listed(statement["Action"]))
        and any(_fits(pattern, request.resource, variables) for pattern in _listed(statement["Resource"]))
        and all(
            _holds(operator, _found(key, request, variables), _listed(wanted), variables)
            for operator, keys in statement.get("Condition", {}).items()
            for key, wanted in keys.items()
        )
    )


def _found(key: str, request: Request, variables: Mapping[str, str]) -> Values | None:
    return [variables[key]] if key in variables else request.context.get(key)


def _holds(operator: str, found: Values | None, wanted: Values, variables: Mapping[str, str]) -> bool:
    if operator not in OPERATORS:
        raise NotUnderstoodError(f"condition operator {operator}")
    return OPERATORS[operator](found, wanted, variables)


def _one_equals(found: Values | None, wanted: Values, variables: Mapping[str, str]) -> bool:
    return found is not None and any(value == _fill(text, variables) for value in found for text in wanted)


def _none_equals(found: Values | None, wanted: Values, variables: Mapping[str, str]) -> bool:
    # As in IAM, a request without the key fulfils it.
    return not _one_equals(found, wanted, variables)


def _one_is_like(found: Values | None, wanted: Values, variables: Mapping[str, str]) -> bool:
    return found is not None and any(_fits(pattern, value, variables) for value in found for pattern in wanted)


def _all_equal(found: Values | None, wanted: Values, variables: Mapping[str, str]) -> bool:
    # As in IAM, a request without the key fulfils ForAllValues: such actions must not be granted at all.
    return all(value in [_fill(text, variables) for text in wanted] for value in found or [])


# `Bool` compares words like StringEquals does; a request without the key does not fulfil it.
OPERATORS: dict[str, Callable[[Values | None, Values, Mapping[str, str]], bool]] = {
    "StringEquals": _one_equals,
    "StringNotEquals": _none_equals,
    "Bool": _one_equals,
    "StringLike": _one_is_like,
    "ForAllValues:StringEquals": _all_equal,
}


def _fill(text: str, variables: Mapping[str, str]) -> str | None:
    """The text with its variables filled in. A tag that the session lacks makes it match nothing."""
    names = VARIABLE.findall(text)
    if any(name not in variables for name in names):
        return None
    return VARIABLE.sub(lambda match: variables[match[1]], text)


def _fits(pattern: str, text: str, variables: Mapping[str, str]) -> bool:
    """Wildcards count where the policy has them; what a variable brings in is taken literally."""
    expression = ""
    for index, part in enumerate(VARIABLE.split(pattern)):
        is_variable = index % 2 == 1
        if is_variable and part not in variables:
            return False
        literal = re.escape(variables[part] if is_variable else part)
        expression += literal if is_variable else literal.replace(r"\*", ".*").replace(r"\?", ".")
    return re.fullmatch(expression, text, re.DOTALL) is not None


def _listed(value: Any) -> Any:
    return value if isinstance(value, list) else [value]
