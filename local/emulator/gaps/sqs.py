"""SQS queue attributes, as Terraform reads them. `sqs_messages` handles messages."""

import json
import threading
from typing import Any

from moto.sqs.exceptions import SQSException
from moto.sqs.models import Queue, SQSBackend

from local.emulator.gaps.patching import Function, gap, wrap, wrap_property


@gap(seen_with="5.2.5")
def write_redrive_policies_without_spaces() -> None:
    """AWS returns compact JSON, and the provider compares the text."""

    @wrap_property(Queue, "attributes")
    def attributes(original: Function, self: Queue) -> dict[str, Any]:
        found: dict[str, Any] = original(self)
        if found.get("RedrivePolicy"):
            found["RedrivePolicy"] = json.dumps(json.loads(found["RedrivePolicy"]), separators=(",", ":"))
        return found


@gap(seen_with="5.2.5")
def return_redrive_allow_policies() -> None:
    """Echo: any queue may use any dead-letter queue."""
    Queue.BASE_ATTRIBUTES = [*Queue.BASE_ATTRIBUTES, "RedriveAllowPolicy"]
    Queue.redrive_allow_policy = None  # type: ignore[attr-defined]

    @wrap_property(Queue, "attributes")
    def attributes(original: Function, self: Queue) -> dict[str, Any]:
        found: dict[str, Any] = original(self)
        return {name: value for name, value in found.items() if name != "RedriveAllowPolicy" or value}


@gap(seen_with="5.2.5")
def keep_policies() -> None:
    """SetQueueAttributes without a policy keeps the policy; moto removes it."""

    @wrap(Queue, "_set_attributes")
    def set_attributes(original: Function, self: Queue, attributes: dict[str, Any], now: float | None = None) -> None:
        policy_before = self.policy if hasattr(self, "_policy_json") else None
        original(self, attributes, now)
        if "Policy" not in attributes:
            self.policy = policy_before


def accept_missing_dead_letter_queues() -> None:
    """A queue may name a dead-letter queue that does not exist yet.

    AWS and moto reject that. Terraform waits 25 s for every queue, so creating a queue and its dead-letter queue in
    parallel halves the time of a local apply. Until the dead-letter queue exists, messages stay in their queue.
    """
    # Two queues that are created at the same time must see each other.
    lock = threading.Lock()

    @wrap(Queue, "_setup_dlq")
    def accept_missing_target(original: Function, self: Queue, policy: Any) -> None:
        try:
            original(self, policy)
        except SQSException as error:
            if error.code != "AWS.SimpleQueueService.NonExistentQueue":
                raise

    @wrap(SQSBackend, "create_queue")
    def connect_waiting_queues(original: Function, self: SQSBackend, *arguments: Any, **named: Any) -> Queue:
        with lock:
            created: Queue = original(self, *arguments, **named)
            for queue in self.queues.values():
                policy = getattr(queue, "redrive_policy", None) or {}
                if queue.dead_letter_queue is None and policy.get("deadLetterTargetArn") == created.queue_arn:
                    queue.dead_letter_queue = created
            return created
