"""Tells the model stand-in the keys of a role session, so that it can verify signatures as Bedrock does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import UTC
from http import HTTPStatus
from typing import Any

from moto.sts.models import AssumedRole, sts_backends
from werkzeug.wrappers import Response

from local.aws import ACCOUNT
from local.runtime.signatures import RoleSession

PATH = "/role-sessions/"
PARTITION = "aws"


def find_role(access_key: str) -> AssumedRole | None:
    found: AssumedRole | None = sts_backends[ACCOUNT][PARTITION].get_assumed_role_from_access_key(access_key)
    return found


def session_of(role: AssumedRole) -> RoleSession:
    expires_at = role.expiration.replace(tzinfo=UTC)
    return RoleSession(role.access_key_id, role.secret_access_key, role.session_token, expires_at)


class RoleSessions:
    """WSGI middleware."""

    def __init__(self, application: Callable[[dict[str, Any], Any], Iterable[bytes]]) -> None:
        self._application = application

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        path: str = environ["PATH_INFO"]
        if not path.startswith(PATH):
            return self._application(environ, start_response)
        role = find_role(path.removeprefix(PATH))
        if role is None:
            return Response("{}", HTTPStatus.NOT_FOUND)(environ, start_response)
        session = session_of(role)
        content = {**vars(session), "expires_at": session.expires_at.isoformat()}
        return Response(json.dumps(content), content_type="application/json")(environ, start_response)
