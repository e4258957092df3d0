"""Function URLs: authentication and authorization of callers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import urllib3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from local.emulator.process import EmulatorProcess
from tests.integration.emulator.support import archive, role

WHO = """
import json

def handler(event, context):
    caller = event["requestContext"]["authorizer"]["iam"]["userArn"]
    return {"statusCode": 200, "body": json.dumps({"caller": caller, "body": event["body"]})}
"""


@dataclass(frozen=True)
class Caller:
    url: str
    keys: Credentials
    service: str = "lambda"
    at: datetime | None = None
    sent: str | None = None  # replaces the signed body

    def call(self, body: str = "hello") -> tuple[int, Any]:
        request = AWSRequest("POST", self.url, {"content-type": "text/plain"}, body)
        if self.at is None:
            SigV4Auth(self.keys, self.service, "us-east-1").add_auth(request)
        else:
            self._sign_at(request)
        headers = {name: value for name, value in request.prepare().headers.items() if name != "Content-Length"}
        response = urllib3.request("POST", self.url, body=self.sent or body, headers=headers)
        return response.status, json.loads(response.data)

    def _sign_at(self, request: AWSRequest) -> None:
        """Like `add_auth`, with another signing time."""
        signer = SigV4Auth(self.keys, self.service, "us-east-1")
        assert self.at is not None
        request.context["timestamp"] = self.at.strftime("%Y%m%dT%H%M%SZ")
        signer._modify_request_before_signing(request)  # type: ignore[attr-defined]
        text = signer.string_to_sign(request, signer.canonical_request(request))
        signer._inject_signature_to_request(request, signer.signature(text, request))  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def function(emulator: EmulatorProcess) -> tuple[str, str]:
    lambdas = emulator.client("lambda")
    created = lambdas.create_function(
        FunctionName="who",
        Runtime="python3.13",
        Role=role(emulator.endpoint, "who"),
        Handler="handler.handler",
        Timeout=120,
        Code={"ZipFile": archive({"handler.py": WHO})},
    )
    url = lambdas.create_function_url_config(FunctionName="who", AuthType="AWS_IAM")["FunctionUrl"]
    return created["FunctionArn"], url


@pytest.fixture
def caller(emulator: EmulatorProcess, function: tuple[str, str], unique: Callable[[str], str]) -> Caller:
    arn, url = function
    name = unique("caller")
    role_arn = role(emulator.endpoint, name)
    statement = {"Effect": "Allow", "Action": ["lambda:InvokeFunctionUrl", "lambda:InvokeFunction"], "Resource": arn}
    emulator.client("iam").put_role_policy(
        RoleName=name, PolicyName="call", PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    )
    return Caller(url, session(emulator, role_arn))


def session(emulator: EmulatorProcess, role_arn: str) -> Credentials:
    given = emulator.client("sts").assume_role(RoleArn=role_arn, RoleSessionName="task-1")["Credentials"]
    return Credentials(given["AccessKeyId"], given["SecretAccessKey"], given["SessionToken"])


def test_function_receives_the_callers_session_arn(caller: Caller) -> None:
    status, answer = caller.call("a question")

    assert (status, answer["body"]) == (200, "a question")
    assert answer["caller"].startswith("arn:aws:sts::123456789012:assumed-role/caller-")
    assert answer["caller"].endswith("/task-1")


def test_call_of_an_unauthorized_role_is_rejected(
    caller: Caller, emulator: EmulatorProcess, unique: Callable[[str], str]
) -> None:
    another = role(emulator.endpoint, unique("another"))

    assert replace(caller, keys=session(emulator, another)).call()[0] == 403


def test_call_with_a_changed_body_is_rejected(caller: Caller) -> None:
    assert replace(caller, sent="another question").call()[0] == 403


@pytest.mark.parametrize("part", ["access_key", "secret_key", "token"])
def test_call_with_invalid_session_keys_is_rejected(caller: Caller, part: str) -> None:
    given = {name: getattr(caller.keys, name) for name in ("access_key", "secret_key", "token")}

    assert replace(caller, keys=Credentials(**{**given, part: "made-up"})).call()[0] == 403


def test_call_signed_for_another_service_is_rejected(caller: Caller) -> None:
    assert replace(caller, service="execute-api").call()[0] == 403


@pytest.mark.parametrize("minutes", [-10, 10])
def test_call_with_an_invalid_signing_time_is_rejected(caller: Caller, minutes: int) -> None:
    assert replace(caller, at=datetime.now(UTC) + timedelta(minutes=minutes)).call()[0] == 403
    assert replace(caller, at=datetime.now(UTC)).call()[0] == 200


def test_unsigned_call_is_rejected(caller: Caller) -> None:
    assert urllib3.request("POST", caller.url, body="hello").status == 403


def test_unknown_function_url_is_404(caller: Caller) -> None:
    assert replace(caller, url=caller.url.rstrip("/") + "0/").call()[0] == 404
