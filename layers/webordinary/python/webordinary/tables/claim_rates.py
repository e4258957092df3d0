"""How often workers claim pairs: one item of the workers table.

The broker counts each claim with an atomic increment. A run of the fleet adds the new claims to the rate that the
previous run stored; of two concurrent runs one stores its rate, and no claim counts twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from webordinary.contract.names import Names
from webordinary.tables.items import from_item, from_milliseconds, milliseconds, to_values

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

CLAIMS = "claims"  # the key of the item; no slot has this name
UNCHANGED = "attribute_not_exists(notedAt) OR notedAt = :seen"
SIX_DIGITS = Decimal("0.000001")


@dataclass(frozen=True)
class ClaimRate:
    """The rate of claims when it was noted. `counted` is the number of all claims that it includes."""

    per_second: float = 0.0
    counted: int = 0
    noted_at: datetime | None = None
    last_claim_at: datetime | None = None


class ClaimRates:
    def __init__(self, client: DynamoDBClient, names: Names) -> None:
        self._client = client
        self._table = names.table("workers")

    def count(self) -> None:
        """Counts one claim."""
        self._client.update_item(
            TableName=self._table,
            Key=to_values({"slot": CLAIMS}),
            UpdateExpression="ADD claims :one",
            ExpressionAttributeValues=to_values({":one": 1}),
        )

    def read(self) -> tuple[ClaimRate, int]:
        """The rate as it was noted last, and the number of all claims until now."""
        answer = self._client.get_item(TableName=self._table, Key=to_values({"slot": CLAIMS}), ConsistentRead=True)
        item = from_item(answer.get("Item") or {})
        rate = ClaimRate(
            per_second=float(item.get("perSecond", 0)),
            counted=item.get("counted", 0),
            noted_at=_time(item.get("notedAt")),
            last_claim_at=_time(item.get("lastClaimAt")),
        )
        return rate, item.get("claims", 0)

    def note(self, before: ClaimRate, rate: ClaimRate) -> bool:
        """Stores a rate, unless a concurrent run has stored one since `before` was read."""
        values: dict[str, Any] = {
            ":rate": Decimal(rate.per_second).quantize(SIX_DIGITS),
            ":counted": rate.counted,
            ":now": milliseconds(rate.noted_at) if rate.noted_at else 0,
            ":last": milliseconds(rate.last_claim_at) if rate.last_claim_at else 0,
            ":seen": milliseconds(before.noted_at) if before.noted_at else 0,
        }
        try:
            self._client.update_item(
                TableName=self._table,
                Key=to_values({"slot": CLAIMS}),
                UpdateExpression="SET perSecond = :rate, counted = :counted, notedAt = :now, lastClaimAt = :last",
                ConditionExpression=UNCHANGED,
                ExpressionAttributeValues=to_values(values),
            )
        except self._client.exceptions.ConditionalCheckFailedException:
            return False
        return True


def _time(stored: int | None) -> datetime | None:
    return from_milliseconds(stored) if stored else None
