"""A pytest plugin: writes the calls of AWS that each function makes in the tests to WEBORDINARY_RECORDED_CALLS.

A call belongs to the function whose step is on the stack, unless a test makes it. Only the clients of DynamoDB, S3 and
SQS are recorded: the tests of steps replace the others. One line is one kind of call: function, IAM action, resource,
and the condition keys that AWS sets.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from botocore.client import BaseClient

from tests.infrastructure.permissions import Request

FILE = "WEBORDINARY_RECORDED_CALLS"
ACCOUNT, REGION = "123456789012", "us-east-1"
STEP = re.compile(r"/webordinary/steps/(\w+)")
TEST = "/tests/unit/"
ADDING = "/tests/peers/on_dynalite.py"  # makes calls in addition to those that it records
SERVICES = ("dynamodb", "s3", "sqs")
# Operations whose action has another name, and the writes of a transaction.
ACTIONS = {"ListObjectsV2": "ListBucket"}
WRITES = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}
# Attributes in an expression: no placeholders, no functions and no keywords, which all are uppercase here.
ATTRIBUTE = re.compile(r"(?<![:#\w])[a-z]\w*\b(?!\()")

_stock_call: Any = getattr(BaseClient, "_make_api_call")  # noqa: B009  private
_recorded: set[str] = set()


def record(service: str, operation: str, given: Mapping[str, Any]) -> None:
    function = _function_of(_stack())
    if function is None or service not in SERVICES:
        return
    for request in _requests(service, operation, given):
        line = {"function": function, "action": request.action, "resource": request.resource}
        _recorded.add(json.dumps({**line, "context": request.context}, sort_keys=True))


def _stack() -> Iterator[str]:
    """The files of the callers, the innermost first."""
    frame: Any = sys._getframe(1)
    while frame is not None:
        yield str(frame.f_code.co_filename)
        frame = frame.f_back


def _function_of(stack: Iterator[str]) -> str | None:
    """The outermost step: the sweep relays dead reports with the relay's step."""
    found = None
    for file in stack:
        if step := STEP.search(file):
            found = step[1]
        elif TEST in file:
            break
    return found


def _requests(service: str, operation: str, given: Mapping[str, Any]) -> Iterator[Request]:
    """What IAM is asked for one call."""
    if service == "s3":
        key = f"/{given['Key']}" if "Key" in given else ""
        yield Request(f"s3:{ACTIONS.get(operation, operation)}", f"arn:aws:s3:::{given['Bucket']}{key}")
    elif service == "sqs":
        name = str(given.get("QueueName") or given.get("QueueUrl", "")).rpartition("/")[2]
        yield Request(f"sqs:{operation.removesuffix('Batch')}", _arn("sqs", name) if name else "*")
    elif operation == "TransactWriteItems":
        for ((kind, write),) in (entry.items() for entry in given["TransactItems"]):
            yield _of_table(WRITES[kind], write)
    elif operation == "BatchGetItem":
        for table, keys in given["RequestItems"].items():
            yield _of_table(operation, {"TableName": table, **keys})
    else:
        yield _of_table(operation, given)


def _of_table(operation: str, given: Mapping[str, Any]) -> Request:
    index = f"/index/{given['IndexName']}" if "IndexName" in given else ""
    names = {*given.get("Key", {}), *given.get("Item", {}), *given.get("ExpressionAttributeNames", {}).values()}
    for field in given:
        if field.endswith("Expression"):
            names |= set(ATTRIBUTE.findall(given[field]))
    context = {"dynamodb:Attributes": sorted(names)}
    if "Select" in given:
        context["dynamodb:Select"] = [given["Select"]]
    return Request(f"dynamodb:{operation}", _arn("dynamodb", f"table/{given['TableName']}{index}"), context)


def _arn(service: str, resource: str) -> str:
    return f"arn:aws:{service}:{REGION}:{ACCOUNT}:{resource}"


def _call(self: Any, operation: str, given: dict[str, Any]) -> Any:
    if not any(ADDING in file for file in _stack()):
        record(self.meta.service_model.service_name, operation, given)
    return _stock_call(self, operation, given)


def pytest_sessionfinish() -> None:
    Path(os.environ[FILE]).write_text("".join(f"{line}\n" for line in sorted(_recorded)), encoding="utf-8")


setattr(BaseClient, "_make_api_call", _call)  # noqa: B010  private
