"""Function URLs with AWS_IAM: authenticates the caller by its signature and passes its ARN to the function.

As on AWS: the signature, its age and the session's expiry are checked, the caller's role must allow the call, and the
event carries the caller's ARN. Differs from AWS: the URL is a path of the emulator, only role sessions can call, and
policy conditions are ignored.
"""

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from moto.awslambda.models import FunctionUrlConfig
from moto.iam.access_control import IAMPolicyStatement, PermissionResult
from moto.iam.models import iam_backends
from moto.moto_api._internal import mock_random
from moto.sts.models import AssumedRole
from werkzeug.wrappers import Request, Response

from local.aws import ACCOUNT
from local.emulator.gaps.lambda_aliases import target_arn, target_function
from local.emulator.sessions import find_role, session_of
from local.runtime.signatures import RoleSession, SignatureError, SignedRequest, verify

PATH = "/function-urls/"
PARTITION = "aws"
ACTIONS = ("lambda:InvokeFunctionUrl", "lambda:InvokeFunction")

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]


class ForbiddenError(Exception):
    """The call is rejected; the message says why."""


class FunctionUrls:
    """WSGI middleware that handles calls of function URLs and passes all other requests to moto."""

    def __init__(self, endpoint: str, application: Application) -> None:
        self._endpoint = endpoint
        self._application = application
        self._configs: dict[str, FunctionUrlConfig] = {}

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if not path.startswith(PATH):
            return self._application(environ, start_response)
        config = self._configs.get(path)
        if config is None or config.function.url_config is not config:
            return _json_response(HTTPStatus.NOT_FOUND, "Not Found")(environ, start_response)
        return _respond(Request(environ), config)(environ, start_response)

    def add(self, config: FunctionUrlConfig) -> str:
        """Registers a function URL and returns it."""
        path = f"{PATH}{mock_random.uuid4().hex}/"
        self._configs[path] = config
        return f"{self._endpoint}{path}"


def _respond(request: Request, config: FunctionUrlConfig) -> Response:
    try:
        caller = _caller_of(request, config)
    except ForbiddenError as error:
        return _json_response(HTTPStatus.FORBIDDEN, f"Forbidden: {error}")
    event: Any = _event_of(request, caller)
    payload, failed, _ = target_function(config)._invoke_lambda(event)  # noqa: SLF001 (moto has no public method)
    if failed:
        return _json_response(HTTPStatus.BAD_GATEWAY, "Internal Server Error")
    result = json.loads(payload)
    return Response(result.get("body", ""), result["statusCode"], result.get("headers", {}))


def _caller_of(request: Request, config: FunctionUrlConfig) -> AssumedRole:
    if config.config.get("AuthType") != "AWS_IAM":
        raise ForbiddenError("only AuthType AWS_IAM is supported")
    headers = {name.lower(): value for name, value in request.headers.items()}
    signed = SignedRequest(request.method, request.url, headers, request.get_data())
    try:
        session = verify(signed, config.function.region, "lambda", _find_session, datetime.now(UTC))
    except SignatureError as error:
        raise ForbiddenError(str(error)) from error
    caller = find_role(session.access_key)
    if caller is None:
        raise ForbiddenError("unknown access key")
    _require_permission(caller, target_arn(config))
    return caller


def _find_session(access_key: str) -> RoleSession | None:
    role = find_role(access_key)
    return session_of(role) if role is not None else None


def _require_permission(session: AssumedRole, function_arn: str) -> None:
    role, iam = session.role_arn.rpartition("/")[2], iam_backends[ACCOUNT][PARTITION]
    if not any(found.name == role for found in iam.roles.values()):
        raise ForbiddenError(f"role {role} does not exist")
    documents = [iam.get_role_policy(role, name)[1] for name in iam.list_role_policies(role)]
    policies = [document if isinstance(document, dict) else json.loads(document) for document in documents]
    statements = [
        {name: part for name, part in statement.items() if name != "Condition"}
        for policy in policies
        for statement in (policy["Statement"] if isinstance(policy["Statement"], list) else [policy["Statement"]])
    ]
    for action in ACTIONS:
        results = [IAMPolicyStatement(statement).is_action_permitted(action, function_arn) for statement in statements]
        if PermissionResult.PERMITTED not in results or PermissionResult.DENIED in results:
            raise ForbiddenError(f"{role} is not allowed to {action}")


def _event_of(request: Request, caller: AssumedRole) -> dict[str, Any]:
    """The event of a call, in payload format 2.0."""
    iam = {
        "accessKey": caller.access_key_id,
        "accountId": caller.account_id,
        "callerId": caller.user_id,
        "cognitoIdentity": None,
        "userArn": caller.arn,
        "userId": caller.user_id,
    }
    http = {"method": request.method, "path": "/", "protocol": "HTTP/1.1", "sourceIp": "127.0.0.1"}
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": "/",
        "rawQueryString": "",
        "headers": {name.lower(): value for name, value in request.headers.items()},
        "requestContext": {
            "accountId": ACCOUNT,
            "authorizer": {"iam": iam},
            "http": http,
            "requestId": str(mock_random.uuid4()),
            "routeKey": "$default",
            "stage": "$default",
            "timeEpoch": int(datetime.now(UTC).timestamp() * 1000),
        },
        "body": request.get_data(as_text=True),
        "isBase64Encoded": False,
    }


def _json_response(status: HTTPStatus, message: str) -> Response:
    return Response(json.dumps({"Message": message}), status, {"Content-Type": "application/json"})
