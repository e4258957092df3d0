"""The messages of an SQS event: failed ones are reported, and a group stays in order."""

from __future__ import annotations

from typing import Any

import pytest

from webordinary.aws.sqs_batches import BatchFailedError, SqsMessage, handle_each


def event(*messages: tuple[str, str]) -> dict[str, Any]:
    return {
        "Records": [
            {
                "messageId": message_id,
                "body": f"body of {message_id}",
                "attributes": {"SenderId": "AROA:worker", **({"MessageGroupId": group} if group else {})},
            }
            for message_id, group in messages
        ]
    }


def failing(*failing_ids: str) -> tuple[list[SqsMessage], Any]:
    handled: list[SqsMessage] = []

    def handle(message: SqsMessage) -> None:
        if message.message_id in failing_ids:
            raise ValueError(message.message_id)
        handled.append(message)

    return handled, handle


def ids(result: dict[str, Any]) -> list[str]:
    return [item["itemIdentifier"] for item in result["batchItemFailures"]]


def test_handles_each_message_with_what_sqs_recorded() -> None:
    handled, handle = failing()

    assert ids(handle_each(event(("1", "bakery#ada"), ("2", "")), handle)) == []

    assert handled == [
        SqsMessage("1", "body of 1", "AROA:worker", "bakery#ada"),
        SqsMessage("2", "body of 2", "AROA:worker", ""),
    ]


def test_failed_message_of_a_standard_queue_blocks_no_other() -> None:
    handled, handle = failing("1")

    assert ids(handle_each(event(("1", ""), ("2", "")), handle)) == ["1"]

    assert [message.message_id for message in handled] == ["2"]


def test_failed_message_blocks_later_ones_of_its_group_only() -> None:
    handled, handle = failing("2")

    result = handle_each(event(("1", "a"), ("2", "a"), ("3", "b"), ("4", "a")), handle)

    assert ids(result) == ["2", "4"]
    assert [message.message_id for message in handled] == ["1", "3"]


def test_a_standard_batch_that_fails_as_a_whole_is_reported_message_by_message() -> None:
    _, handle = failing("1", "2")

    assert ids(handle_each(event(("1", ""), ("2", "")), handle)) == ["1", "2"]


def test_a_fifo_batch_that_fails_as_a_whole_counts_as_a_failed_invocation() -> None:
    _, handle = failing("1", "2")

    with pytest.raises(BatchFailedError):
        handle_each(event(("1", "a"), ("2", "b")), handle)
