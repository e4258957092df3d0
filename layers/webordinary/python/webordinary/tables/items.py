"""Converts DynamoDB items to and from Python values, and timestamps to epoch milliseconds for conditions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

EPOCH = datetime.fromtimestamp(0, UTC)
MILLISECOND = timedelta(milliseconds=1)
MICRO = 1_000_000  # of a dollar: integers add up exactly


def to_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """{":fence": 3, "name": "x"} → {":fence": {"N": "3"}, "name": {"S": "x"}}"""
    return {name: _to_value(value) for name, value in values.items()}


def from_item(item: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _from_value(value) for name, value in item.items()}


def milliseconds(timestamp: datetime) -> int:
    return (timestamp - EPOCH) // MILLISECOND


def from_milliseconds(epoch_milliseconds: int) -> datetime:
    return EPOCH + epoch_milliseconds * MILLISECOND


def condition_failed(error: Exception) -> dict[str, Any] | None:
    """The item that failed a condition ({} if it did not exist), or None for any other error."""
    response = getattr(error, "response", None) or {}
    if response.get("Error", {}).get("Code") != "ConditionalCheckFailedException":
        return None
    return from_item(response.get("Item") or {})


def _to_value(value: Any) -> dict[str, Any]:
    """Like boto3's serializer, whose import is slow."""
    match value:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": value}
        case str():
            return {"S": value}
        case int() | Decimal():
            return {"N": str(value)}
        case bytes():
            return {"B": value}
        case Mapping():
            return {"M": to_values(value)}
        case list() | tuple():
            return {"L": [_to_value(one) for one in value]}
        case set() | frozenset() if value and all(isinstance(one, str) for one in value):
            return {"SS": sorted(value)}
    raise TypeError(f"Unsupported DynamoDB value {value!r}: {type(value).__name__}.")


def _from_value(value: Mapping[str, Any]) -> Any:
    ((kind, content),) = value.items()
    match kind:
        case "NULL":
            return None
        case "N":
            return _number(content)
        case "M":
            return from_item(content)
        case "L":
            return [_from_value(one) for one in content]
        case "SS" | "BS":
            return set(content)
        case "NS":
            return {_number(one) for one in content}
        case "S" | "BOOL" | "B":
            return content
    raise TypeError(f"Unsupported DynamoDB type {kind} in an item.")


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        number = Decimal(text)
    return int(number) if number == number.to_integral_value() else float(number)
