# ruff: noqa: ARG002, N803 (argument names are those of AWS, and some are unused)
"""SQS in memory and in virtual time, at its worst: at-least-once delivery, standard queues in any order.

A FIFO queue keeps the order of a group, delivers nothing of a group with a message in flight, and accepts a
deduplication id again after five minutes. Messages received too often move to the dead-letter queue.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from types import SimpleNamespace
from typing import Any

DEDUPLICATION_MILLISECONDS = 300_000


@dataclass
class StoredMessage:
    body: str
    group: str | None
    visible_at: int
    receives: int = 0
    receipts: tuple[str, ...] = ()  # the valid ones: on a FIFO queue the last, else all


class QueueStandIn:
    meta = SimpleNamespace(endpoint_url="memory://queues")

    def __init__(self, now: Callable[[], int], random: Random) -> None:
        self._now = now
        self._random = random
        self._queues: dict[str, list[StoredMessage]] = {}
        self._sent: dict[tuple[str, str], int] = {}
        self._receipts = 0
        self.dead_letters: dict[str, str] = {}
        self.receives_before_dead_letter = 5
        self.duplicates = 0.0
        self.out_of_order: frozenset[str] = frozenset()
        self.before_call: Callable[[str], None] = _nothing
        self.on_change: Callable[[str, str], None] = _nothing

    def messages(self, queue: str) -> list[StoredMessage]:
        return self._queues.setdefault(queue, [])

    def remaining(self) -> list[tuple[str, str]]:
        return [(queue, message.body) for queue, messages in self._queues.items() for message in messages]

    def next_visible(self) -> int | None:
        times = [message.visible_at for queue in self._queues.values() for message in queue]
        return min((time for time in times if time > self._now()), default=None)

    def send_message(
        self, *, QueueUrl: str, MessageBody: str, MessageGroupId: str | None = None, MessageDeduplicationId: str = ""
    ) -> None:
        self.before_call("send_message")
        queue = _name(QueueUrl)
        if MessageGroupId is not None:
            sent = self._sent.get((queue, MessageDeduplicationId))
            if sent is not None and self._now() < sent + DEDUPLICATION_MILLISECONDS:
                return
            self._sent[queue, MessageDeduplicationId] = self._now()
        self.messages(queue).append(StoredMessage(MessageBody, MessageGroupId, self._now()))
        self.on_change(queue, MessageBody)

    def receive_message(
        self,
        *,
        QueueUrl: str,
        MaxNumberOfMessages: int,
        WaitTimeSeconds: int,
        VisibilityTimeout: int,
        MessageSystemAttributeNames: list[str],
    ) -> dict[str, Any]:
        self.before_call("receive_message")
        queue = _name(QueueUrl)
        self._move_to_dead_letters(queue)
        receivable = self._receivable(queue)
        if not receivable:
            return {}
        message = receivable[0] if _in_order(queue, self.out_of_order) else self._random.choice(receivable)
        message.receives += 1
        self._receipts += 1
        receipt = str(self._receipts)
        message.receipts = (receipt,) if _in_order(queue, self.out_of_order) else (*message.receipts, receipt)
        if _in_order(queue, self.out_of_order) or self._random.random() >= self.duplicates:
            message.visible_at = self._now() + VisibilityTimeout * 1000
        received = {"Body": message.body, "ReceiptHandle": receipt}
        group = {"MessageGroupId": message.group} if message.group is not None else {}
        attributes = {"ApproximateReceiveCount": str(message.receives), **group}
        return {"Messages": [{**received, "Attributes": attributes}]}

    def delete_message(self, *, QueueUrl: str, ReceiptHandle: str) -> None:
        self.before_call("delete_message")
        messages = self.messages(_name(QueueUrl))
        messages[:] = [message for message in messages if ReceiptHandle not in message.receipts]

    def get_queue_attributes(self, *, QueueUrl: str, AttributeNames: list[str]) -> dict[str, Any]:
        self.before_call("get_queue_attributes")
        messages = self.messages(_name(QueueUrl))
        hidden = sum(message.visible_at > self._now() for message in messages)
        counted = (str(len(messages) - hidden), str(hidden))
        return {"Attributes": dict(zip(AttributeNames, counted, strict=True))}

    def change_message_visibility(self, *, QueueUrl: str, ReceiptHandle: str, VisibilityTimeout: int) -> None:
        self.before_call("change_message_visibility")
        for message in self.messages(_name(QueueUrl)):
            if ReceiptHandle in message.receipts:
                message.visible_at = self._now() + VisibilityTimeout * 1000

    def _receivable(self, queue: str) -> list[StoredMessage]:
        now = self._now()
        visible = [message for message in self.messages(queue) if message.visible_at <= now]
        if not _in_order(queue, self.out_of_order):
            return visible
        blocked = {message.group for message in self.messages(queue) if message.visible_at > now}
        return [message for message in visible if message.group not in blocked]

    def _move_to_dead_letters(self, queue: str) -> None:
        """Moves messages received too often, at the next receive, as on AWS."""
        target = self.dead_letters.get(queue)
        if target is None:
            return
        spent = [m for m in self._receivable(queue) if m.receives >= self.receives_before_dead_letter]
        for message in spent:
            self.messages(queue).remove(message)
            self.messages(target).append(StoredMessage(message.body, message.group, self._now()))


def _nothing(*_: object) -> None:
    """The default hook."""


def _name(url: str) -> str:
    return url.rsplit("/", 1)[1]


def _in_order(queue: str, out_of_order: frozenset[str]) -> bool:
    return queue.endswith(".fifo") and queue not in out_of_order
