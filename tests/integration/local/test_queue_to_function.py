"""Event source mappings: handled messages are deleted, failed ones stay."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from local.aws import EmulatedAws
from local.pumps.queue_to_function import EventSourceMapping, QueueToFunction
from tests.integration.conftest import FunctionLines
from tests.integration.emulator.support import eventually
from tests.integration.local.conftest import Deployed, left_in, send

FAILS_ON_BAD_ONES = """
import json
def handler(event, context):
    bad = [record["messageId"] for record in event["Records"] if json.loads(record["body"]) == "bad"]
    return {"batchItemFailures": [{"itemIdentifier": message} for message in bad]}
"""
RAISES = "def handler(event, context): raise ValueError('no')"
PRINTS = "def handler(event, context): print('handled', event['Records'][0]['body'])"


@pytest.fixture
def pump(emulated: EmulatedAws) -> QueueToFunction:
    return QueueToFunction(emulated, lambda _text: None, wait_seconds=1)


def mapping_of(pump: QueueToFunction, deployed: Deployed) -> EventSourceMapping:
    return next(found for found in pump.mappings() if found.queue_arn == deployed.queue_arn)


def test_handled_message_is_deleted(
    emulated: EmulatedAws, deploy: Callable[..., Deployed], pump: QueueToFunction
) -> None:
    sqs, deployed = emulated.client("sqs"), deploy(FAILS_ON_BAD_ONES)
    send(sqs, deployed, "good")

    pump.poll_once(mapping_of(pump, deployed))

    assert left_in(sqs, deployed) == 0


def test_message_reported_as_failed_stays(
    emulated: EmulatedAws, deploy: Callable[..., Deployed], pump: QueueToFunction
) -> None:
    sqs, deployed = emulated.client("sqs"), deploy(FAILS_ON_BAD_ONES)
    send(sqs, deployed, "good")
    send(sqs, deployed, "bad")

    pump.poll_once(mapping_of(pump, deployed))

    assert left_in(sqs, deployed) == 1


def test_function_error_keeps_the_whole_batch(
    emulated: EmulatedAws, deploy: Callable[..., Deployed], pump: QueueToFunction
) -> None:
    sqs, deployed = emulated.client("sqs"), deploy(RAISES)
    send(sqs, deployed, 1)
    send(sqs, deployed, 2)

    pump.poll_once(mapping_of(pump, deployed))

    assert left_in(sqs, deployed) == 2


def test_fifo_queue_keeps_the_rest_of_a_failed_group(
    emulated: EmulatedAws, deploy: Callable[..., Deployed], pump: QueueToFunction
) -> None:
    sqs, deployed = emulated.client("sqs"), deploy(FAILS_ON_BAD_ONES, fifo=True)
    send(sqs, deployed, "bad", group="bakery#ada")
    send(sqs, deployed, "good", group="bakery#ada")

    pump.poll_once(mapping_of(pump, deployed))

    assert left_in(sqs, deployed) == 2


def test_disabled_mapping_is_ignored(
    emulated: EmulatedAws, deploy: Callable[..., Deployed], pump: QueueToFunction
) -> None:
    deployed = deploy(PRINTS)

    emulated.client("lambda").update_event_source_mapping(UUID=deployed.mapping, Enabled=False)

    assert deployed.queue_arn not in {found.queue_arn for found in pump.mappings()}


def test_started_pump_handles_later_messages(
    emulated: EmulatedAws, deploy: Callable[..., Deployed], pump: QueueToFunction, function_lines: FunctionLines
) -> None:
    deployed = deploy(PRINTS)
    pump.start()
    try:
        send(emulated.client("sqs"), deployed, "a mail")
        eventually(lambda: function_lines.of(deployed.function) or None)
    finally:
        pump.ask_to_stop()
        pump.join(5)

    assert function_lines.of(deployed.function) == ['handled "a mail"']
