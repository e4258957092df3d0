"""The emulator's log of calls: who called what."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from werkzeug.test import Client, EnvironBuilder

from local.emulator.call_log import CallLog, name_of

FUNCTION = "function.webordinary-intake.1"


def signed(service: str, caller: str = FUNCTION) -> dict[str, str]:
    return {
        "Authorization": f"AWS4-HMAC-SHA256 Credential={caller}/20290101/us-east-1/{service}/aws4_request, Signature=x"
    }


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    start_response("200 OK", [])
    return [environ["wsgi.input"].read()]


@pytest.fixture
def log() -> CallLog:
    return CallLog(application)


def calls(log: CallLog, since: int = 0) -> list[list[str]]:
    found: list[list[str]] = Client(log).get(f"/calls/{since}").get_json()["calls"]
    return found


@pytest.mark.parametrize(
    ("service", "path", "headers", "body", "name"),
    [
        (
            "dynamodb",
            "/",
            {"X-Amz-Target": "DynamoDB_20120810.GetItem"},
            {"TableName": "jobs"},
            "dynamodb GetItem jobs",
        ),
        (
            "dynamodb",
            "/",
            {"X-Amz-Target": "DynamoDB_20120810.Query"},
            {"TableName": "jobs", "IndexName": "open"},
            "dynamodb Query jobs/open",
        ),
        ("sqs", "/", {"X-Amz-Target": "AmazonSQS.SendMessage"}, {"QueueUrl": "http://h/1/out"}, "sqs SendMessage out"),
        ("s3", "/sites/bakery/index.html", {}, None, "s3 POST sites"),
        ("s3", "/sites", {}, None, "s3 LIST sites"),
        ("lambda", "/2015-03-31/functions/fleet:live/invocations", {}, {}, "lambda invocations fleet"),
        (
            "lambda",
            "/2015-03-31/functions/arn%3Aaws%3Alambda%3Aus-east-1%3A1%3Afunction%3Afleet%3Alive/invocations",
            {},
            {},
            "lambda invocations fleet",
        ),
        ("ses", "/v2/email/outbound-emails", {}, {}, "ses POST outbound-emails"),
    ],
)
def test_call_is_named_by_service_operation_and_resource(
    service: str, path: str, headers: dict[str, str], body: object, name: str
) -> None:
    content = b"" if body is None else json.dumps(body).encode()
    environ = EnvironBuilder(path=path, method="POST", headers=list(headers.items()), data=content).get_environ()

    assert name_of(environ, service, content) == name


def test_request_is_logged_and_passed_on_unchanged(log: CallLog) -> None:
    headers = {**signed("sqs"), "X-Amz-Target": "AmazonSQS.SendMessage"}
    body = b'{"QueueUrl": "http://host/1/out"}'

    assert Client(log).post("/", data=body, headers=headers).data == body
    assert calls(log) == [[FUNCTION, "sqs SendMessage out"]]


def test_calls_of_the_local_stack_and_unsigned_requests_are_left_out(log: CallLog) -> None:
    Client(log).get("/sites", headers=signed("s3", "local"))
    Client(log).get("/moto-api/")

    assert calls(log) == []


def test_end_of_an_invocation_is_marked_and_positions_continue(log: CallLog) -> None:
    Client(log).get("/sites", headers=signed("s3"))
    position = Client(log).get("/calls/0").get_json()["position"]
    log.end_invocation(FUNCTION)

    assert calls(log, position) == [[FUNCTION, ""]]


def test_unknown_caller_is_other(log: CallLog) -> None:
    Client(log).get("/sites", headers=signed("s3", "ASIAUNKNOWN"))

    assert calls(log) == [["other", "s3 LIST sites"]]
