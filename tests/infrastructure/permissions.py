"""Evaluates rendered IAM policies, as far as this project uses them.

Supports Allow and Deny, wildcards in actions and resources, policy variables of session tags, and the condition
operators below. Everything else raises.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

VARIABLE = re.compile(r"\$\{([^}]+)\}")
SUPPORTED_KEYS = {"Sid", "Effect", "Action", "Resource", "Condition"}

Values = Sequence[str]


class UnsupportedPolicyError(Exception):
    """The policy uses a feature that this evaluator does not support."""


@dataclass(frozen=True)
class Request:
    """A call of `action` on `resource`. `context` holds the condition keys that AWS would set."""

    action: str
    resource: str
    context: Mapping[str, Values] = field(default_factory=dict)


def is_allowed(policy: Mapping[str, Any], request: Request, tags: Mapping[str, str] | None = None) -> bool:
    """Whether a session with these principal tags is allowed. An explicit Deny wins; the default is deny."""
    variables = {f"aws:PrincipalTag/{name}": value for name, value in (tags or {}).items()}
    effects = {
        statement["Effect"] for statement in _listed(policy["Statement"]) if _matches(statement, request, variables)
    }
    return "Allow" in effects and "Deny" not in effects


def grants(policy: Mapping[str, Any]) -> dict[str, set[str]]:
    """The allowed actions by resource, without conditions."""
    granted: dict[str, set[str]] = {}
    for statement in _listed(policy["Statement"]):
        if statement["Effect"] != "Allow":
            raise UnsupportedPolicyError(f"a statement with {statement['Effect']}")
        for resource in _listed(statement["Resource"]):
            granted.setdefault(resource, set()).update(_listed(statement["Action"]))
    return granted


def _matches(statement: Mapping[str, Any], request: Request, variables: Mapping[str, str]) -> bool:
    if unknown := set(statement) - SUPPORTED_KEYS:
        raise UnsupportedPolicyError(f"statement with {sorted(unknown)}")
    return (
        any(_fits(pattern.lower(), request.action.lower(), {}) for pattern in _listed(statement["Action"]))
        and any(_fits(pattern, request.resource, variables) for pattern in _listed(statement["Resource"]))
        and all(
            _holds(operator, _found(key, request, variables), _listed(expected), variables)
            for operator, keys in statement.get("Condition", {}).items()
            for key, expected in keys.items()
        )
    )


def _found(key: str, request: Request, variables: Mapping[str, str]) -> Values | None:
    return [variables[key]] if key in variables else request.context.get(key)


def _holds(operator: str, found: Values | None, expected: Values, variables: Mapping[str, str]) -> bool:
    if operator not in OPERATORS:
        raise UnsupportedPolicyError(f"condition operator {operator}")
    return OPERATORS[operator](found, expected, variables)


def _one_equals(found: Values | None, expected: Values, variables: Mapping[str, str]) -> bool:
    return found is not None and any(value == _fill(text, variables) for value in found for text in expected)


def _none_equals(found: Values | None, expected: Values, variables: Mapping[str, str]) -> bool:
    # As in IAM, a request without the key matches.
    return not _one_equals(found, expected, variables)


def _one_is_like(found: Values | None, expected: Values, variables: Mapping[str, str]) -> bool:
    return found is not None and any(_fits(pattern, value, variables) for value in found for pattern in expected)


def _all_equal(found: Values | None, expected: Values, variables: Mapping[str, str]) -> bool:
    # As in IAM, a request without the key matches ForAllValues.
    return all(value in [_fill(text, variables) for text in expected] for value in found or [])


def _is_absent(found: Values | None, expected: Values, _: Mapping[str, str]) -> bool:
    return str(found is None).lower() in expected


# `Bool` compares like StringEquals; a request without the key does not match.
OPERATORS: dict[str, Callable[[Values | None, Values, Mapping[str, str]], bool]] = {
    "StringEquals": _one_equals,
    "StringNotEquals": _none_equals,
    "Bool": _one_equals,
    "StringLike": _one_is_like,
    "ForAllValues:StringEquals": _all_equal,
    "Null": _is_absent,
}


def _fill(text: str, variables: Mapping[str, str]) -> str | None:
    """The text with substituted variables; None if the session lacks a tag."""
    names = VARIABLE.findall(text)
    if any(name not in variables for name in names):
        return None
    return VARIABLE.sub(lambda match: variables[match[1]], text)


def _fits(pattern: str, text: str, variables: Mapping[str, str]) -> bool:
    """Wildcards of the policy apply; values of variables are literal."""
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
