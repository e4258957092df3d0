"""S3. Differs from AWS: a statement with a condition in a bucket policy is never enforced."""

import json
import threading
from typing import Any

from moto.iam.access_control import IAMPolicy, PermissionResult
from moto.s3.models import FakeBucket
from moto.s3.responses import S3Response

from local.emulator.gaps.patching import Function, gap, wrap

WRITING_CALLS = ("put_object", "copy_object", "delete_object", "delete_objects", "complete_multipart_upload")


@gap(seen_with="5.2.5")
def make_writes_atomic() -> None:
    """moto supports If-Match and If-None-Match, but checks and writes in two steps."""
    lock = threading.RLock()

    def wrap_with_lock(name: str) -> None:
        @wrap(S3Response, name)
        def locked(original: Function, *arguments: Any, **named: Any) -> Any:
            with lock:
                return original(*arguments, **named)

    for name in WRITING_CALLS:
        if hasattr(S3Response, name):
            wrap_with_lock(name)


@gap(seen_with="5.2.5")
def ignore_conditional_statements() -> None:
    """moto ignores conditions, so that "deny everything without TLS" would deny every request."""

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
