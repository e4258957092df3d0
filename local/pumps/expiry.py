"""DynamoDB's time to live: deletes items some time after they expired.

AWS gives no guarantee about the time ("typically within a few days"), so this pump lags on purpose: code that treats a
missing item as the end of a lease fails here too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from local.aws import EmulatedAws
from local.pumps.pump import Pump, Report

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

EXPIRED_BEFORE = "#ttl < :limit"


class Expiry(Pump):
    name = "expiry"

    def __init__(
        self,
        emulated: EmulatedAws,
        report: Report,
        *,
        lag_seconds: float = 300,
        every_seconds: float = 60,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(report)
        self._dynamodb: DynamoDBClient = emulated.client("dynamodb")
        self._lag_seconds = lag_seconds
        self._every_seconds = every_seconds
        self._clock = clock

    def tasks(self) -> list[Callable[[], None]]:
        return [self._wait_and_delete]

    def _wait_and_delete(self) -> None:
        if not self._stopping.wait(self._every_seconds):
            self.delete_expired()

    def delete_expired(self) -> int:
        """Deletes what expired longer ago than the lag, in every table with a TTL; returns the number of items."""
        limit = int(self._clock() - self._lag_seconds)
        return sum(self._delete_from(table, attribute, limit) for table, attribute in self._tables_with_ttl())

    def _tables_with_ttl(self) -> Iterator[tuple[str, str]]:
        for page in self._dynamodb.get_paginator("list_tables").paginate():
            for table in page["TableNames"]:
                description = self._dynamodb.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
                if description.get("TimeToLiveStatus") == "ENABLED":
                    yield table, description["AttributeName"]

    def _delete_from(self, table: str, attribute: str, limit: int) -> int:
        keys = [part["AttributeName"] for part in self._dynamodb.describe_table(TableName=table)["Table"]["KeySchema"]]
        condition: dict[str, Any] = {
            "ExpressionAttributeNames": {"#ttl": attribute},
            "ExpressionAttributeValues": {":limit": {"N": str(limit)}},
        }
        pages = self._dynamodb.get_paginator("scan").paginate(
            TableName=table, FilterExpression=EXPIRED_BEFORE, **condition
        )
        expired = [{key: item[key] for key in keys} for page in pages for item in page["Items"]]
        return sum(self._delete(table, key, condition) for key in expired)

    def _delete(self, table: str, key: dict[str, Any], condition: dict[str, Any]) -> bool:
        # The item may have been extended since the scan, so the delete is conditional.
        try:
            self._dynamodb.delete_item(TableName=table, Key=key, ConditionExpression=EXPIRED_BEFORE, **condition)
        except self._dynamodb.exceptions.ConditionalCheckFailedException:
            return False
        return True
