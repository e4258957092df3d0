"""Records and failure reports of the event source mapping pump."""

from typing import Any

from local.pumps.queue_to_function import failed_items, handled, record

ALL_IDS = {"a", "b", "c"}


def message(message_id: str, group: str = "") -> dict[str, Any]:
    return {"MessageId": message_id, "Attributes": {"MessageGroupId": group} if group else {}}


def ids(messages: list[Any]) -> list[str]:
    return [found["MessageId"] for found in messages]


def test_empty_report_means_no_failures() -> None:
    assert failed_items(b"null", ALL_IDS) == set()


def test_reported_items_have_failed() -> None:
    assert failed_items(b'{"batchItemFailures": [{"itemIdentifier": "b"}]}', ALL_IDS) == {"b"}


def test_a_report_about_an_unknown_item_fails_the_whole_batch() -> None:
    assert failed_items(b'{"batchItemFailures": [{"itemIdentifier": "z"}]}', ALL_IDS) == ALL_IDS


def test_a_report_without_an_identifier_fails_the_whole_batch() -> None:
    assert failed_items(b'{"batchItemFailures": [{}]}', ALL_IDS) == ALL_IDS


def test_standard_queue_keeps_only_the_failed_message() -> None:
    messages = [message("a"), message("b"), message("c")]

    assert ids(handled(messages, {"b"}, is_fifo=False)) == ["a", "c"]


def test_fifo_queue_keeps_messages_after_a_failure_of_the_group() -> None:
    messages = [message("a", "x"), message("b", "x"), message("c", "x")]

    assert ids(handled(messages, {"b"}, is_fifo=True)) == ["a"]


def test_failure_does_not_block_another_group() -> None:
    messages = [message("a", "x"), message("b", "y"), message("c", "x")]

    assert ids(handled(messages, {"a"}, is_fifo=True)) == ["b"]


def test_record_has_the_format_of_lambda() -> None:
    received = {
        "MessageId": "m",
        "ReceiptHandle": "r",
        "Body": "{}",
        "MD5OfBody": "99914b932bd37a50b983c5e7c90ae93b",
        "Attributes": {"ApproximateReceiveCount": "1", "MessageGroupId": "g"},
        "MessageAttributes": {"kind": {"StringValue": "mail", "DataType": "String"}},
    }

    assert record(received, "arn:aws:sqs:us-east-1:123456789012:q", "us-east-1") == {
        "messageId": "m",
        "receiptHandle": "r",
        "body": "{}",
        "attributes": {"ApproximateReceiveCount": "1", "MessageGroupId": "g"},
        "messageAttributes": {
            "kind": {"stringValue": "mail", "stringListValues": [], "binaryListValues": [], "dataType": "String"}
        },
        "md5OfBody": "99914b932bd37a50b983c5e7c90ae93b",
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:aws:sqs:us-east-1:123456789012:q",
        "awsRegion": "us-east-1",
    }
