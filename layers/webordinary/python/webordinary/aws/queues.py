"""Queues as this system uses them: messages in, messages out, URLs derived from names.

A pair's queues come with its first mail and go when it has been quiet for long. One that is not there holds nothing;
whoever may make it does so when there is something to put in.
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


# A queue that was just made may be unknown for a moment yet.
TRIES = 10
TRIES_EVERY_SECONDS = 0.3


@dataclass(frozen=True)
class ReceivedMessage:
    """A message in flight. It comes back unless it is deleted."""

    body: str
    receipt: str
    attempt: int
    sender_id: str | None = None  # as SQS wrote it down: "role id:session name"


class Queues:
    def __init__(self, client: SQSClient, names: Names, create_pair_queues: CreatePairQueues | None = None) -> None:
        self._client = client
        self._names = names
        self._create_pair_queues = create_pair_queues

    def url(self, kind: str, pair: Pair | None = None) -> str:
        # Built from the client's own endpoint, so it is right on AWS and on an emulator, and costs no request.
        endpoint = self._client.meta.endpoint_url.rstrip("/")
        return f"{endpoint}/{self._names.account}/{self._names.queue(kind, pair)}"

    def send(self, kind: str, message: Message, pair: Pair | None = None) -> None:
        """Puts a message on a standard queue."""
        self._client.send_message(QueueUrl=self.url(kind, pair), MessageBody=message.wire_text())

    def send_in_order(
        self, kind: str, message: Message, *, group: str, deduplication_id: str, pair: Pair | None = None
    ) -> None:
        """Puts a message on a FIFO queue. The same deduplication id within five minutes is accepted and ignored.

        A pair's queue that is missing is made by those who may; raises QueueNotReadyError where it cannot be made yet.
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
            _until_it_is_known(send)

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
                MessageSystemAttributeNames=["ApproximateReceiveCount", "SenderId"],
            )
        except ClientError as error:
            if pair is None or not is_missing(error):
                raise
            time.sleep(min(wait_seconds, 1))  # whoever polls in a loop must not spin
            return None
        for message in answer.get("Messages", []):
            known = message.get("Attributes", {})
            return ReceivedMessage(
                body=message["Body"],
                receipt=message["ReceiptHandle"],
                attempt=int(known.get("ApproximateReceiveCount", "1")),
                sender_id=known.get("SenderId"),
            )
        return None

    def is_empty(self, kind: str, pair: Pair | None = None) -> bool:
        """Whether a queue holds nothing, neither visible nor in flight. SQS counts roughly, and a moment late."""
        with _nothing_if_it_is_gone(pair):
            answer = self._client.get_queue_attributes(
                QueueUrl=self.url(kind, pair),
                AttributeNames=["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"],
            )
            return all(int(number) == 0 for number in answer["Attributes"].values())
        return True

    def created_at(self, kind: str, pair: Pair | None = None) -> datetime | None:
        """When a queue was made; None if it is not there."""
        with _nothing_if_it_is_gone(pair):
            answer = self._client.get_queue_attributes(
                QueueUrl=self.url(kind, pair), AttributeNames=["CreatedTimestamp"]
            )
            return datetime.fromtimestamp(float(answer["Attributes"]["CreatedTimestamp"]), UTC)
        return None

    def delete(self, kind: str, received: ReceivedMessage, pair: Pair | None = None) -> None:
        with _nothing_if_it_is_gone(pair):
            self._client.delete_message(QueueUrl=self.url(kind, pair), ReceiptHandle=received.receipt)

    def hide(self, kind: str, received: ReceivedMessage, seconds: int, pair: Pair | None = None) -> None:
        """Keeps a received message invisible for so long from now; 0 gives it back at once."""
        with _nothing_if_it_is_gone(pair):
            self._client.change_message_visibility(
                QueueUrl=self.url(kind, pair), ReceiptHandle=received.receipt, VisibilityTimeout=seconds
            )


@contextmanager
def _nothing_if_it_is_gone(pair: Pair | None) -> Iterator[None]:
    """What was in a pair's queue has gone with it."""
    try:
        yield
    except ClientError as error:
        if pair is None or not is_missing(error):
            raise


def _until_it_is_known(send: Callable[[], None]) -> None:
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
