"""Fixtures for the pumps: a queue with a function in the shared emulator."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from local.aws import EmulatedAws
from local.emulator.process import EmulatorProcess
from tests.integration.emulator.support import archive, role


@pytest.fixture(scope="session")
def emulated(emulator: EmulatorProcess) -> EmulatedAws:
    return EmulatedAws(emulator.endpoint)


@dataclass(frozen=True)
class Deployed:
    """A queue that is mapped to a function."""

    queue_url: str
    queue_arn: str
    function: str
    mapping: str


@pytest.fixture
def deploy(emulator: EmulatorProcess, unique: Callable[[str], str]) -> Callable[..., Deployed]:
    def make(code: str, *, fifo: bool = False, visibility: int = 30, reports: bool = True) -> Deployed:
        sqs, functions = emulator.client("sqs"), emulator.client("lambda")
        attributes = {"VisibilityTimeout": str(visibility)} | ({"FifoQueue": "true"} if fifo else {})
        url = sqs.create_queue(QueueName=unique("pump") + (".fifo" if fifo else ""), Attributes=attributes)["QueueUrl"]
        arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        name = unique("pumped")
        functions.create_function(
            FunctionName=name,
            Runtime="python3.13",
            Role=role(emulator.endpoint, f"{name}-role"),
            Handler="handler.handler",
            Code={"ZipFile": archive({"handler.py": code})},
            Timeout=120,
        )
        mapping = functions.create_event_source_mapping(
            EventSourceArn=arn,
            FunctionName=name,
            BatchSize=10,
            FunctionResponseTypes=["ReportBatchItemFailures"] if reports else [],
        )
        return Deployed(url, arn, name, mapping["UUID"])

    return make


def send(sqs: Any, deployed: Deployed, body: object, group: str | None = None) -> None:
    order = {"MessageGroupId": group, "MessageDeduplicationId": json.dumps(body)} if group else {}
    sqs.send_message(QueueUrl=deployed.queue_url, MessageBody=json.dumps(body), **order)


def left_in(sqs: Any, deployed: Deployed) -> int:
    """The number of messages in the queue, visible or not."""
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    attributes = sqs.get_queue_attributes(QueueUrl=deployed.queue_url, AttributeNames=names)["Attributes"]
    return sum(int(attributes[name]) for name in names)
