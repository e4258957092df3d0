"""Verifies signatures of AWS requests (SigV4) as AWS does: the session, its token and expiry, date, scope and body."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

MAX_AGE = timedelta(minutes=5)
REQUIRED = {"host", "x-amz-date", "x-amz-security-token"}


@dataclass(frozen=True)
class RoleSession:
    access_key: str
    secret_key: str
    token: str
    expires_at: datetime


@dataclass(frozen=True)
class SignedRequest:
    """`url` has the path as it was sent, still encoded."""

    method: str
    url: str
    headers: Mapping[str, str]  # by lower-case name
    body: bytes


class SignatureError(Exception):
    """The request is rejected. `code` is the error of the services that sign like this."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def verify(
    request: SignedRequest, region: str, service: str, find: Callable[[str], RoleSession | None], now: datetime
) -> RoleSession:
    """Returns the session that signed the request. `find` looks one up by its access key."""
    access_key, scope, signed_headers, signature = _authorization(request.headers.get("authorization", ""))
    session = find(access_key)
    if session is None:
        raise SignatureError("UnrecognizedClientException", "unknown access key")
    if not hmac.compare_digest(request.headers.get("x-amz-security-token", ""), session.token):
        raise SignatureError("UnrecognizedClientException", "session token mismatch")
    _require_valid_time(request.headers.get("x-amz-date", ""), session, now)
    if scope != [region, service, "aws4_request"]:
        raise SignatureError("InvalidSignatureException", "signed for another region or service")
    if not hmac.compare_digest(_signature(request, session, signed_headers, scope), signature):
        raise SignatureError("InvalidSignatureException", "signature mismatch")
    return session


def _authorization(header: str) -> tuple[str, list[str], list[str], str]:
    algorithm, _, rest = header.partition(" ")
    parts = dict(part.strip().partition("=")[::2] for part in rest.split(","))
    if algorithm != "AWS4-HMAC-SHA256" or not {"Credential", "SignedHeaders", "Signature"} <= parts.keys():
        raise SignatureError("MissingAuthenticationTokenException", "missing signature")
    access_key, _date, *scope = parts["Credential"].split("/")
    return access_key, scope, parts["SignedHeaders"].split(";"), parts["Signature"]


def _require_valid_time(date: str, session: RoleSession, now: datetime) -> None:
    try:
        signed_at = datetime.strptime(date, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        raise SignatureError("InvalidSignatureException", "missing or invalid X-Amz-Date") from None
    if abs(now - signed_at) > MAX_AGE:
        raise SignatureError("InvalidSignatureException", "signature expired or not yet valid")
    if session.expires_at < now:
        raise SignatureError("ExpiredTokenException", "session expired")


def _signature(request: SignedRequest, session: RoleSession, signed_headers: list[str], scope: list[str]) -> str:
    if not set(signed_headers) >= REQUIRED:
        raise SignatureError("InvalidSignatureException", "required headers are not signed")
    headers = {name: value for name, value in request.headers.items() if name in signed_headers}
    signed = AWSRequest(method=request.method, url=request.url, data=request.body, headers=headers)
    signed.context["timestamp"] = request.headers["x-amz-date"]
    signer = SigV4Auth(Credentials(session.access_key, session.secret_key, session.token), scope[1], scope[0])
    return str(signer.signature(signer.string_to_sign(signed, signer.canonical_request(signed)), signed))
