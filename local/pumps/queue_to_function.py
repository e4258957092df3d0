"""Event source mappings: long-polls queues and invokes functions with the messages, as Lambda's pollers do.

Handled messages are deleted. Failed ones become visible again after their visibility timeout, until the queue's redrive
policy applies. Unlike AWS there is one poller per mapping and no batching window.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from local.aws import EmulatedAws
from local.pumps.pump import Pump, Report

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_sqs import SQSClient

MAX_BATCH = 10


@dataclass(frozen=True)
class EventSourceMapping:
    queue_arn: str
    function_arn: str
    batch_size: int
    reports_item_failures: bool

    @property
    def queue_name(self) -> str:
        return self.queue_arn.rpartition(":")[2]

    @property
    def is_fifo(self) -> bool:
        return self.queue_name.endswith(".fifo")


class QueueToFunction(Pump):
    name = "queue-to-function"

    def __init__(self, emulated: EmulatedAws, report: Report, *, wait_seconds: int = 20) -> None:
        super().__init__(report)
        self._region = emulated.region
        self._lambda: LambdaClient = emulated.client("lambda")
        self._sqs: SQSClient = emulated.client("sqs")
        self._wait_seconds = wait_seconds

    def tasks(self) -> list[Callable[[], None]]:
        return [partial(self.poll_once, mapping) for mapping in self.mappings()]

    def mappings(self) -> list[EventSourceMapping]:
        pages = self._lambda.get_paginator("list_event_source_mappings").paginate()
        return [
            EventSourceMapping(
                queue_arn=found["EventSourceArn"],
                function_arn=found["FunctionArn"],
                batch_size=min(MAX_BATCH, found.get("BatchSize", MAX_BATCH)),
                reports_item_failures="ReportBatchItemFailures" in found.get("FunctionResponseTypes", []),
            )
            for page in pages
            for found in page["EventSourceMappings"]
            if found.get("State", "Enabled") == "Enabled" and ":sqs:" in found["EventSourceArn"]
        ]

    def poll_once(self, mapping: EventSourceMapping) -> None:
        """One long poll and, if it returned messages, one invocation."""
        queue_url = self._sqs.get_queue_url(QueueName=mapping.queue_name)["QueueUrl"]
        messages = self._sqs.receive_message(
            QueueUrl=queue_url,
            MaxNumberOfMessages=mapping.batch_size,
            WaitTimeSeconds=self._wait_seconds,
            MessageSystemAttributeNames=["All"],
            MessageAttributeNames=["All"],
        ).get("Messages", [])
        if not messages:
            return
        failed = self._invoke(mapping, messages)
        for message in handled(messages, failed, is_fifo=mapping.is_fifo):
            self._sqs.delete_message(QueueUrl=queue_url, ReceiptHandle=message["ReceiptHandle"])

    def _invoke(self, mapping: EventSourceMapping, messages: list[Any]) -> set[str]:
        """Returns the ids of the failed messages."""
        all_ids = {message["MessageId"] for message in messages}
        event = {"Records": [record(message, mapping.queue_arn, self._region) for message in messages]}
        response = self._lambda.invoke(FunctionName=mapping.function_arn, Payload=json.dumps(event))
        payload = response["Payload"].read()
        if response.get("FunctionError"):
            self._report(f"{self.name}: {mapping.function_arn} failed on {len(messages)} messages: {payload.decode()}")
            return all_ids
        return failed_items(payload, all_ids) if mapping.reports_item_failures else set()


def record(message: Any, queue_arn: str, region: str) -> dict[str, Any]:
    """A message in the format of a Lambda event record."""
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": dict(message.get("Attributes", {})),
        "messageAttributes": {
            name: {
                "stringValue": value.get("StringValue"),
                "stringListValues": [],
                "binaryListValues": [],
                "dataType": value["DataType"],
            }
            for name, value in message.get("MessageAttributes", {}).items()
        },
        "md5OfBody": message["MD5OfBody"],
        "eventSource": "aws:sqs",
        "eventSourceARN": queue_arn,
        "awsRegion": region,
    }


def failed_items(payload: bytes, all_ids: set[str]) -> set[str]:
    """The ids that the function reported as failed. As on AWS, an invalid report fails the whole batch."""
    try:
        report = json.loads(payload or b"null")
        if not report or not report.get("batchItemFailures"):
            return set()
        failed = {item["itemIdentifier"] for item in report["batchItemFailures"]}
    except (ValueError, TypeError, KeyError, AttributeError):
        return all_ids
    return failed if failed <= all_ids else all_ids


def handled(messages: Iterable[Any], failed: set[str], *, is_fifo: bool) -> list[Any]:
    """The messages to delete. In a FIFO queue, messages after a failure of the same group are not handled."""
    blocked: set[str] = set()
    done = []
    for message in messages:
        group = message.get("Attributes", {}).get("MessageGroupId", "")
        if message["MessageId"] in failed:
            blocked.add(group)
        elif not is_fifo or group not in blocked:
            done.append(message)
    return done
