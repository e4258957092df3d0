"""A pytest plugin: `World` keeps its tables in dynalite at WEBORDINARY_DYNALITE, everything else in moto.

dynalite is stricter than moto with expressions, and lacks two features that are added here: transactions (one after
another, undone if one fails) and ReturnValuesOnConditionCheckFailure.
"""

from __future__ import annotations

import os
from typing import Any

import boto3
from botocore.exceptions import ClientError

from tests.peers.recorded_calls import record
from tests.support import world
from webordinary.contract.names import Names
from webordinary.contract.values import contract

RETURNED = "ReturnValuesOnConditionCheckFailure"
FAILED = "ConditionalCheckFailedException"
_stock_client, _stock_make_tables = world.client, world.make_tables
_requests = 0


class Dynalite:
    """A DynamoDB client for dynalite."""

    def __init__(self) -> None:
        make: Any = boto3.client
        self._client = make(
            "dynamodb",
            endpoint_url=os.environ["WEBORDINARY_DYNALITE"],
            region_name=world.REGION,
            aws_access_key_id="testing",
            aws_secret_access_key="testing",
        )
        self._client.meta.events.register("before-send.dynamodb.*", _count_request)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def update_item(self, **request: Any) -> Any:
        return self._conditional("update_item", request["Key"], request)

    def delete_item(self, **request: Any) -> Any:
        return self._conditional("delete_item", request["Key"], request)

    def put_item(self, **request: Any) -> Any:
        key = {name: request["Item"][name] for name in self._keys(request["TableName"])}
        return self._conditional("put_item", key, request)

    def _conditional(self, call: str, key: dict[str, Any], request: dict[str, Any]) -> Any:
        record("dynamodb", self._client.meta.method_to_api_mapping[call], request)
        wanted = request.pop(RETURNED, "NONE")
        try:
            return getattr(self._client, call)(**request)
        except ClientError as error:
            if error.response["Error"]["Code"] == FAILED and wanted == "ALL_OLD":
                found = self._client.get_item(TableName=request["TableName"], Key=key, ConsistentRead=True)
                if "Item" in found:
                    error.response["Item"] = found["Item"]  # type: ignore[typeddict-unknown-key]
            raise

    def transact_write_items(self, TransactItems: list[dict[str, Any]]) -> Any:  # noqa: N803
        record("dynamodb", "TransactWriteItems", {"TransactItems": TransactItems})
        before: list[tuple[str, dict[str, Any], Any]] = []
        for number, ((kind, request),) in enumerate(tuple(one.items()) for one in TransactItems):
            key = request.get("Key") or {name: request["Item"][name] for name in self._keys(request["TableName"])}
            before.append((request["TableName"], key, self._get(request["TableName"], key)))
            try:
                self._write(kind, request, key)
            except ClientError as error:
                self._undo(before[:-1])
                failed = error.response["Error"]["Code"].removesuffix("Exception")
                reasons = [{"Code": failed if one == number else "None"} for one in range(len(TransactItems))]
                response = {"Error": {"Code": "TransactionCanceledException"}, "CancellationReasons": reasons}
                raise self._client.exceptions.TransactionCanceledException(response, "TransactWriteItems") from error
        return {}

    def _write(self, kind: str, request: dict[str, Any], key: dict[str, Any]) -> None:
        request = {name: value for name, value in request.items() if name != RETURNED}
        if kind == "ConditionCheck":
            # An update that changes nothing.
            self._client.update_item(**{**request, "Key": key})
        else:
            getattr(self._client, f"{kind.lower()}_item")(**request)

    def _get(self, table: str, key: dict[str, Any]) -> Any:
        return self._client.get_item(TableName=table, Key=key, ConsistentRead=True).get("Item")

    def _undo(self, before: list[tuple[str, dict[str, Any], Any]]) -> None:
        for table, key, item in reversed(before):
            if item is None:
                self._client.delete_item(TableName=table, Key=key)
            else:
                self._client.put_item(TableName=table, Item=item)

    def _keys(self, table: str) -> list[str]:
        schema = self._client.describe_table(TableName=table)["Table"]["KeySchema"]
        return [str(one["AttributeName"]) for one in schema]


def _count_request(**_: Any) -> None:
    global _requests
    _requests += 1


def client(service: str) -> Any:
    return _dynalite if service == "dynamodb" else _stock_client(service)


def make_tables(dynamodb: Any, names: Names) -> None:
    """Empties the tables of the test before, which is faster than creating them, unless it deleted one."""
    existing = dynamodb.list_tables()["TableNames"]
    if set(existing) != {names.table(kind) for kind in contract()["keys"]}:
        for table in existing:
            dynamodb.delete_table(TableName=table)
        _stock_make_tables(dynamodb, names)
        return
    for table in existing:
        keys = [one["AttributeName"] for one in dynamodb.describe_table(TableName=table)["Table"]["KeySchema"]]
        for item in dynamodb.scan(TableName=table)["Items"]:
            dynamodb.delete_item(TableName=table, Key={name: item[name] for name in keys})


def pytest_terminal_summary(terminalreporter: Any) -> None:
    terminalreporter.write_line(f"requests to dynalite: {_requests}")


_dynalite = Dynalite()
setattr(world, "client", client)  # noqa: B010  mypy knows another type
setattr(world, "make_tables", make_tables)  # noqa: B010
