"""DynamoDB items to and from plain Python values, and moments as the epoch milliseconds that conditions compare."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

EPOCH = datetime.fromtimestamp(0, UTC)
MILLISECOND = timedelta(milliseconds=1)


def to_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """{":fence": 3, "name": "x"} → {":fence": {"N": "3"}, "name": {"S": "x"}}"""
    from boto3.dynamodb.types import TypeSerializer

    serializer = TypeSerializer()
    return {name: serializer.serialize(value) for name, value in values.items()}


def from_item(item: Mapping[str, Any]) -> dict[str, Any]:
    from boto3.dynamodb.types import TypeDeserializer

    deserializer = TypeDeserializer()
    return {name: _plain(deserializer.deserialize(value)) for name, value in item.items()}


def milliseconds(moment: datetime) -> int:
    return (moment - EPOCH) // MILLISECOND


def moment(epoch_milliseconds: int) -> datetime:
    return EPOCH + epoch_milliseconds * MILLISECOND


def condition_failed(error: Exception) -> dict[str, Any] | None:
    """The item that stood in the way of a conditional write ({} if there was none), or None for any other error."""
    response = getattr(error, "response", None) or {}
    if response.get("Error", {}).get("Code") != "ConditionalCheckFailedException":
        return None
    return from_item(response.get("Item") or {})


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value
