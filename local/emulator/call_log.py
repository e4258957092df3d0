"""Records who calls which AWS operation, so that tests can count the calls of a mail.

    GET /calls/N    the calls since position N: {"position": ..., "calls": [[caller, call], ...]}

A caller is a function's process, a role, or `other`. An empty call marks the end of a function's invocation: a process
serves one at a time. Calls of the local stack itself are left out.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from io import BytesIO
from typing import Any
from urllib.parse import parse_qs, unquote

from werkzeug.wrappers import Response

from local.aws import KEYS
from local.emulator.sessions import find_role

PATH = "/calls/"
KEPT = 200_000
FUNCTION = "function."  # before the name and the number of a function's process, in its access key
CREDENTIAL = re.compile(r"Credential=([^/]+)/\d+/[^/]+/([^/]+)/aws4_request")
OPERATIONS_OF_FUNCTIONS = re.compile(r"/functions/([^/]+)/(\w+)")

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]


class CallLog:
    """WSGI middleware."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._calls: deque[tuple[int, str, str]] = deque(maxlen=KEPT)
        self._positions = itertools.count()

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        path: str = environ["PATH_INFO"]
        if path.startswith(PATH):
            return Response(self._since(int(path.removeprefix(PATH))), content_type="application/json")(
                environ, start_response
            )
        signed = CREDENTIAL.search(environ.get("HTTP_AUTHORIZATION", ""))
        if signed and signed[1] != KEYS["AWS_ACCESS_KEY_ID"]:
            body = environ["wsgi.input"].read()
            environ["wsgi.input"] = BytesIO(body)
            self._add(_caller(signed[1]), name_of(environ, signed[2], body))
        return self._application(environ, start_response)

    def end_invocation(self, access_key: str) -> None:
        self._add(_caller(access_key), "")

    def _add(self, caller: str, call: str) -> None:
        self._calls.append((next(self._positions), caller, call))

    def _since(self, since: int) -> str:
        found = [(position, caller, call) for position, caller, call in self._calls.copy() if position >= since]
        position = found[-1][0] + 1 if found else since
        return json.dumps({"position": position, "calls": [entry[1:] for entry in found]})


def _caller(access_key: str) -> str:
    if access_key.startswith(FUNCTION):
        return access_key
    role = find_role(access_key)
    return "other" if role is None else str(role.role_arn).rpartition("/")[2]


def name_of(environ: Mapping[str, Any], service: str, body: bytes) -> str:
    """Service, operation and resource, such as `dynamodb GetItem webordinary-jobs`."""
    path = unquote(environ["PATH_INFO"])
    if service == "s3":
        bucket, _, key = path.lstrip("/").partition("/")
        operation = environ["REQUEST_METHOD"] if key else "LIST"
        return f"s3 {operation} {bucket}"
    if operation := operation_of(environ, body):
        return " ".join(filter(None, [service, operation, _resource(body)]))
    if found := OPERATIONS_OF_FUNCTIONS.search(path):
        return f"{service} {found[2]} {_function_name(found[1])}"
    return f"{service} {environ['REQUEST_METHOD']} {path.rpartition('/')[2]}"


def operation_of(environ: Mapping[str, Any], body: bytes) -> str:
    """The name of the operation, in the protocols that send every call with POST; else an empty text."""
    if target := environ.get("HTTP_X_AMZ_TARGET"):
        return str(target).rpartition(".")[2]
    if "/operation/" in environ["PATH_INFO"]:
        return str(environ["PATH_INFO"]).rpartition("/")[2]
    if str(environ.get("CONTENT_TYPE", "")).startswith("application/x-www-form-urlencoded"):
        return parse_qs(body.decode("latin-1")).get("Action", [""])[0]
    return ""


def _resource(body: bytes) -> str:
    """The table or queue of a request in JSON."""
    try:
        given = json.loads(body)
    except ValueError:
        return ""
    for name in ("TableName", "QueueUrl", "QueueName"):
        if name in given:
            index = given.get("IndexName")
            return str(given[name]).rpartition("/")[2] + (f"/{index}" if index else "")
    return ""


def _function_name(name: str) -> str:
    """Without the ARN's beginning and the alias."""
    return name.partition("function:")[2].partition(":")[0] if name.startswith("arn:") else name.partition(":")[0]
