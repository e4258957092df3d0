"""S3.

- Conditional writes are atomic: moto knows If-Match and If-None-Match, but checks and writes in two steps. One lock
  around everything that writes or deletes an object makes a race have one winner.
- A statement with a condition in a bucket policy is never enforced: moto ignores the condition, so that "deny
  everything that is not TLS" would lock everybody out. Statements without a condition are enforced.
- GetBucketNotificationConfiguration gives back that EventBridge is on (echo: no rule is run).
- Deleting all versions of a versioned bucket does not fail at its delete markers.
"""

import json
import threading
from typing import Any

from moto.core.responses import ActionResult
from moto.iam.access_control import IAMPolicy, PermissionResult
from moto.s3.models import FakeBucket, FakeDeleteMarker
from moto.s3.responses import S3Response

from local.emulator.gaps.patching import Function, add, wrap

WRITING_CALLS = ("put_object", "copy_object", "delete_object", "delete_objects", "complete_multipart_upload")


def apply() -> None:
    _make_writes_atomic()
    _ignore_conditional_statements()
    _echo_event_bridge()
    add(FakeDeleteMarker, dispose)


def dispose(self: FakeDeleteMarker, garbage: bool = False) -> None:
    """A delete marker holds no content that would have to be given up."""


def _make_writes_atomic() -> None:
    one_at_a_time = threading.RLock()

    def lock(name: str) -> None:
        @wrap(S3Response, name)
        def locked(original: Function, *arguments: Any, **named: Any) -> Any:
            with one_at_a_time:
                return original(*arguments, **named)

    for name in WRITING_CALLS:
        if hasattr(S3Response, name):
            lock(name)


def _ignore_conditional_statements() -> None:
    @wrap(FakeBucket, "get_permission")
    def get_permission(_original: Function, self: FakeBucket, action: str, resource: str) -> PermissionResult:
        if self.policy is None:
            return PermissionResult.NEUTRAL
        policy = json.loads(self.policy)
        statements = policy["Statement"] if isinstance(policy["Statement"], list) else [policy["Statement"]]
        unconditional = [statement for statement in statements if "Condition" not in statement]
        if not unconditional:
            return PermissionResult.NEUTRAL
        return IAMPolicy(json.dumps({**policy, "Statement": unconditional})).is_action_permitted(action, resource)


def _echo_event_bridge() -> None:
    @wrap(S3Response, "get_bucket_notification")
    def get_bucket_notification(original: Function, self: Any) -> Any:
        configuration = self.backend.get_bucket_notification_configuration(self.bucket_name)
        if configuration is not None and configuration.event_bridge is not None:
            serialized = self.serialized
            self.serialized = lambda answer: serialized(ActionResult({**answer.result, "EventBridgeConfiguration": {}}))
        return original(self)
