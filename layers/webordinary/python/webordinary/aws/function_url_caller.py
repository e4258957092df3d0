"""Events of function URLs. Lambda has verified the signature and names the caller."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from webordinary.contract.errors import WebordinaryError
from webordinary.contract.messages.base import Message


class ForeignCallerError(WebordinaryError):
    """The caller is not a worker."""

    def __init__(self, caller: str) -> None:
        super().__init__(f"Rejected a call by {caller or 'an unknown caller'}: not a session of the worker role.")


class _Iam(Message):
    user_arn: str


class _Authorizer(Message):
    iam: _Iam


class _RequestContext(Message):
    authorizer: _Authorizer


class FunctionUrlCall(Message):
    """The fields of a function URL event that are used here."""

    request_context: _RequestContext
    body: str = ""
    is_base64_encoded: bool = False

    @property
    def content(self) -> bytes:
        if not self.is_base64_encoded:
            return self.body.encode()
        try:
            return base64.b64decode(self.body, validate=True)
        except binascii.Error:
            return b""

    def session_of(self, role_arn: str) -> str:
        """The caller's session name of this role, which is the task id for an ECS task."""
        caller = self.request_context.authorizer.iam.user_arn
        _, partition, _, _, account, resource = role_arn.split(":", 5)
        start = f"arn:{partition}:sts::{account}:assumed-role/{resource.rpartition('/')[2]}/"
        session = caller.removeprefix(start)
        if session == caller or not session or "/" in session:
            raise ForeignCallerError(caller)
        return session


def json_response(status: int, answer: Message | None = None) -> dict[str, Any]:
    body = answer.wire_text() if answer is not None else "{}"
    return {"statusCode": status, "headers": {"content-type": "application/json"}, "body": body}
