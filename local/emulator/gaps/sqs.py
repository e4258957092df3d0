"""SQS queues: what Terraform reads back. What happens to messages is in `sqs_messages`.

- RedrivePolicy comes back without spaces, as AWS writes it; the provider compares the text.
- RedriveAllowPolicy is kept and given back (echo: any queue may use any dead-letter queue).
- SetQueueAttributes without a policy leaves the policy alone; moto removes it.
"""

import json
from typing import Any

from moto.sqs.models import Queue

from local.emulator.gaps.patching import Function, wrap, wrap_property


def apply() -> None:
    Queue.BASE_ATTRIBUTES = [*Queue.BASE_ATTRIBUTES, "RedriveAllowPolicy"]
    Queue.redrive_allow_policy = None  # type: ignore[attr-defined]

    @wrap_property(Queue, "attributes")
    def attributes(original: Function, self: Queue) -> dict[str, Any]:
        found: dict[str, Any] = original(self)
        if not found.get("RedriveAllowPolicy"):
            found.pop("RedriveAllowPolicy", None)
        if found.get("RedrivePolicy"):
            found["RedrivePolicy"] = json.dumps(json.loads(found["RedrivePolicy"]), separators=(",", ":"))
        return found

    @wrap(Queue, "_set_attributes")
    def set_attributes(original: Function, self: Queue, attributes: dict[str, Any], now: float | None = None) -> None:
        policy_before = self.policy if hasattr(self, "_policy_json") else None
        original(self, attributes, now)
        if "Policy" not in attributes:
            self.policy = policy_before
