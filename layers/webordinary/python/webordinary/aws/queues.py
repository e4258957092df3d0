"""Sends and receives messages; queue URLs are derived from names.

A pair's queues exist from its first mail until it has been quiet for long. A missing queue counts as empty; callers
with the permission create it when they send.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from webordinary.aws.queue_provisioning import CreatePairQueues, is_missing
from webordinary.contract.messages.base import Message, Pair
from webordinary.contract.names import Names

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


# SQS may not know a new queue for a few seconds.
TRIES = 10
TRIES_EVERY_SECONDS = 0.3


@dataclass(frozen=True)
class ReceivedMessage:
    """A message in flight. SQS delivers it again unless it is deleted."""

    body: str
    receipt: str
    attempt: int
    sender_id: str | None = None  # as SQS recorded it: "role id:session name"
    group: str = ""  # of a FIFO queue, chosen by the sender


class Queues:
    def __init__(self, client: SQSClient, names: Names, create_pair_queues: CreatePairQueues | None = None) -> None:
        self._client = client
        self._names = names
        self._create_pair_queues = create_pair_queues

    def url(self, kind: str, pair: Pair | None = None) -> str:
        # Built from the client's endpoint: correct on AWS and on an emulator, without a request.
        endpoint = self._client.meta.endpoint_url.rstrip("/")
        return f"{endpoint}/{self._names.account}/{self._names.queue(kind, pair)}"

    def send(self, kind: str, message: Message, pair: Pair | None = None) -> None:
        """Sends a message to a standard queue."""
        self._client.send_message(QueueUrl=self.url(kind, pair), MessageBody=message.wire_text())

    def send_in_order(
        self, kind: str, message: Message, *, group: str, deduplication_id: str, pair: Pair | None = None
    ) -> None:
        """Sends a message to a FIFO queue. SQS ignores the same deduplication id within five minutes.

        Creates a missing queue of a pair if the caller may. Raises QueueNotReadyError if it cannot be created yet.
        """

        def send() -> None:
            self._client.send_message(
                QueueUrl=self.url(kind, pair),
                MessageBody=message.wire_text(),
                MessageGroupId=group,
                MessageDeduplicationId=deduplication_id,
            )

        try:
            send()
        except ClientError as error:
            if pair is None or self._create_pair_queues is None or not is_missing(error):
                raise
            self._create_pair_queues(pair)
            _retry_until_visible(send)

    def receive(
        self, kind: str, *, wait_seconds: int, visibility_seconds: int, pair: Pair | None = None
    ) -> ReceivedMessage | None:
        """Waits for one message (long poll)."""
        try:
            answer = self._client.receive_message(
                QueueUrl=self.url(kind, pair),
                MaxNumberOfMessages=1,
                WaitTimeSeconds=wait_seconds,
                VisibilityTimeout=visibility_seconds,
                MessageSystemAttributeNames=["ApproximateReceiveCount", "SenderId", "MessageGroupId"],
            )
        except ClientError as error:
            if pair is None or not is_missing(error):
                raise
            time.sleep(min(wait_seconds, 1))  # a caller that polls in a loop must not spin
            return None
        for message in answer.get("Messages", []):
            attributes = message.get("Attributes", {})
            return ReceivedMessage(
                body=message["Body"],
                receipt=message["ReceiptHandle"],
                attempt=int(attributes.get("ApproximateReceiveCount", "1")),
                sender_id=attributes.get("SenderId"),
                group=attributes.get("MessageGroupId", ""),
            )
        return None

    def is_empty(self, kind: str, pair: Pair | None = None) -> bool:
        """Whether a queue has no message, visible or in flight. SQS counts approximately, with a delay."""
        with _ignore_missing_queue(pair):
            answer = self._client.get_queue_attributes(
                QueueUrl=self.url(kind, pair),
                AttributeNames=["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"],
            )
            return all(int(number) == 0 for number in answer["Attributes"].values())
        return True

    def created_at(self, kind: str, pair: Pair | None = None) -> datetime | None:
        """When a queue was created; None if it does not exist."""
        with _ignore_missing_queue(pair):
            answer = self._client.get_queue_attributes(
                QueueUrl=self.url(kind, pair), AttributeNames=["CreatedTimestamp"]
            )
            return datetime.fromtimestamp(float(answer["Attributes"]["CreatedTimestamp"]), UTC)
        return None

    def delete(self, kind: str, received: ReceivedMessage, pair: Pair | None = None) -> None:
        with _ignore_missing_queue(pair):
            self._client.delete_message(QueueUrl=self.url(kind, pair), ReceiptHandle=received.receipt)

    def hide(self, kind: str, received: ReceivedMessage, seconds: int, pair: Pair | None = None) -> None:
        """Keeps a received message invisible for this long; 0 makes it visible immediately."""
        with _ignore_missing_queue(pair):
            self._client.change_message_visibility(
                QueueUrl=self.url(kind, pair), ReceiptHandle=received.receipt, VisibilityTimeout=seconds
            )


@contextmanager
def _ignore_missing_queue(pair: Pair | None) -> Iterator[None]:
    """A missing queue of a pair holds no messages."""
    try:
        yield
    except ClientError as error:
        if pair is None or not is_missing(error):
            raise


def _retry_until_visible(send: Callable[[], None]) -> None:
    for _ in range(TRIES):
        try:
            send()
        except ClientError as error:
            if not is_missing(error):
                raise
            time.sleep(TRIES_EVERY_SECONDS)
        else:
            return
    send()
