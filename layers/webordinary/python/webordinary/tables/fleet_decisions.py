"""The fleet's last decisions, for operators: what it saw, what it did, and why.

They are a ring buffer of items in the workers table, `decision-000` and so on: each new decision replaces the oldest
one. Runs that had nothing to do are not recorded.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from webordinary.contract.names import Names
from webordinary.contract.values import limit
from webordinary.tables.items import from_item, from_milliseconds, milliseconds, to_values

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

COUNTER = "decisions"  # the item with the number of all decisions; no slot has this name
PREFIX = "decision-"


class Reason(StrEnum):
    """Why the fleet did what it did."""

    FULL = "full"  # pairs wait, and every slot is taken
    DEMAND = "demand"  # started workers for waiting pairs
    SPARE = "spare"  # started spare workers
    SURPLUS = "surplus"  # stopped workers for which no pair waits
    CLEANUP = "cleanup"  # freed slots of ended workers, or stopped outdated or unhealthy ones
    STEADY = "steady"  # nothing to do


@dataclass(frozen=True)
class FleetDecision:
    """One run of the fleet. Counts of workers are those after the run."""

    at: datetime
    reason: Reason
    waiting: int = 0  # pairs that wait for a worker
    spare: int = 0  # spare workers that are wanted
    starting: int = 0
    idle: int = 0
    busy: int = 0
    ending: int = 0  # workers whose slots become free
    maximum: int = 0
    started: int = 0
    stopped: int = 0
    freed: int = 0
    missing: int = 0  # waiting pairs without a slot
    claims_per_hour: int = 0


class FleetDecisions:
    def __init__(self, client: DynamoDBClient, names: Names) -> None:
        self._client = client
        self._table = names.table("workers")
        self._size = int(limit("fleet_decisions"))

    def record(self, decision: FleetDecision) -> None:
        """Concurrent runs get different numbers, so neither replaces the other's decision."""
        number = self._next_number()
        values = {**asdict(decision), "at": milliseconds(decision.at), "reason": decision.reason.value}
        names = {f"#{name}": name for name in values}
        self._client.update_item(
            TableName=self._table,
            Key=to_values({"slot": f"{PREFIX}{number % self._size:03}"}),
            UpdateExpression="SET " + ", ".join(f"#{name} = :{name}" for name in values),
            ExpressionAttributeNames=names,
            ExpressionAttributeValues=to_values({f":{name}": value for name, value in values.items()}),
        )

    def latest(self) -> list[FleetDecision]:
        """The last decisions, newest first."""
        pages = self._client.get_paginator("scan").paginate(
            TableName=self._table,
            FilterExpression="begins_with(slot, :prefix)",
            ExpressionAttributeValues=to_values({":prefix": PREFIX}),
        )
        decisions = [_read(from_item(item)) for page in pages for item in page["Items"]]
        return sorted(decisions, key=lambda decision: decision.at, reverse=True)

    def _next_number(self) -> int:
        answer = self._client.update_item(
            TableName=self._table,
            Key=to_values({"slot": COUNTER}),
            UpdateExpression="ADD decisions :one",
            ExpressionAttributeValues=to_values({":one": 1}),
            ReturnValues="ALL_NEW",
        )
        return int(from_item(answer["Attributes"])["decisions"])


def _read(item: dict[str, Any]) -> FleetDecision:
    counts = {name: value for name, value in item.items() if name in FleetDecision.__dataclass_fields__}
    return FleetDecision(**{**counts, "at": from_milliseconds(item["at"]), "reason": Reason(item["reason"])})
