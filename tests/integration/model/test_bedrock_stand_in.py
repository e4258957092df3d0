"""The stand-in for Bedrock is as strict as Bedrock: signature, session, model and body."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from local.runtime.signatures import RoleSession
from tests.support.bedrock import EXPIRED, MODEL, PROFILE, REGION, SESSION, bedrock_stand_in
from tests.support.model_client import StandInClient

ASKED = {
    "anthropic_version": "bedrock-2023-05-31",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "Hello"}],
}
Answer = tuple[int, str, str]


@pytest.fixture(scope="module")
def model() -> Iterator[StandInClient]:
    with bedrock_stand_in() as client:
        yield client


def ask(
    model: StandInClient,
    *,
    session: RoleSession = SESSION,
    name: str = MODEL,
    body: dict[str, Any] = ASKED,
    region: str = REGION,
    sent: bytes | None = None,
    **headers: str,
) -> Answer:
    """Status, error type and message of a signed request. `sent` replaces the signed body."""
    url = f"{model.url}/model/{quote(name, safe='')}/invoke-with-response-stream"
    signed = AWSRequest("POST", url, {"content-type": "application/json"}, json.dumps(body).encode())
    SigV4Auth(Credentials(session.access_key, session.secret_key, session.token), "bedrock", region).add_auth(signed)
    given = {**signed.headers, **{key.replace("_", "-"): value for key, value in headers.items()}}
    request = urllib.request.Request(url, sent or signed.data, {k: v for k, v in given.items() if v}, method="POST")  # noqa: S310
    try:
        with urllib.request.urlopen(request) as response:  # noqa: S310 - always the stand-in's address
            return response.status, "", response.headers["content-type"]
    except urllib.error.HTTPError as error:
        return error.code, error.headers["x-amzn-errortype"], json.loads(error.read())["message"]


def test_signed_request_is_answered_with_an_event_stream(model: StandInClient) -> None:
    assert ask(model) == (200, "", "application/vnd.amazon.eventstream")


@pytest.mark.parametrize(
    ("session", "code"),
    [
        (replace(SESSION, secret_key="another"), "InvalidSignatureException"),
        (replace(SESSION, token="another"), "UnrecognizedClientException"),
        (replace(SESSION, access_key="ASIAOTHER"), "UnrecognizedClientException"),
        (EXPIRED, "ExpiredTokenException"),
    ],
)
def test_wrong_session_is_rejected(model: StandInClient, session: RoleSession, code: str) -> None:
    assert ask(model, session=session)[:2] == (403, code)


def test_changed_body_is_rejected(model: StandInClient) -> None:
    other = json.dumps({**ASKED, "max_tokens": 999}).encode()

    assert ask(model, sent=other)[:2] == (403, "InvalidSignatureException")


def test_unsigned_old_or_foreign_signature_is_rejected(model: StandInClient) -> None:
    assert ask(model, Authorization="")[:2] == (403, "MissingAuthenticationTokenException")
    assert ask(model, Authorization="Bearer any")[:2] == (403, "MissingAuthenticationTokenException")
    assert ask(model, X_Amz_Date="20200101T000000Z")[:2] == (403, "InvalidSignatureException")
    assert ask(model, region="us-east-1")[:2] == (403, "InvalidSignatureException")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("eu.anthropic.claude-unheard-of", "identifier is invalid"),
        ("us.anthropic.claude-opus-5-5", "identifier is invalid"),
        ("anthropic.claude-opus-5-5", "on-demand throughput"),
    ],
)
def test_wrong_model_is_rejected(model: StandInClient, name: str, message: str) -> None:
    status, code, said = ask(model, name=name)

    assert (status, code) == (400, "ValidationException")
    assert message in said


def test_application_inference_profile_is_known_by_its_arn(model: StandInClient) -> None:
    assert ask(model, name=PROFILE)[0] == 200
    assert ask(model, name=PROFILE.replace("a1b2", "ffff"))[:2] == (404, "ResourceNotFoundException")


@pytest.mark.parametrize(
    "body", [{**ASKED, "anthropic_version": "2023-06-01"}, {**ASKED, "model": MODEL}, {**ASKED, "messages": []}]
)
def test_wrong_body_is_rejected(model: StandInClient, body: dict[str, Any]) -> None:
    assert ask(model, body=body)[:2] == (400, "ValidationException")
