"""Queues as this system uses them: messages in, messages out, URLs derived from names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webordinary.platform.messages import Message, Pair
from webordinary.platform.names import Names

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


@dataclass(frozen=True)
class Received:
    """A message in flight. It comes back unless it is deleted."""

    body: str
    receipt: str
    attempt: int
    sender_id: str | None = None  # as SQS wrote it down: "role id:session name"


class Queues:
    def __init__(self, client: SQSClient, names: Names) -> None:
        self._client = client
        self._names = names

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
        """Puts a message on a FIFO queue. The same deduplication id within five minutes is accepted and ignored."""
        self._client.send_message(
            QueueUrl=self.url(kind, pair),
            MessageBody=message.wire_text(),
            MessageGroupId=group,
            MessageDeduplicationId=deduplication_id,
        )

    def receive(
        self, kind: str, *, wait_seconds: int, visibility_seconds: int, pair: Pair | None = None
    ) -> Received | None:
        """Waits for one message (long poll)."""
        answer = self._client.receive_message(
            QueueUrl=self.url(kind, pair),
            MaxNumberOfMessages=1,
            WaitTimeSeconds=wait_seconds,
            VisibilityTimeout=visibility_seconds,
            MessageSystemAttributeNames=["ApproximateReceiveCount", "SenderId"],
        )
        for message in answer.get("Messages", []):
            known = message.get("Attributes", {})
            return Received(
                body=message["Body"],
                receipt=message["ReceiptHandle"],
                attempt=int(known.get("ApproximateReceiveCount", "1")),
                sender_id=known.get("SenderId"),
            )
        return None

    def is_empty(self, kind: str, pair: Pair | None = None) -> bool:
        """Whether a queue holds nothing, neither visible nor in flight. SQS counts roughly, and a moment late."""
        answer = self._client.get_queue_attributes(
            QueueUrl=self.url(kind, pair),
            AttributeNames=["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"],
        )
        return all(int(number) == 0 for number in answer["Attributes"].values())

    def delete(self, kind: str, received: Received, pair: Pair | None = None) -> None:
        self._client.delete_message(QueueUrl=self.url(kind, pair), ReceiptHandle=received.receipt)

    def hide(self, kind: str, received: Received, seconds: int, pair: Pair | None = None) -> None:
        """Keeps a received message invisible for so long from now; 0 gives it back at once."""
        self._client.change_message_visibility(
            QueueUrl=self.url(kind, pair), ReceiptHandle=received.receipt, VisibilityTimeout=seconds
        )
