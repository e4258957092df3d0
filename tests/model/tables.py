"""The tables of the ownership protocol on moto or the emulator, as Terraform makes them elsewhere, and a fake clock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

import boto3
from moto import mock_aws

from webordinary.names import Names

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class FakeClock:
    """A clock that stands still until it is told to go on."""

    def __init__(self) -> None:
        self.now = datetime(2030, 1, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@contextmanager
def tables_on_moto(names: Names) -> Iterator[DynamoDBClient]:
    with mock_aws():  # which starts empty each time
        create_tables(_client(), names)
        yield _client()


@cache
def _client() -> DynamoDBClient:
    with mock_aws():
        return boto3.client(
            "dynamodb", region_name="eu-central-1", aws_access_key_id="none", aws_secret_access_key="none"
        )


def create_tables(client: DynamoDBClient, names: Names) -> None:
    _create(client, names.table("ownership"), ["projectKey"], (names.index("ownership_by_container"), ["containerId"]))
    _create(client, names.table("jobs"), ["projectKey", "jobId"], (names.index("open_jobs"), ["open", "receivedAt"]))
    _create(client, names.table("claim_requests"), ["projectKey"])
    _create(client, names.table("idempotency"), ["id"])


def _create(client: DynamoDBClient, table: str, key: list[str], index: tuple[str, list[str]] | None = None) -> None:
    attributes = [*key, *(index[1] if index else [])]
    request: dict[str, Any] = {
        "TableName": table,
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": _key_schema(key),
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in attributes],
    }
    if index:
        name, index_key = index
        request["GlobalSecondaryIndexes"] = [
            {"IndexName": name, "KeySchema": _key_schema(index_key), "Projection": {"ProjectionType": "ALL"}}
        ]
    client.create_table(**request)


def _key_schema(key: list[str]) -> list[dict[str, str]]:
    kinds = ["HASH", "RANGE"]
    return [{"AttributeName": name, "KeyType": kind} for name, kind in zip(key, kinds, strict=False)]
