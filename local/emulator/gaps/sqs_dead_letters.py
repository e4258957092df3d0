"""SQS: a queue may name a dead-letter queue that does not exist yet.

AWS refuses that, and so does moto. Terraform waits 25 s for every queue, so making a queue and its dead-letter queue at
once halves the time of a local apply. What goes to the missing queue is kept where it is until the queue is there.
"""

import threading
from typing import Any

from moto.sqs.exceptions import SQSException
from moto.sqs.models import Queue, SQSBackend

from local.emulator.gaps.patching import Function, wrap


def apply() -> None:
    # Two queues that are made at the same moment must see each other.
    one_at_a_time = threading.Lock()

    @wrap(Queue, "_setup_dlq")
    def accept_a_missing_target(original: Function, self: Queue, policy: Any) -> None:
        try:
            original(self, policy)
        except SQSException as error:
            if error.code != "AWS.SimpleQueueService.NonExistentQueue":
                raise

    @wrap(SQSBackend, "create_queue")
    def tie_to_those_that_wait(original: Function, self: SQSBackend, *arguments: Any, **named: Any) -> Queue:
        with one_at_a_time:
            created: Queue = original(self, *arguments, **named)
            for queue in self.queues.values():
                policy = getattr(queue, "redrive_policy", None) or {}
                if queue.dead_letter_queue is None and policy.get("deadLetterTargetArn") == created.queue_arn:
                    queue.dead_letter_queue = created
            return created
