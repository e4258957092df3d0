"""SQS messages: sending, receiving, hiding and deleting.

This replaces moto's implementation: every change of a queue happens under its lock, so that two receivers never get the
same message, and wakes waiting receivers. SendMessage does not invoke functions, because a pump polls for event source
mappings. A message that moves to a dead-letter queue is not deduplicated there.

Differs from AWS: a standard queue keeps its order and never delivers twice, and the quota of messages in flight is not
enforced.
"""

# ruff: noqa: SLF001 (replaces moto's internals)

import time
from copy import copy
from typing import Any

from moto.core.utils import unix_time_millis
from moto.sqs.exceptions import InvalidParameterValue, ReceiptHandleIsInvalid, SQSException
from moto.sqs.models import DEDUPLICATION_TIME_IN_SECONDS, Message, Queue, SQSBackend, _filter_message_attributes

from local.emulator.gaps.patching import Function, add, gap, wrap

DEDUPLICATION_MS = DEDUPLICATION_TIME_IN_SECONDS * 1000


class MessageNotInflight(SQSException):
    def __init__(self) -> None:
        super().__init__("AWS.SimpleQueueService.MessageNotInflight", "The message referred to isn't in flight.")


@gap(seen_with="5.2.5")
def deduplicate_after_deletion() -> None:
    """A deduplication id is valid for five minutes, even after its message was deleted; a duplicate returns the first
    message's id."""

    @wrap(Queue, "__init__")
    def init_with_deduplication(original: Function, self: Any, *arguments: Any, **named: Any) -> None:
        self.first_sent = {}
        self.sequence = 0
        original(self, *arguments, **named)

    add(Queue, add_message)


@gap(seen_with="5.2.5")
def wake_open_polls() -> None:
    """An open long poll returns when a message arrives, becomes visible again, or when its group is unblocked."""
    add(SQSBackend, receive_message, change_message_visibility)


@gap(seen_with="5.2.5")
def expire_receipt_handles() -> None:
    """In a FIFO queue a receipt handle expires with its visibility timeout, and a later delete fails. In a standard
    queue an outdated handle is accepted and deletes nothing."""
    add(Queue, delete_message)


def add_message(self: Any, message: Message) -> None:
    with self._messages_lock:
        if self.fifo_queue and message.deduplication_id and _is_duplicate(self, message):
            return
        if self.fifo_queue:
            self.sequence += 1
            message.sequence_number = f"{self.sequence:020d}"
        self._messages.append(message)
        self._messages_lock.notify_all()


def _is_duplicate(queue: Any, message: Message) -> bool:
    now = unix_time_millis()
    remembered = {
        key: first for key, first in queue.first_sent.items() if now - (first.sent_timestamp or 0) < DEDUPLICATION_MS
    }
    scope = message.group_id if queue.deduplication_scope == "messageGroup" else ""
    first = remembered.setdefault(f"{scope}/{message.deduplication_id}", message)
    queue.first_sent = remembered
    if first is message:
        return False
    message.id, message.sequence_number = first.id, first.sequence_number
    return True


def receive_message(
    self: SQSBackend,
    queue_name: str,
    count: int,
    wait_seconds_timeout: int,
    visibility_timeout: int,
    message_attribute_names: list[str] | None = None,
) -> list[Message]:
    queue: Any = self.get_queue(queue_name)
    deadline = time.monotonic() + wait_seconds_timeout
    with queue._messages_lock:
        while not (received := _take(self, queue, count, visibility_timeout)):
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                return []
            queue._messages_lock.wait(min(remaining, _seconds_until_next_due(queue)))
    for message in received:
        _filter_message_attributes(message, message_attribute_names or [])
    return received


def _take(backend: SQSBackend, queue: Any, count: int, visibility_timeout: int) -> list[Message]:
    """Returns copies of the messages that can be received now and hides the originals."""
    now = unix_time_millis()
    retention_ms = queue.message_retention_period * 1000
    queue._messages = [kept for kept in queue._messages if kept.sent_timestamp + retention_ms > now]
    busy_groups = {message.group_id for message in queue._messages if message.visible_at > now}
    taken: list[Message] = []
    for message in list(queue._messages):
        if len(taken) == count:
            break
        if message.visible_at > now or message.delayed_until > now:
            continue
        if queue.fifo_queue and message.group_id in busy_groups:
            continue
        if _move_if_exhausted(backend, queue, message):
            continue
        message.mark_received(visibility_timeout=visibility_timeout)
        taken.append(copy(message))
    return taken


def _move_if_exhausted(backend: SQSBackend, queue: Any, message: Message) -> bool:
    policy = queue.redrive_policy
    if not policy or message.approximate_receive_count < policy["maxReceiveCount"]:
        return False
    dead_letters: Any = backend.queues.get(policy["deadLetterTargetArn"].rsplit(":", 1)[1])
    if dead_letters is None:
        return False
    queue._messages.remove(message)
    queue.deleted_messages.update(message.all_receipt_handles)
    message.visible_at = 0.0
    with dead_letters._messages_lock:
        dead_letters._messages.append(message)
        dead_letters._messages_lock.notify_all()
    return True


def _seconds_until_next_due(queue: Any) -> float:
    now = unix_time_millis()
    due = [max(message.visible_at, message.delayed_until) for message in queue._messages]
    return max(0.0, (min((at for at in due if at > now), default=float("inf")) - now) / 1000)


def delete_message(self: Any, receipt_handle: str) -> None:
    with self._messages_lock:
        if receipt_handle in self.deleted_messages:
            return
        message = _message_of(self, receipt_handle)
        if self.fifo_queue and not _is_held_with(message, receipt_handle):
            raise InvalidParameterValue(
                f"Value {receipt_handle} for parameter ReceiptHandle is invalid. "
                "Reason: The receipt handle has expired."
            )
        if message.receipt_handle != receipt_handle:
            return
        self._messages.remove(message)
        self.deleted_messages.update(message.all_receipt_handles)
        self._messages_lock.notify_all()


def change_message_visibility(self: SQSBackend, queue_name: str, receipt_handle: str, visibility_timeout: int) -> None:
    queue: Any = self.get_queue(queue_name)
    with queue._messages_lock:
        if receipt_handle in queue.deleted_messages:
            raise _not_available(receipt_handle)
        message = _message_of(queue, receipt_handle)
        if message.receipt_handle != receipt_handle:
            raise _not_available(receipt_handle)
        if not _is_held_with(message, receipt_handle):
            raise MessageNotInflight
        message.change_visibility(visibility_timeout)
        queue._messages_lock.notify_all()


def _message_of(queue: Any, receipt_handle: str) -> Message:
    for message in queue._messages:
        if message.had_receipt_handle(receipt_handle):
            return message  # type: ignore[no-any-return]
    raise ReceiptHandleIsInvalid


def _is_held_with(message: Message, receipt_handle: str) -> bool:
    return message.receipt_handle == receipt_handle and message.visible_at > unix_time_millis()


def _not_available(receipt_handle: str) -> InvalidParameterValue:
    return InvalidParameterValue(
        f"Value {receipt_handle} for parameter ReceiptHandle is invalid. "
        "Reason: Message does not exist or is not available for visibility timeout change."
    )
